package load

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// copyWorkspace makes the go command use a copy of the workspace's go.work: in a
// workspace it adds to go.work.sum what it needs, without being asked. What txmc
// needs is there from the beginning: the go command would ask the checksum database
// for it, which need not be within reach. A workspace with a vendor directory has
// that beside go.work, and needs no sums.
func (t *tool) copyWorkspace() error {
	work := t.env.GOWORK
	if work == "" || work == "off" {
		return nil
	}
	dir := filepath.Dir(work)
	if _, err := os.Stat(filepath.Join(dir, "vendor", "modules.txt")); err == nil {
		return nil
	}
	data, err := os.ReadFile(work)
	if err != nil {
		return nil // the go command will say it better
	}
	file, err := modfile.ParseWork(work, data, nil)
	if err != nil {
		return nil
	}
	if err := absolute(file, dir); err != nil {
		return fmt.Errorf("cannot copy %s: %w", work, err)
	}
	sums, err := os.ReadFile(work + ".sum")
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("cannot copy %s.sum: %w", work, err)
	}
	for _, dir := range t.txmcDirs(file) {
		if ours, err := os.ReadFile(filepath.Join(dir, "go.sum")); err == nil {
			sums = joinSums(sums, ours)
		}
	}
	copied := filepath.Join(t.temp, "go.work")
	for name, data := range map[string][]byte{copied: modfile.Format(file.Syntax), copied + ".sum": sums} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			return fmt.Errorf("cannot write a temporary file: %w", err)
		}
	}
	t.work = copied
	return nil
}

// absolute makes the paths of a go.work independent of its directory.
func absolute(file *modfile.WorkFile, dir string) error {
	var uses []string
	for _, u := range file.Use {
		path := u.Path
		if !filepath.IsAbs(path) {
			path = filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(path)))
		}
		uses = append(uses, path)
	}
	file.SetUse(nil) // it would write those that stay a second time
	for _, path := range uses {
		file.AddNewUse(path, "")
	}
	for _, r := range file.Replace {
		if r.New.Version != "" || filepath.IsAbs(r.New.Path) {
			continue
		}
		path := filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(r.New.Path)))
		if err := file.AddReplace(r.Old.Path, r.Old.Version, path, ""); err != nil {
			return err
		}
	}
	file.Cleanup()
	return nil
}

// txmcDirs lists where the modules of a workspace have txmc from: directories that
// replace it, and the module cache. A txmc that the workspace itself uses is not
// among them, as the go command reads its go.sum.
func (t *tool) txmcDirs(work *modfile.WorkFile) []string {
	dirs := t.replacedBy(work.Replace, "")
	for _, u := range work.Use {
		name := filepath.Join(filepath.FromSlash(u.Path), "go.mod")
		data, err := os.ReadFile(name)
		if err != nil {
			continue // the go command will say it better
		}
		mod, err := modfile.Parse(name, data, nil)
		if err != nil {
			continue
		}
		dirs = append(dirs, t.replacedBy(mod.Replace, filepath.FromSlash(u.Path))...)
		for _, r := range mod.Require {
			if r.Mod.Path == rootPath {
				dirs = append(dirs, t.cached(r.Mod)...)
			}
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// replacedBy lists where replacements of txmc are; relative paths are as seen from
// dir.
func (t *tool) replacedBy(list []*modfile.Replace, dir string) []string {
	var dirs []string
	for _, r := range list {
		switch {
		case r.Old.Path != rootPath:
		case r.New.Version != "":
			dirs = append(dirs, t.cached(r.New)...)
		case filepath.IsAbs(r.New.Path):
			dirs = append(dirs, filepath.FromSlash(r.New.Path))
		default:
			dirs = append(dirs, filepath.Join(dir, filepath.FromSlash(r.New.Path)))
		}
	}
	return dirs
}

// cached lists the directory of a module in the module cache.
func (t *tool) cached(m module.Version) []string {
	path, err := module.EscapePath(m.Path)
	if err != nil {
		return nil
	}
	version, err := module.EscapeVersion(m.Version)
	if err != nil {
		return nil
	}
	return []string{filepath.Join(t.env.GOMODCACHE, filepath.FromSlash(path)+"@"+version)}
}
