package find

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/schema"
)

// gormFlags are the fields of gorm.Config that change statements or errors.
var gormFlags = []string{"TranslateError", "SkipDefaultTransaction", "DisableForeignKeyConstraintWhenMigrating", "FullSaveAssociations", "AllowGlobalUpdate", "QueryFields"}

// gormConfig is what of the application's own gorm.Config matters: of the first in the source that says something.
func (f *finding) gormConfig() (c generate.GormConfig) {
	if f.libraryType(mappers[0]) == nil {
		return c
	}
	dir, err := filepath.Abs(f.Dir)
	if err != nil {
		return c
	}
	for _, file := range f.goFiles(schema.Root(dir)) {
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || c.TablePrefix != "" || c.SingularTable || len(c.Flags) > 0 {
				return true
			}
			if s, ok := lit.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Config" && isIdent(s.X, "gorm") {
				for name, value := range fieldsOf(lit) {
					if isIdent(value, "true") && slices.Contains(gormFlags, name) {
						c.Flags = append(c.Flags, name)
					}
					if inner, ok := value.(*ast.CompositeLit); ok && name == "NamingStrategy" {
						naming(&c, inner)
					}
				}
				slices.Sort(c.Flags)
			}
			return true
		})
	}
	return c
}

// naming notes how tables are named.
func naming(c *generate.GormConfig, lit *ast.CompositeLit) {
	for name, value := range fieldsOf(lit) {
		switch text, ok := value.(*ast.BasicLit); {
		case ok && name == "TablePrefix":
			c.TablePrefix, _ = strconv.Unquote(text.Value)
		case name == "SingularTable":
			c.SingularTable = isIdent(value, "true")
		case name == "NoLowerCase":
			c.NoLowerCase = isIdent(value, "true")
		}
	}
}

// fieldsOf are the fields of a struct that is written down.
func fieldsOf(lit *ast.CompositeLit) map[string]ast.Expr {
	all := map[string]ast.Expr{}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok {
				all[key.Name] = kv.Value
			}
		}
	}
	return all
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
