package generate

import (
	"fmt"
	"strings"
)

// GormConfig is what of an application's own gorm.Config changes statements and errors.
type GormConfig struct {
	TablePrefix                string
	SingularTable, NoLowerCase bool
	Flags                      []string // fields of gorm.Config that are true
}

// gormConfig is an expression for it.
func (f *File) gormConfig() string {
	gorm, c := f.name("gorm.io/gorm", "gorm"), f.Gorm
	var fields []string
	if c.TablePrefix != "" || c.SingularTable || c.NoLowerCase {
		fields = append(fields, fmt.Sprintf("NamingStrategy: %s.NamingStrategy{TablePrefix: %q, SingularTable: %t, NoLowerCase: %t}",
			f.name("gorm.io/gorm/schema", "gormschema"), c.TablePrefix, c.SingularTable, c.NoLowerCase))
	}
	for _, flag := range c.Flags {
		fields = append(fields, flag+": true")
	}
	return "&" + gorm + ".Config{" + strings.Join(fields, ", ") + "}"
}
