package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A generated file imports txmc, and the user's module need not require it. Then the go command works with a
// copy of go.mod, or of go.work, that does. The copy is in the temporary directory. Versions are chosen as always:
// what both modules require has the higher version.

// require makes such a copy, where one of the modules of txmc is not required that generated files import.
func (t *tool) require(ctx context.Context, modules []string) error {
	if len(modules) == 0 {
		return nil
	}
	if t.env.GOWORK != "" && t.env.GOWORK != "off" {
		return t.requireInWorkspace(ctx, modules)
	}
	name := t.modFile()
	data, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, ".mod") {
		return nil // the go command says it better
	}
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		return nil
	}
	missing := lacking(file, modules)
	if len(missing) == 0 {
		return nil
	}
	sums, err := os.ReadFile(strings.TrimSuffix(name, ".mod") + ".sum")
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("cannot copy go.sum: %w", err)
	}
	for _, path := range missing {
		m, err := t.origin(ctx, path, file)
		if err != nil {
			return err
		}
		if err := m.addTo(file); err != nil {
			return err
		}
		if ours, err := os.ReadFile(filepath.Join(m.dir, "go.sum")); err == nil {
			sums = joinSums(sums, ours)
		}
	}
	language := "1.16" // of a go.mod that says nothing
	if file.Go != nil {
		language = file.Go.Version
	}
	return t.useCopy(file, sums, language)
}

// modFile is the go.mod in use: GOFLAGS may name another one.
func (t *tool) modFile() string {
	for _, f := range strings.Fields(t.env.GOFLAGS) {
		if name, value, _ := strings.Cut(strings.TrimLeft(f, "-"), "="); name == "modfile" {
			return from(t.dir, value)
		}
	}
	return t.env.GOMOD
}

// lacking are the modules of those given that a go.mod does not require, and is not.
func lacking(file *modfile.File, modules []string) (list []string) {
	has := map[string]bool{}
	for _, r := range file.Require {
		has[r.Mod.Path] = true
	}
	for _, path := range modules {
		if !has[path] && (file.Module == nil || file.Module.Mod.Path != path) {
			list = append(list, path)
		}
	}
	return list
}

// useCopy goes on with a copy of go.mod. The language of the user's files stays what it is, as the
// variables of loops have changed with Go 1.22.
func (t *tool) useCopy(file *modfile.File, sums []byte, language string) error {
	file.Cleanup()
	copied := filepath.Join(t.temp, "require.mod")
	for name, data := range map[string][]byte{copied: modfile.Format(file.Syntax), strings.TrimSuffix(copied, ".mod") + ".sum": sums} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			return fmt.Errorf("cannot write a temporary file: %w", err)
		}
	}
	t.repaired = true
	t.flags = append(t.flags, "-modfile="+copied, "-mod=mod")
	if semver.Compare("v"+language, "v1.22") < 0 && file.Module != nil {
		major, rest, _ := strings.Cut(language, ".")
		minor, _, _ := strings.Cut(rest, ".")
		t.language = major + "." + minor
		t.flags = append(t.flags, fmt.Sprintf("-gcflags=%s/...=-lang=go%s", file.Module.Mod.Path, t.language))
	}
	return nil
}

// origin is where a module of txmc comes from.
type origin struct {
	path, version string
	dir           string // of its source
	replaces      bool   // dir takes the place of a version
}

// origin finds a module of txmc in the version that this program has.
func (t *tool) origin(ctx context.Context, path string, file *modfile.File) (origin, error) {
	if path != rootPath && file != nil { // a nested module goes with the root module that is required
		for _, r := range file.Replace {
			if r.Old.Path == rootPath && r.New.Version == "" {
				dir := filepath.Join(from(filepath.Dir(t.env.GOMOD), r.New.Path), strings.TrimPrefix(path, rootPath+"/"))
				return origin{path, "v0.0.0", dir, true}, nil
			}
		}
	}
	if version := ownVersion(); version != "" {
		dir, err := t.download(ctx, module.Version{Path: path, Version: version})
		return origin{path, version, dir, false}, err
	}
	_, name, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(filepath.Dir(name)))
	dir := filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(path, rootPath), "/")))
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || modfile.ModulePath(data) != path {
		return origin{}, &ToolError{fmt.Sprintf("the programs that are run import %s, which the module does not require, and the source of this txmc is not at hand; this adds it, and go mod tidy leaves it there:\n    go get %[1]s && go get -tool %[2]s/cmd/txmc", path, rootPath)}
	}
	return origin{path, "v0.0.0", dir, true}, nil
}

// ownVersion is the version of txmc that this program is, "" when it was built from a directory.
func ownVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path == rootPath && m.Sum != "" && m.Replace == nil {
			return m.Version
		}
	}
	return ""
}

// download is the directory of a module in the module cache.
func (t *tool) download(ctx context.Context, m module.Version) (string, error) {
	out, err := t.run(ctx, "mod", "download", "-json", m.String())
	if err != nil {
		return "", err
	}
	var d struct{ Dir string }
	if err := json.Unmarshal(out, &d); err != nil {
		return "", fmt.Errorf("cannot understand what \"go mod download\" prints: %w", err)
	}
	return d.Dir, nil
}

// addTo adds the module to a go.mod.
func (o origin) addTo(file *modfile.File) error {
	err := file.AddRequire(o.path, o.version)
	if err == nil && o.replaces {
		err = file.AddReplace(o.path, "", o.dir, "")
	}
	if err != nil {
		return fmt.Errorf("cannot add %s to a copy of go.mod: %w", o.path, err)
	}
	return nil
}

// requireInWorkspace adds the modules to the copy of go.work, where no module of the workspace requires them.
func (t *tool) requireInWorkspace(ctx context.Context, modules []string) error {
	if t.work == "" {
		return errors.New("a workspace with a vendor directory cannot be looked at: set GOWORK=off, or GOFLAGS=-mod=mod")
	}
	data, err := os.ReadFile(t.work)
	if err != nil {
		return fmt.Errorf("cannot read a temporary file: %w", err)
	}
	work, err := modfile.ParseWork(t.work, data, nil)
	if err != nil {
		return nil // the go command says it better
	}
	missing := modules
	for _, u := range work.Use {
		if data, err := os.ReadFile(filepath.Join(filepath.FromSlash(u.Path), "go.mod")); err == nil {
			if file, err := modfile.Parse("go.mod", data, nil); err == nil {
				missing = lacking(file, missing)
			}
		}
	}
	sums, _ := os.ReadFile(t.work + ".sum")
	for _, path := range missing {
		m, err := t.origin(ctx, path, nil)
		if err != nil {
			return err
		}
		if err := work.AddUse(m.dir, ""); err != nil {
			return fmt.Errorf("cannot add %s to a copy of go.work: %w", path, err)
		}
		if data, err := os.ReadFile(filepath.Join(m.dir, "go.mod")); err == nil {
			if file, err := modfile.ParseLax("go.mod", data, nil); err == nil && file.Go != nil && (work.Go == nil || semver.Compare("v"+work.Go.Version, "v"+file.Go.Version) < 0) {
				work.AddGoStmt(file.Go.Version)
			}
		}
		if ours, err := os.ReadFile(filepath.Join(m.dir, "go.sum")); err == nil {
			sums = joinSums(sums, ours)
		}
	}
	work.Cleanup()
	for name, data := range map[string][]byte{t.work: modfile.Format(work.Syntax), t.work + ".sum": sums} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			return fmt.Errorf("cannot write a temporary file: %w", err)
		}
	}
	return nil
}
