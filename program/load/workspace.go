package load

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// copyWorkspace makes the go command use a copy of the workspace's go.work: in a
// workspace it adds to go.work.sum what it needs, without being asked. A
// workspace with a vendor directory has that beside go.work, and needs no sums.
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
	var uses []*modfile.Use
	for _, u := range file.Use {
		if !filepath.IsAbs(u.Path) {
			u = &modfile.Use{Path: filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(u.Path)))}
		}
		uses = append(uses, u)
	}
	file.SetUse(uses)
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
