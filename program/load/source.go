package load

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Source is the code of packages and of those that they import from the same module,
// type-checked. It has only the types of other packages.
type Source struct {
	Fset *token.FileSet
	// Roots are the packages that the patterns match; All has those of their modules
	// that they import, too.
	Roots, All []*packages.Package
	Left       []Left // packages that are not looked at
	Program    string // the path of the package main among the roots, which generated files are a part of; "" without one
	Warning    string // about Config.Determinism; "" without one

	tool *tool
	at   place // of generated packages
}

// Variables are package-level variables that generated programs set, by the package's path and the name. Each has an
// exported pointer in a file beside it, and is not compared before and after sessions run.
type Variables map[string]*types.Var

// Pointer is the name of the pointer to a variable.
func Pointer(v *types.Var) string { return "TxmcOf_" + v.Name() }

// Left is a package that is not looked at, with the reason.
type Left struct {
	Package string `json:"package"`
	Why     string `json:"why"`
}

// Generated is a package that has one file, which is not written to the user's tree, with
// Explore functions of these names. It is where it may import all the roots. One of the name that Program has is a part of that.
func (s *Source) Generated(name string, file []byte, functions []string, set Variables) (*Package, error) {
	if main := s.main(); main != nil && main.Name == name {
		return s.beside(main, file, functions, set)
	}
	dir := unused(s.at.dir, name, "")
	p := &Package{Path: s.at.path + "/" + filepath.Base(dir), Name: name, Dir: s.at.dir, tool: s.tool, imported: imported{s.Roots, set}}
	for _, f := range functions {
		p.Functions = append(p.Functions, Function{Name: f})
	}
	// The generated file is of our language, and all of its mistakes are wanted, not the first ten.
	s.tool.flags = append(s.tool.flags, fmt.Sprintf("-gcflags=%s/...=-e", p.Path))
	written, err := s.tool.write("find-*.go", file)
	if err != nil {
		return nil, err
	}
	s.tool.overlay[filepath.Join(dir, "find.go")] = written
	if err := s.pointers(set); err != nil {
		return nil, err
	}
	below := unused(dir, "txmcharness", "")
	p.file, p.virtual = filepath.Join(below, "main.go"), p.Path+"/"+filepath.Base(below)
	return p, nil
}

// main is the package main that generated files may be a part of; nil without one.
func (s *Source) main() *packages.Package {
	for _, p := range s.All {
		if s.Program != "" && p.PkgPath == s.Program {
			return p
		}
	}
	return nil
}

// beside is the package main with one more file.
func (s *Source) beside(main *packages.Package, file []byte, functions []string, set Variables) (*Package, error) {
	p := &Package{Path: main.PkgPath, Name: main.Name, Dir: main.Dir, tool: s.tool, imported: imported{s.Roots, set}}
	for _, f := range functions {
		p.Functions = append(p.Functions, Function{Name: f})
	}
	written, err := s.tool.write("find-*.go", file)
	if err != nil {
		return nil, err
	}
	s.tool.overlay[unused(main.Dir, "txmcfind", ".go")] = written // instead of the one before
	if err := s.pointers(set); err != nil {
		return nil, err
	}
	below := unused(main.Dir, "txmcharness", "")
	p.file, p.virtual = filepath.Join(below, "main.go"), p.Path+"/"+filepath.Base(below)
	return p, nil
}

// aroundInternal is the path below which a package may be imported, and whether it is internal to that: the last
// directory internal of its path counts.
func aroundInternal(path string) (around string, internal bool) {
	parts := strings.Split(path, "/")
	for i, part := range slices.Backward(parts) {
		if part == "internal" {
			return strings.Join(parts[:i], "/"), true
		}
	}
	return "", false
}

// below reports whether a path is another one, or one below it. All are below "".
func below(path, above string) bool {
	return above == "" || path == above || strings.HasPrefix(path, above+"/")
}

