package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// arrange decides how the functions of a package and of its own _test.go files
// are built. testMain is where a TestMain is declared, if one is.
func (t *tool) arrange(ctx context.Context, g *group, plain, internal *scanned, testMain string) *Package {
	p := g.plain
	if p == nil || p.Name == "" {
		p = g.internal
	}
	out := &Package{Path: p.PkgPath, Name: p.Name, Dir: p.Dir, tool: t}
	out.add(plain, internal)
	inTests := len(internal.candidates) > 0
	if !inTests && p.Name != "main" {
		t.placeMain(ctx, out, p)
		return out
	}
	switch {
	case !t.mayOverlay(p):
		out.err = fmt.Errorf("%s: functions of a package main or of _test.go files can be explored in a directory of your own only, "+
			"and %s is not: copy the package, or name another one", p.PkgPath, p.Dir)
	case inTests && testMain != "":
		out.err = ownTestMain(p.PkgPath, internal, testMain)
	case !inTests:
		// Its tests are not wanted: what they need may not be there, and they may
		// have a TestMain.
		out.hide = testFiles(p.Dir)
	}
	out.file = unused(p.Dir, "txmcharness", "_test.go")
	return out
}

// arrangeExternal does so for package p_test.
func (t *tool) arrangeExternal(g *group, external *scanned, testMain string) *Package {
	p := g.external
	out := &Package{Path: p.PkgPath, Name: p.Name, Dir: p.Dir, tool: t, external: true}
	out.add(external)
	if testMain != "" {
		out.err = ownTestMain(p.PkgPath, external, testMain)
	}
	out.file = unused(p.Dir, "txmcharness", "_test.go")
	return out
}

func (p *Package) add(list ...*scanned) {
	for _, s := range list {
		for _, c := range s.candidates {
			p.Functions = append(p.Functions, Function{c.name, c.at})
		}
	}
}

func ownTestMain(path string, s *scanned, testMain string) error {
	return fmt.Errorf("%s: the Explore functions of _test.go files (%s, %s) are run by a TestMain that txmc generates, "+
		"but there is one at %s: move the functions to a file whose name does not end in _test.go",
		path, s.candidates[0].name, s.candidates[0].at, testMain)
}

// placeMain puts a main function below the package's directory, where it may
// import the package even if it is internal. Where nothing can be overlaid it
// goes to the main module.
func (t *tool) placeMain(ctx context.Context, out *Package, p *packages.Package) {
	dir, path := p.Dir, p.PkgPath
	if !t.mayOverlay(p) {
		if path, dir, out.err = t.mainModule(ctx); out.err != nil {
			return
		}
	}
	below := unused(dir, "txmcharness", "")
	out.file = filepath.Join(below, "main.go")
	out.virtual = path + "/" + filepath.Base(below)
}

// mayOverlay reports whether the go command honours overlaid files beside those
// of p: not in the module cache nor in a vendor directory.
func (t *tool) mayOverlay(p *packages.Package) bool {
	if p.Module != nil && p.Module.Main {
		return true
	}
	inside := t.env.GOMODCACHE != "" && strings.HasPrefix(p.Dir, t.env.GOMODCACHE+string(filepath.Separator))
	vendored := strings.Contains(filepath.ToSlash(p.Dir), "/vendor/")
	return !inside && !vendored
}

// unused returns a name in dir that no file has.
func unused(dir, name, suffix string) string {
	for {
		full := filepath.Join(dir, name+suffix)
		if _, err := os.Lstat(full); err != nil {
			return full
		}
		name += "x"
	}
}

// testFiles lists the _test.go files of a directory.
func testFiles(dir string) []string {
	var list []string
	entries, _ := os.ReadDir(dir) // the go command has read it
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}
