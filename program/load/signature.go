package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The packages under whose names users know the type Program.
const (
	rootPath    = "github.com/txmc/txmc"
	programPath = "github.com/txmc/txmc/program"
)

// verdict says whether a function is an Explore function.
type verdict uint8

const (
	no verdict = iota
	yes
	// ask: only the type checker can tell, as aliases may be involved.
	ask
	// method: it is one, and nothing tells of which value.
	method
)

// candidate is a function with the name of an Explore function.
type candidate struct {
	name, at, signature string
	verdict             verdict
}

// scanned is what some files of a package contain.
type scanned struct {
	candidates []candidate
	testMain   string // where TestMain is declared, "" when it is not
	imports    bool   // they import txmc
}

// scan parses files. What cannot be parsed is left to the compiler to complain
// about.
func (t *tool) scan(files []string) *scanned {
	s := &scanned{}
	fset := token.NewFileSet()
	for _, name := range files {
		file, _ := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if file == nil {
			continue
		}
		names := importNames(file)
		for _, p := range names {
			s.imports = s.imports || p == rootPath || p == programPath
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			at := t.position(fset.Position(fn.Pos()))
			if fn.Recv != nil {
				if isExplore(fn.Name.Name) && judge(fn, names) == yes {
					s.candidates = append(s.candidates, candidate{fn.Name.Name, at, signature(fset, fn), method})
				}
				continue
			}
			if fn.Name.Name == "TestMain" {
				s.testMain = at
			}
			if isExplore(fn.Name.Name) {
				s.candidates = append(s.candidates, candidate{fn.Name.Name, at, signature(fset, fn), judge(fn, names)})
			}
		}
	}
	return s
}

// position is file:line as seen from the user's directory.
func (t *tool) position(p token.Position) string {
	file := p.Filename
	if rel, err := filepath.Rel(t.dir, file); err == nil && len(rel) < len(file) {
		file = rel
	}
	return fmt.Sprintf("%s:%d", file, p.Line)
}

// isExplore follows the rule of go test: ExploreTransfer and Explore, not
// Explored.
func isExplore(name string) bool {
	rest, ok := strings.CutPrefix(name, "Explore")
	if !ok {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLower(r)
}

// judge looks at the signature as it is written.
func judge(fn *ast.FuncDecl, names map[string]string) verdict {
	params := fn.Type.Params.List
	if fn.Type.TypeParams != nil || fn.Type.Results.NumFields() > 0 || len(params) != 1 || len(params[0].Names) > 1 {
		return no
	}
	typ := params[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		if sel, ok := star.X.(*ast.SelectorExpr); ok {
			pkg, ok := sel.X.(*ast.Ident)
			if ok && sel.Sel.Name == "Program" && (names[pkg.Name] == rootPath || names[pkg.Name] == programPath) {
				return yes
			}
		}
		typ = star.X
	}
	switch typ.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return ask
	}
	return no
}

// importNames maps the names under which a file imports packages to their paths.
func importNames(file *ast.File) map[string]string {
	names := map[string]string{}
	for i, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." || name == "_" {
			name = fmt.Sprint(name, i)
		}
		names[name] = p
	}
	return names
}

// signature prints the function's head.
func signature(fset *token.FileSet, fn *ast.FuncDecl) string {
	var b strings.Builder
	if err := printer.Fprint(&b, fset, &ast.FuncDecl{Name: fn.Name, Type: fn.Type}); err != nil {
		return "func " + fn.Name.Name
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
