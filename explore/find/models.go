package find

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/schema"
)

// Where code makes its schema: calls such as gorm's AutoMigrate name the types of which tables are made, also in programs,
// which cannot be imported; and functions such as Migrate(db) make it themselves.

// mapper is a library that makes tables of types.
type mapper struct {
	path, name string // of the way to the database
	tag        string // of fields
}

// mappers are these libraries.
var mappers = []mapper{
	{"gorm.io/gorm", "DB", "gorm"}, {"github.com/jinzhu/gorm", "DB", "gorm"}, {"github.com/uptrace/bun", "DB", "bun"},
	{"xorm.io/xorm", "Engine", "xorm"}, {"github.com/go-xorm/xorm", "Engine", "xorm"},
}

// migrates matches the names of functions that make a schema.
var migrates = regexp.MustCompile(`(?i)^(?:auto|run|do|apply|db)?_?migrat(?:e|ions?|eall|eup|edb|edatabase|etables|eschema|emodels)?$|^(?:init|setup|ensure|create|apply|sync)_?(?:db|database)?(?:schemas?|tables?)$`)

// mostFiles bounds the files of Go that are looked through.
const mostFiles = 5000

// pq reports whether files of the module import lib/pq, and none the driver of pgx for database/sql.
func (f *finding) pq(root string) (yes bool) {
	for _, file := range f.goFiles(root) {
		for _, i := range file.syntax.Imports {
			switch path := strings.Trim(i.Path.Value, "\""); {
			case path == "github.com/lib/pq":
				yes = true
			case strings.HasPrefix(path, "github.com/jackc/pgx/") && strings.HasSuffix(path, "/stdlib"):
				return false
			}
		}
	}
	return yes
}

// migration is how the code makes its schema; false when none is known.
func (f *finding) migration(root string) (m generate.Migration, ok bool) {
	for _, p := range f.source.Roots {
		for _, name := range p.Types.Scope().Names() {
			if fn, ok := p.Types.Scope().Lookup(name).(*types.Func); ok && fn.Exported() && migrates.MatchString(name) && f.migrator(fn) {
				m.Functions = append(m.Functions, fn)
			}
		}
	}
	m.Constructors = f.program.Migrators
	for _, lib := range mappers {
		if t := f.libraryType(lib); t != nil {
			if m.Models = f.models(root, lib); len(m.Models) > 0 {
				m.Library = types.NewPointer(t)
				return m, true
			}
		}
	}
	for _, p := range f.source.All {
		if c, ok := p.Types.Scope().Lookup("Client").(*types.TypeName); ok && generate.ByEnt(p.Types) && f.source.Importable(p.PkgPath) {
			m.Library = types.NewPointer(c.Type())
			return m, true
		}
	}
	return m, len(m.Functions)+len(m.Constructors) > 0
}

// migrator reports whether a function takes ways to the database, and contexts, alone, and returns an error at most.
func (f *finding) migrator(fn *types.Func) bool {
	sig, ways := fn.Type().(*types.Signature), 0
	for v := range sig.Params().Variables() {
		switch {
		case generate.Leads(v.Type(), nil):
			ways++
		case types.TypeString(v.Type(), nil) != "context.Context":
			return false
		}
	}
	n := sig.Results().Len()
	return ways > 0 && sig.TypeParams().Len() == 0 && (n == 0 || n == 1 && types.TypeString(sig.Results().At(0).Type(), nil) == "error")
}

// libraryType is the way to the database of a library that the packages import, nil of others.
func (f *finding) libraryType(lib mapper) types.Type {
	for _, p := range f.source.All {
		if i := p.Imports[lib.path]; i != nil && i.Types != nil {
			if t, ok := i.Types.Scope().Lookup(lib.name).(*types.TypeName); ok {
				return t.Type()
			}
		}
	}
	return nil
}