// Position is file:line as seen from the user's directory; of a file in the module cache, as
// seen from there.
func (s *Source) Position(p token.Pos) string {
	if !p.IsValid() {
		return ""
	}
	at := s.Fset.Position(p)
	if rest, ok := strings.CutPrefix(at.Filename, s.tool.env.GOMODCACHE+string(filepath.Separator)); ok && s.tool.env.GOMODCACHE != "" {
		at.Filename = rest
	}
	return s.tool.position(at)
}

// pointers writes the files with pointers to variables.
func (s *Source) pointers(set Variables) error {
	files := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		v := set[key]
		i := slices.IndexFunc(s.All, func(p *packages.Package) bool { return p.Types == v.Pkg() })
		if i < 0 || !s.tool.mayOverlay(s.All[i]) {
			return fmt.Errorf("the variable %s of another module cannot be set", key)
		}
		name := unused(s.All[i].Dir, "txmcvariables", ".go")
		if files[name] == "" {
			files[name] = "// Code generated by txmc find. DO NOT EDIT.\n\npackage " + s.All[i].Name + "\n"
		}
		files[name] += fmt.Sprintf("\n// %s points to %s.\nvar %[1]s = &%[2]s\n", Pointer(v), v.Name())
	}
	for name, text := range files {
		written, err := s.tool.write("variables-*.go", []byte(text))
		if err != nil {
			return err
		}
		s.tool.overlay[name] = written
	}
	return nil
}

