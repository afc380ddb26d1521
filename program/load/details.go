package load

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/txmc/txmc/program/vet"
	"golang.org/x/tools/go/packages"
)

// helperBytes bounds the source of the packages that are inspected only because another one
// imports them: inspecting takes tenths of a second at most.
const helperBytes = 1 << 20

// details asks the go command for the package with all that it imports, compiled.
func (p *Package) details(ctx context.Context) (*packages.Package, error) {
	root, err := p.detailsOnce(ctx)
	if err != nil && p.tool.repair(ctx, err) {
		return p.detailsOnce(ctx)
	}
	return root, err
}

func (p *Package) detailsOnce(ctx context.Context) (*packages.Package, error) {
	path := p.Path
	if p.external {
		path = strings.TrimSuffix(path, "_test")
	}
	mode := packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
		packages.NeedModule | packages.NeedExportFile | packages.NeedForTest | packages.NeedEmbedFiles | packages.NeedEmbedPatterns
	p.tool.log("go list -deps -export %s", path)
	list, err := packages.Load(p.tool.config(ctx, mode, p.inTests()), path)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, driverError(err)
	}
	i := slices.IndexFunc(list, func(q *packages.Package) bool {
		return q.PkgPath == p.Path && q.Name == p.Name && (q.ForTest != "") == p.inTests()
	})
	if i < 0 {
		return nil, fmt.Errorf("the go command does not list %s", p.Path)
	}
	return list[i], firstError(list[i])
}

// firstError is an error of the package or of what it imports.
func firstError(p *packages.Package) error {
	var first error
	packages.Visit([]*packages.Package{p}, nil, func(p *packages.Package) {
		if first == nil && len(p.Errors) > 0 {
			first = &ToolError{p.Errors[0].Msg}
		}
	})
	return first
}

// inTests reports whether functions of the package are in _test.go files.
func (p *Package) inTests() bool {
	return p.external || slices.ContainsFunc(p.built(), func(f Function) bool {
		file, _, _ := cutLast(f.At, ":")
		return strings.HasSuffix(file, "_test.go")
	})
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// helpers are the user's packages that root imports, also those of other modules at hand. A
// package comes after those that it imports.
func helpers(root *packages.Package) []*packages.Package {
	wanted := map[*packages.Package]bool{}
	left := int64(helperBytes)
	for level := []*packages.Package{root}; len(level) > 0; {
		var next []*packages.Package
		for _, p := range level {
			for _, q := range sortedImports(p) {
				if wanted[q] || !own(root, q) && !atHand(q) || left <= 0 {
					continue
				}
				left -= size(q)
				wanted[q] = true
				next = append(next, q)
			}
		}
		level = next
	}
	var list []*packages.Package
	packages.Visit([]*packages.Package{root}, func(p *packages.Package) bool { return p == root || wanted[p] }, func(p *packages.Package) {
		if wanted[p] {
			list = append(list, p)
		}
	})
	return list
}

func sortedImports(p *packages.Package) []*packages.Package {
	var list []*packages.Package
	for _, q := range p.Imports {
		list = append(list, q)
	}
	slices.SortFunc(list, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// own reports whether q is code of whoever wrote root.
func own(root, q *packages.Package) bool {
	return q.Module != nil && !vet.API(q.PkgPath) && (q.Module.Main || root.Module != nil && q.Module.Path == root.Module.Path)
}

func size(p *packages.Package) int64 {
	var n int64
	for _, name := range p.CompiledGoFiles {
		if info, err := os.Stat(name); err == nil {
			n += info.Size()
		}
	}
	return n
}
