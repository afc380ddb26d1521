package txmc_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// generated is code that tools have made.
const generated = "integration"

// Every exported name has a comment that says what it is: functions, methods of exported types,
// types, constants and variables. A comment on a group is one for all that is in it.
func TestExportedNamesAreDocumented(t *testing.T) {
	t.Parallel()
	names := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if d.IsDir() && (slices.Contains(noRooms, d.Name()) || d.Name() == generated || len(file) > 1 && file[0] == '.') {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			for name, documented := range exported(d) {
				if names++; !documented {
					t.Errorf("%s: %s has no comment", set.Position(d.Pos()), name)
				}
			}
		}
		return nil
	})
	if err != nil || names < 1000 {
		t.Errorf("looked at %d names: %v", names, err)
	}
}

// exported are the exported names that a declaration declares, and whether a comment is there.
func exported(d ast.Decl) map[string]bool {
	names := map[string]bool{}
	add := func(id *ast.Ident, documented bool) {
		if id.IsExported() {
			names[id.Name] = documented
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if of := strings.TrimSuffix(receiver(d), "."); of == "" || ast.IsExported(of) {
			add(d.Name, d.Doc != nil)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				add(s.Name, d.Doc != nil || s.Doc != nil || s.Comment != nil)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					add(id, d.Doc != nil || s.Doc != nil || s.Comment != nil)
				}
			}
		}
	}
	return names
}