// LoadSource loads the code of the packages that the patterns match. What cannot be built, or imported, is
// left out where another package can. The error is a [*ToolError] where the go command or the compiler fails.
func LoadSource(ctx context.Context, c Config) (*Source, error) {
	for _, p := range c.Patterns {
		if strings.HasSuffix(p, ".go") {
			return nil, fmt.Errorf("%s is a file: name its package, which is the directory %s", p, filepath.Dir(p))
		}
	}
	t, err := newTool(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := t.require(ctx, c.Requires); err != nil {
		return nil, err
	}
	s := &Source{Fset: token.NewFileSet(), tool: t}
	patterns := c.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	paths, err := s.listed(ctx, patterns)
	if err != nil {
		return nil, t.elsewhere(err, patterns, find)
	}
	// So that what is compiled for types is compiled for the programs too.
	if s.Warning, err = t.repeatable(ctx, c.Determinism); err != nil {
		return nil, err
	}
	// Without NeedDeps: what is imported is known from export data.
	mode := packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedModule |
		packages.NeedExportFile | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes
	config := t.config(ctx, mode, false)
	config.Fset, config.ParseFile = s.Fset, t.parsed
	t.log("go list -export %d packages", len(paths))
	if s.All, err = packages.Load(config, paths...); err != nil {
		return nil, driverError(err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.withoutBroken()
	s.placed(ctx)
	if len(s.Roots) == 0 {
		return nil, s.nothing()
	}
	return s, nil
}

// leave notes a package that is not looked at.
func (s *Source) leave(p *packages.Package, why string) {
	s.Left = append(s.Left, Left{p.PkgPath, why})
	s.Roots = slices.DeleteFunc(s.Roots, func(o *packages.Package) bool { return o.PkgPath == p.PkgPath })
}

// nothing is the error of packages of which none can be looked at.
func (s *Source) nothing() error {
	for _, l := range s.Left {
		if l.Why != isMain {
			return &ToolError{l.Why}
		}
	}
	return fmt.Errorf("%s is a package main, which cannot be imported: move its transactions to a package of their own", s.Left[0].Package)
}

// isMain is why a program is left out.
const isMain = "a package main cannot be imported"

// listed lists the packages that the patterns match, as roots, and the paths of these with what they
// import of their own modules.
func (s *Source) listed(ctx context.Context, patterns []string) (all []string, err error) {
	listed, err := packages.Load(s.tool.config(ctx, packages.NeedName|packages.NeedFiles|packages.NeedImports|packages.NeedDeps|packages.NeedModule, false), patterns...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, driverError(err)
	}
	if len(listed) == 0 {
		return nil, fmt.Errorf("%v matches no packages", patterns)
	}
	seen := map[string]bool{}
	s.Roots = slices.Clone(listed)
	main := s.program(listed)
	if main != nil {
		if err := s.renamed(main); err != nil {
			return nil, fmt.Errorf("the files of %s cannot be read: %w", main.PkgPath, err)
		}
	}
	for _, root := range listed {
		if root.Name == "main" && root != main {
			s.leave(root, isMain)
			continue
		}
		if err := firstError(root); err != nil {
			s.leave(root, err.Error())
			continue
		}
		packages.Visit([]*packages.Package{root}, func(p *packages.Package) bool { return p == root || own(root, p) }, func(p *packages.Package) {
			if (p == root || own(root, p)) && !seen[p.PkgPath] {
				seen[p.PkgPath] = true
				all = append(all, p.PkgPath)
			}
		})
	}
	if len(all) == 0 {
		return nil, s.nothing()
	}
	return all, nil
}

// withoutBroken leaves out the packages with mistakes, and those that import them. The roots become the
// packages with their code.
func (s *Source) withoutBroken() {
	broken := map[string]string{}
	for _, p := range s.All {
		if err := firstError(p); err != nil {
			broken[p.PkgPath] = err.Error()
		}
	}
	for again := true; again; {
		again = false
		for _, p := range s.All {
			for _, i := range p.Imports {
				if why, wrong := broken[i.PkgPath]; wrong && broken[p.PkgPath] == "" {
					broken[p.PkgPath], again = why, true
				}
			}
		}
	}
	roots := s.Roots
	s.Roots = nil
	for _, p := range s.All {
		if !slices.ContainsFunc(roots, func(r *packages.Package) bool { return r.PkgPath == p.PkgPath }) {
			continue
		}
		s.Roots = append(s.Roots, p)
		if why := broken[p.PkgPath]; why != "" {
			s.leave(p, why)
		}
	}
	s.All = slices.DeleteFunc(s.All, func(p *packages.Package) bool { return broken[p.PkgPath] != "" })
}

// place is where generated packages are.
type place struct{ path, dir string }

// placed finds where a package can be that imports the roots, or as many as possible. What is internal can be
// imported below the directory that has the directory internal, which may be outside of the module.
func (s *Source) placed(ctx context.Context) {
	type choice struct {
		place
		all int
	}
	var best choice
	for _, p := range s.Roots {
		if s.Program != "" && p.PkgPath != s.Program {
			continue
		}
		at := s.around(ctx, p)
		c := choice{at, 0}
		for _, other := range s.Roots {
			if mayImport(at.path, other.PkgPath) {
				c.all++
			}
		}
		if c.all > best.all || c.all == best.all && len(c.path) < len(best.path) {
			best = c
		}
	}
	s.at = best.place
	for _, p := range slices.Clone(s.Roots) {
		if !mayImport(s.at.path, p.PkgPath) {
			why := "what is internal cannot be imported together with the others: name its directory alone"
			if !s.tool.mayOverlay(p) {
				why = "it is an internal package of another module, which cannot be imported: copy that module and run txmc find there"
			}
			s.leave(p, why)
		}
	}
}

// around is where a package can be that imports p.
func (s *Source) around(ctx context.Context, p *packages.Package) place {
	if !s.tool.mayOverlay(p) {
		path, dir, err := s.tool.mainModule(ctx)
		if err == nil {
			return place{path, dir}
		}
	}
	at := place{p.PkgPath, p.Dir}
	around, internal := aroundInternal(p.PkgPath)
	if !internal || p.Module != nil && !below(around, p.Module.Path) {
		return at // the module's own path has the directory, and all of the module is below its parent
	}
	for at.path != around && at.path != "." {
		at = place{path.Dir(at.path), filepath.Dir(at.dir)}
	}
	return at
}

// mayImport reports whether a package below one path may import another package.
func mayImport(path, imported string) bool {
	around, internal := aroundInternal(imported)
	return !internal || below(path, around)
}

// Importable reports whether a generated package may import one.
func (s *Source) Importable(path string) bool { return mayImport(s.at.path, path) }
