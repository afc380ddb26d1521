package statements

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/txmc/txmc/explore/find/parsed"
	"github.com/txmc/txmc/mysql/storage"
)

// table is a table of the schema in the words of the question.
func (s *Schema) table(t storage.TableInfo) parsed.Table {
	out := parsed.Table{Name: t.Name, Unique: t.Unique}
	for i, c := range t.Columns {
		col := column(c)
		col.Sums = !t.Watched[i] && s.exact(c.Type)
		out.Columns = append(out.Columns, col)
	}
	for _, f := range t.Foreign {
		parent, ok := s.byName[strings.ToLower(f.ParentTable)]
		if !ok {
			continue
		}
		out.Foreign = append(out.Foreign, parsed.Reference{
			Columns: places(t.Columns, f.Columns), To: parent, Target: places(s.columns[parent], f.ParentColumns), Action: actions[f.OnDelete],
		})
	}
	for i := range out.Foreign {
		if out.Foreign[i].Action == "" {
			out.Foreign[i].Action = "a"
		}
	}
	return out
}

// exact reports whether sums of a type's values and whole numbers are exact, and may be below zero. The engine
// does not tell which decimals are UNSIGNED.
func (s *Schema) exact(t sql.Type) bool {
	switch {
	case types.IsBit(t) || types.IsYear(t):
		return false
	case types.IsDecimal(t):
		return !strings.Contains(strings.ToLower(s.text), "unsigned")
	}
	return types.IsInteger(t) && !types.IsUnsigned(t)
}

// actions are what is done to rows that refer to a deleted one.
var actions = map[sql.ForeignKeyReferentialAction]string{
	sql.ForeignKeyReferentialAction_Restrict: "r", sql.ForeignKeyReferentialAction_Cascade: "c",
	sql.ForeignKeyReferentialAction_SetNull: "n", sql.ForeignKeyReferentialAction_SetDefault: "d",
}

func places(columns sql.Schema, names []string) (list []int) {
	for _, name := range names {
		list = append(list, columns.IndexOfColName(strings.ToLower(name)))
	}
	return list
}

func column(c *sql.Column) parsed.Column {
	out := parsed.Column{Name: c.Name, Type: typeName(c.Type), NotNull: !c.Nullable, Default: c.Default != nil || c.Generated != nil, Counts: c.AutoIncrement}
	if e, ok := c.Type.(sql.EnumType); ok {
		out.Labels = e.Values()
	}
	return out
}

// typeName is PostgreSQL's name of the type that is most like it.
func typeName(t sql.Type) string {
	name, rest, _ := strings.Cut(strings.ToLower(t.String()), "(")
	name, _, _ = strings.Cut(name, " ")
	if like, ok := likes[name]; ok {
		return like
	}
	if strings.HasSuffix(name, "char") {
		length, _, _ := strings.Cut(rest, ")")
		return "character varying(" + length + ")"
	}
	return "text"
}

var likes = map[string]string{
	"tinyint": "smallint", "smallint": "smallint", "year": "smallint", "bit": "smallint", "mediumint": "integer", "int": "integer", "bigint": "bigint",
	"decimal": "numeric", "float": "real", "double": "double precision",
	"datetime": "timestamp without time zone", "timestamp": "timestamp without time zone", "date": "date", "time": "time without time zone", "json": "json",
}
