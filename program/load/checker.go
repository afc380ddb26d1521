package load

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"runtime"

	"github.com/txmc/txmc/program/vet"
	"golang.org/x/tools/go/packages"
)

// checker type-checks and inspects packages one by one: what they import it knows
// from the compiler's export data.
type checker struct {
	tool    *tool
	fset    *token.FileSet
	exports map[string]string // files of export data, by package path
	gc      types.Importer
	facts   map[string]*vet.Facts
}

func newChecker(t *tool) *checker {
	c := &checker{tool: t, fset: token.NewFileSet(), facts: map[string]*vet.Facts{}}
	c.forget()
	return c
}

// forget drops the imported types.
func (c *checker) forget() {
	c.exports = map[string]string{}
	c.gc = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(c.exports[path]) })
}

// inspect type-checks a package and inspects the functions of these names, or
// all.
func (c *checker) inspect(p *packages.Package, only []string) (*vet.Result, error) {
	var files []*ast.File
	for _, name := range p.CompiledGoFiles {
		file, err := c.parse(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
	config := types.Config{Importer: importing{c, p}, Sizes: types.SizesFor("gc", cmp.Or(os.Getenv("GOARCH"), runtime.GOARCH))}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	pkg, err := config.Check(p.PkgPath, c.fset, files, info)
	if err != nil {
		return nil, err
	}
	return vet.Inspect(vet.Input{
		Fset: c.fset, Files: files, Pkg: pkg, Info: info, Only: only,
		Imported: func(path string) *vet.Facts { return c.facts[path] }, Repeats: c.tool.repeats, Line: c.tool.position,
	})
}

// parse parses a file, or what the user's overlay has instead.
func (c *checker) parse(name string) (*ast.File, error) {
	read := name
	if over, ok := c.tool.overlay[name]; ok && over != "" {
		read = over
	}
	data, err := os.ReadFile(read)
	if err != nil {
		return nil, err
	}
	return parser.ParseFile(c.fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
}

// importing imports for one package.
type importing struct {
	*checker
	pkg *packages.Package
}

// Import implements [types.Importer].
func (i importing) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := i.pkg.Imports[path] // which may be elsewhere, as in a vendor directory
	if p == nil || p.ExportFile == "" {
		return nil, fmt.Errorf("there is no export data of %s", path)
	}
	i.exports[p.PkgPath] = p.ExportFile
	return i.gc.Import(p.PkgPath)
}
