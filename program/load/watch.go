package load

import (
	"context"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txmc/txmc/program/vet"
	"golang.org/x/mod/modfile"
)

// The harness compares package-level variables of the user's modules before and after
// sessions run. They are not visible to it. So a file is generated for each package
// that has some, and hands out their addresses. The syntax alone says which variables
// these are. That takes no time to speak of. The comparison itself finds out which of
// them really change.

// watchedPath is the package that the generated files import.
const watchedPath = rootPath + "/program/watched"

// watch returns generated files by the names under which the go command is to see them. They
// are for the packages that the Explore functions reach, of the module and of others at hand.
// What cannot be read is left out: then the build says why.
func (p *Package) watch() map[string][]byte {
	w := &watching{tool: p.tool, context: build.Default, selected: map[string]bool{}, seen: map[string]bool{}}
	root, module := moduleOf(p.Dir)
	if root == "" || !p.tool.writesBeside(p.Dir) {
		return nil
	}
	w.modules = p.tool.localModules()
	w.modules[module] = root
	w.context.BuildTags = p.tool.tags()
	for _, r := range p.roots {
		w.visit(r.Dir, r.PkgPath, false)
	}
	if p.roots == nil {
		w.visit(p.Dir, p.importPath(), p.inTests())
	}
	files := map[string][]byte{}
	for i, part := range w.parts {
		vars, settings := part.toWatch(w.selected, p.sets), part.settingsToWatch(w)
		if len(vars)+len(settings) > 0 {
			files[unused(part.dir, fmt.Sprintf("txmcwatched%d", i), part.suffix+".go")] = part.watchFile(vars, settings)
		}
	}
	return files
}

// compileWatching compiles the harness with the generated files, and reports
// whether that succeeded and there were any.
func (p *Package) compileWatching(ctx context.Context, binary string, over map[string]string) bool {
	files := p.watch()
	if len(files) == 0 {
		return false
	}
	all := maps.Clone(over)
	for name, source := range files {
		written, err := p.tool.write("watched-*.go", source)
		if err != nil {
			return false
		}
		all[name] = written
	}
	return p.compile(ctx, binary, all) == nil
}

// importPath is the path of the package without the _test of external tests.
func (p *Package) importPath() string {
	switch {
	case p.external:
		return strings.TrimSuffix(p.Path, "_test")
	}
	return p.Path
}

// writesBeside reports whether files can be overlaid in a directory.
func (t *tool) writesBeside(dir string) bool {
	cached := t.env.GOMODCACHE != "" && strings.HasPrefix(dir, t.env.GOMODCACHE+string(filepath.Separator))
	return !cached && !strings.Contains(filepath.ToSlash(dir), "/vendor/")
}

// tags are the build tags of the user's.
func (t *tool) tags() []string {
	var list []string
	for _, f := range append(strings.Fields(t.env.GOFLAGS), t.flags...) {
		if name, value, _ := strings.Cut(strings.TrimLeft(f, "-"), "="); name == "tags" {
			list = append(list, strings.Split(value, ",")...)
		}
	}
	return list
}

// moduleOf finds the module around a directory.
func moduleOf(dir string) (root, path string) {
	for {
		if data, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return dir, modfile.ModulePath(data)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ""
		}
		dir = up
	}
}

// watching is the work on one package and what it imports.
type watching struct {
	tool     *tool
	context  build.Context
	modules  map[string]string // at hand, see localModules
	seen     map[string]bool   // by directory
	parts    []*part
	selected map[string]bool // path.Name that another package mentions
}

// part is the files of a package, or those of its external tests.
type part struct {
	dir, path, name string
	suffix          string // of the name of the generated file
	vars            map[string]*variable
	settings        map[string]*setting // see settings.go
}

// visit looks at the package in a directory, and at those that it imports of the
// modules at hand.
func (w *watching) visit(dir, path string, tests bool) {
	if w.seen[dir] || vet.API(path) || strings.HasPrefix(path, rootPath+"/program") {
		return
	}
	w.seen[dir] = true
	listed, err := w.context.ImportDir(dir, 0)
	if err != nil {
		return
	}
	own := &part{dir: dir, path: path, name: listed.Name}
	files, imports := append(listed.GoFiles, listed.CgoFiles...), listed.Imports
	if tests {
		own.suffix = "_test"
		files, imports = append(files, listed.TestGoFiles...), append(append(imports, listed.TestImports...), listed.XTestImports...)
		w.read(&part{dir: dir, path: path + "_test", name: listed.Name + "_test", suffix: "_test"}, listed.XTestGoFiles)
	}
	w.read(own, files)
	for _, imported := range imports {
		if dir, ok := within(w.modules, imported); ok && w.tool.writesBeside(dir) {
			w.visit(dir, imported, false)
		}
	}
}

// read notes the variables of a part and how its functions mention them. A part
// that cannot be parsed is left out.
func (w *watching) read(p *part, names []string) {
	fset := token.NewFileSet()
	m := &mentions{fset: fset, vars: map[string]*variable{}, specs: map[*ast.ValueSpec]bool{}, selected: w.selected, settings: map[string]*setting{}}
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(fset, filepath.Join(p.dir, name), nil, parser.ParseComments)
		if err != nil {
			return
		}
		files = append(files, file)
		m.declared(file)
	}
	for _, file := range files {
		m.file(file)
	}
	p.vars, p.settings = m.vars, m.settings
	w.parts = append(w.parts, p)
}

// toWatch lists the variables that functions may both change and read, by name, without those that programs set.
func (p *part) toWatch(selected map[string]bool, set Variables) []*variable {
	var list []*variable
	for _, name := range slices.Sorted(maps.Keys(p.vars)) {
		if v := p.vars[name]; (v.read || selected[p.path+"."+name]) && !v.ignored && set[p.path+"."+name] == nil {
			list = append(list, v)
		}
	}
	return list
}

// watchFile is the source of a generated file.
func (p *part) watchFile(vars []*variable, settings []*setting) []byte {
	var b, imports, entries strings.Builder
	for i, s := range settings {
		imported, entry := s.entry(p, i)
		imports.WriteString(imported)
		entries.WriteString(entry)
	}
	fmt.Fprintf(&b, "// Code generated by txmc explore. DO NOT EDIT.\n\npackage %s\n\nimport txmcwatched %q\n%s\nfunc init() {\n\ttxmcwatched.Register(\n", p.name, watchedPath, &imports)
	for _, v := range vars {
		fmt.Fprintf(&b, "\t\ttxmcwatched.Variable{Name: %q, File: %q, Line: %d, Package: %q, Once: %t, Address: &%s},\n",
			strings.TrimSuffix(p.name, "_test")+"."+v.name, v.at.Filename, v.at.Line, p.path, v.once, v.name)
	}
	b.WriteString(entries.String() + "\t)\n}\n")
	return []byte(b.String())
}