// models are the types of which the code makes tables; if it tells none, those whose fields have the library's tags.
func (f *finding) models(root string, lib mapper) (list []*types.TypeName) {
	add := func(t *types.TypeName) {
		if t != nil && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	lists := false
	var listed []*types.TypeName
	for _, file := range f.goFiles(root) {
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				s, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || !slices.Contains([]string{"AutoMigrate", "Sync2", "Sync", "CreateTable"}, s.Sel.Name) {
					return true
				}
				for _, a := range n.Args {
					t := f.modelOf(file, a)
					add(t)
					lists = lists || t == nil
				}
			case *ast.CompositeLit:
				for _, e := range n.Elts {
					if a, ok := n.Type.(*ast.ArrayType); ok && anything(a.Elt) {
						if t := f.modelOf(file, e); t != nil {
							listed = append(listed, t)
						}
					}
				}
			}
			return true
		})
	}
	if lists {
		for _, t := range listed {
			add(t)
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, p := range f.source.All {
		for _, name := range p.Types.Scope().Names() {
			if t, ok := p.Types.Scope().Lookup(name).(*types.TypeName); ok && tagged(t.Type(), lib.tag) {
				add(f.usable(t))
			}
		}
	}
	return list
}

// anything reports whether an element of a list may be of any type.
func anything(e ast.Expr) bool {
	if i, ok := e.(*ast.InterfaceType); ok {
		return i.Methods == nil || len(i.Methods.List) == 0
	}
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "any"
}

// tagged reports whether a struct has a field with a library's tag.
func tagged(t types.Type, tag string) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range s.NumFields() {
		if _, has := reflect.StructTag(s.Tag(i)).Lookup(tag); has {
			return true
		}
	}
	return false
}

// usable is a type that a generated program can name, nil of others.
func (f *finding) usable(t *types.TypeName) *types.TypeName {
	n, ok := t.Type().(*types.Named)
	if !ok || !t.Exported() || n.TypeParams().Len() > 0 || !f.source.Importable(t.Pkg().Path()) {
		return nil
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return nil
	}
	return t
}

// goFile is a file, and the packages that its names stand for.
type goFile struct {
	syntax *ast.File
	own    *packages.Package // nil: it is not looked at
}

// goFiles are the files of the module but for tests.
func (f *finding) goFiles(root string) (list []goFile) {
	dirs := map[string]*packages.Package{}
	for _, p := range f.source.All {
		dirs[p.Dir] = p
	}
	fset, seen := token.NewFileSet(), 0
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "vendor" || name == "testdata" || name == "node_modules" || schema.Root(path) != schema.Root(root)) {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			if seen++; seen > mostFiles {
				return fs.SkipAll
			}
			if file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution); err == nil {
				list = append(list, goFile{file, dirs[filepath.Dir(path)]})
			}
		}
		return nil
	})
	return list
}

// modelOf is the type that an expression names, such as &model.User{}, new(User) and (*User)(nil); nil of others.
func (f *finding) modelOf(file goFile, e ast.Expr) *types.TypeName {
	switch x := e.(type) {
	case *ast.UnaryExpr:
		return f.modelOf(file, x.X)
	case *ast.CompositeLit:
		return f.typeNamed(file, x.Type)
	case *ast.CallExpr:
		if id, ok := x.Fun.(*ast.Ident); ok && id.Name == "new" && len(x.Args) == 1 {
			return f.typeNamed(file, x.Args[0])
		}
		if p, ok := x.Fun.(*ast.ParenExpr); ok {
			if s, ok := p.X.(*ast.StarExpr); ok {
				return f.typeNamed(file, s.X)
			}
		}
	}
	return nil
}

// typeNamed is the type of a name in a file.
func (f *finding) typeNamed(file goFile, e ast.Expr) *types.TypeName {
	pkg, name := file.own, ""
	switch x := e.(type) {
	case *ast.Ident:
		name = x.Name
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		if !ok {
			return nil
		}
		pkg, name = f.imported(file, id.Name), x.Sel.Name
	}
	if pkg == nil {
		return nil
	}
	if t, ok := pkg.Types.Scope().Lookup(name).(*types.TypeName); ok {
		return f.usable(t)
	}
	return nil
}

// imported is the package that a file imports by a name.
func (f *finding) imported(file goFile, name string) *packages.Package {
	for _, spec := range file.syntax.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		for _, p := range f.source.All {
			if p.PkgPath == path && (spec.Name == nil && p.Name == name || spec.Name != nil && spec.Name.Name == name) {
				return p
			}
		}
	}
	return nil
}
