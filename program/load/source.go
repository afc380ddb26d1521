package load

import (
	"context"
	"errors"
	"fmt"
	"go/token"
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
	Warning    string // about Config.Determinism; "" without one

	tool *tool
}

// Generated is a package that has one file, which is not written to the user's tree, with
// Explore functions of these names. It is below the first of the roots, or, where that is
// another module's, in the module around the user's directory.
func (s *Source) Generated(ctx context.Context, name string, file []byte, functions []string) (*Package, error) {
	root := s.Roots[0]
	if root.Name == "main" {
		return nil, fmt.Errorf("%s is a package main, which cannot be imported: move its transactions to a package of their own", root.PkgPath)
	}
	path, dir := root.PkgPath, root.Dir
	if !s.tool.mayOverlay(root) {
		if internal(root.PkgPath) {
			return nil, fmt.Errorf("%s is an internal package of another module, which cannot be imported: copy that module, and run txmc find there", root.PkgPath)
		}
		var err error
		if path, dir, err = s.tool.mainModule(ctx); err != nil {
			return nil, err
		}
	}
	dir = unused(dir, name, "")
	p := &Package{Path: path + "/" + filepath.Base(dir), Name: name, Dir: filepath.Dir(dir), tool: s.tool, beside: root.PkgPath}
	for _, f := range functions {
		p.Functions = append(p.Functions, Function{Name: f})
	}
	written, err := s.tool.write("find-*.go", file)
	if err != nil {
		return nil, err
	}
	s.tool.overlay[filepath.Join(dir, "find.go")] = written
	below := unused(dir, "txmcharness", "")
	p.file, p.virtual = filepath.Join(below, "main.go"), p.Path+"/"+filepath.Base(below)
	return p, nil
}

// Requires is an error where the module does not require txmc: a file of [Source.Generated] imports
// it. The build reports all other mistakes.
func (s *Source) Requires(ctx context.Context) error {
	_, err := s.tool.run(ctx, append(append([]string{"list"}, s.tool.flags...), "-m", rootPath)...)
	if said := (*ToolError)(nil); !errors.As(err, &said) || !strings.Contains(said.Output, "not a known dependency") {
		return nil
	}
	return &ToolError{fmt.Sprintf("the programs that are run import %s, which the module does not require; this adds it, and go mod tidy leaves it there:\n    go get %[1]s && go get -tool %[1]s/cmd/txmc", rootPath)}
}

// internal reports whether only packages near one may import it.
func internal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

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

// LoadSource loads the code of the packages that the patterns match. The error is a
// [*ToolError] where the go command or the compiler fails.
func LoadSource(ctx context.Context, c Config) (*Source, error) {
	t, err := newTool(ctx, c)
	if err != nil {
		return nil, err
	}
	s := &Source{Fset: token.NewFileSet(), tool: t}
	patterns := c.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	roots, paths, err := t.module(ctx, patterns)
	if err != nil {
		return nil, t.elsewhere(err, patterns)
	}
	// Without NeedDeps: what is imported is known from export data.
	mode := packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedModule |
		packages.NeedExportFile | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes
	config := t.config(ctx, mode, false)
	config.Fset = s.Fset
	t.log("go list -export %d packages", len(paths))
	if s.All, err = packages.Load(config, paths...); err != nil {
		return nil, driverError(err)
	}
	for _, p := range s.All {
		if err := firstError(p); err != nil {
			return nil, err
		}
		if slices.Contains(roots, p.PkgPath) {
			s.Roots = append(s.Roots, p)
		}
	}
	// Only what is built is to repeat itself: go/packages does not find overlaid files of
	// the standard library.
	s.Warning, err = t.repeatable(ctx, c.Determinism)
	return s, err
}

// module lists the packages that the patterns match, and these with what they import of
// their own modules.
func (t *tool) module(ctx context.Context, patterns []string) (roots, all []string, err error) {
	listed, err := packages.Load(t.config(ctx, packages.NeedName|packages.NeedImports|packages.NeedDeps|packages.NeedModule, false), patterns...)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, driverError(err)
	}
	if len(listed) == 0 {
		return nil, nil, fmt.Errorf("%v matches no packages", patterns)
	}
	seen := map[string]bool{}
	for _, root := range listed {
		if err := firstError(root); err != nil {
			return nil, nil, err
		}
		roots = append(roots, root.PkgPath)
		packages.Visit([]*packages.Package{root}, func(p *packages.Package) bool { return p == root || own(root, p) }, func(p *packages.Package) {
			if (p == root || own(root, p)) && !seen[p.PkgPath] {
				seen[p.PkgPath] = true
				all = append(all, p.PkgPath)
			}
		})
	}
	return roots, all, nil
}
