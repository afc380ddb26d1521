package storage

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/mysql/model"
)

// Statement is what is known of a statement beside its plan.
type Statement struct {
	Verb
	Single bool // it is SELECT from one table: a server reads the row of a whole primary key before it plans, and does not unlock it
	Joins  bool // UPDATE: of several tables
	Naming
}

// Verb is what a statement is.
type Verb struct {
	Scans    bool // it is a query or changes rows, and does not ask for the schema
	Changes  bool // it is INSERT, REPLACE, UPDATE or DELETE
	Updates  bool // it is UPDATE
	Replaces bool // it is REPLACE
	Deletes  bool // it is DELETE
	Ignores  bool // it is INSERT IGNORE
	Loose    bool // it is UPDATE IGNORE
}

// Naming is the tables and columns that a statement names.
type Naming struct {
	Into    string          // INSERT and REPLACE: the table
	Rows    int             // INSERT and REPLACE with VALUES: how many rows it has
	Sets    []string        // UPDATE: the columns that it sets, in lower case
	Columns []string        // that it names, in lower case
	Star    bool            // it names all columns of a table
	Order   []string        // columns of its ORDER BY, in lower case; "" for an expression
	Hints   map[string]Hint // by tables, in lower case
}

// Edits reports whether the statement that runs is UPDATE or DELETE.
func Edits(ctx *sql.Context) bool {
	s, is := ctx.Session.(*Session)
	return is && (s.statement.Updates || s.statement.Deletes)
}

// StrictlyWrites reports whether the statement that runs is UPDATE, INSERT or REPLACE, and not
// IGNORE.
func StrictlyWrites(ctx *sql.Context) bool {
	s, is := ctx.Session.(*Session)
	return is && !s.statement.Ignores && !s.statement.Loose && (s.statement.Updates || s.statement.Into != "")
}

// Hint is USE INDEX, FORCE INDEX, or IGNORE INDEX.
type Hint struct {
	Indexes []string // in lower case
	Ignore  bool
}

// admits reports whether a scan may use an index.
func (h Hint) admits(name string) bool {
	return slices.Contains(h.Indexes, strings.ToLower(name)) != h.Ignore
}

// sets reports whether an UPDATE sets a column of the index, or of the primary key:
// every index has the latter. Then rows are written when all are found (MySQL's
// is_key_used).
func (s *Statement) sets(d *Def, x *model.Index) bool {
	return slices.ContainsFunc(s.Sets, func(name string) bool {
		return slices.ContainsFunc(slices.Concat(x.Columns, d.model.Indexes[0].Columns), func(c int) bool {
			return strings.EqualFold(d.schema.Schema[c].Name, name)
		})
	})
}

// ordersNothing reports whether the columns of ORDER BY have one value each in a range of an
// index. Then a server does not order by them: so it does not go down the index.
func (s *Statement) ordersNothing(ctx *sql.Context, d *Def, columns []int, groups []Group) bool {
	if len(groups) != 1 || len(s.Order) == 0 {
		return false
	}
	first := groups[0].First()
	for _, name := range s.Order {
		place := slices.IndexFunc(columns, func(c int) bool { return strings.EqualFold(d.schema.Schema[c].Name, name) })
		if place < 0 || place >= len(first) || !OneValue(ctx, first[place]) && first[place].Type() != sql.RangeType_EqualNull {
			return false
		}
	}
	return true
}

// orders reports whether ORDER BY names one of these columns.
func (s *Statement) orders(d *Def, columns []int) bool {
	return slices.ContainsFunc(columns, func(c int) bool { return slices.Contains(s.Order, strings.ToLower(d.schema.Schema[c].Name)) })
}

// elsewhere reports whether an INSERT from a query writes to another table than this one:
// then it inserts each row as soon as it has read it.
func (s *Statement) elsewhere(d *Def) bool { return s.Into != "" && !strings.EqualFold(s.Into, d.name) }

// reads reports whether a scan with that lock only reads: it is of a query, or of a table that the
// statement does not change.
func (s *Statement) reads(l Lock) bool { return !s.Changes || l.Shared || s.Into != "" && !l.Fired }

// into reports whether it inserts into this table itself.
func (s *Statement) into(d *Def) bool { return strings.EqualFold(s.Into, d.name) }

// covered reports whether an index has all columns of the table that the statement needs.
func (s *Statement) covered(d *Def, x *model.Index) bool {
	if x.Prefix != nil {
		return false
	}
	for i, c := range d.schema.Schema {
		if (s.Star || slices.Contains(s.Columns, strings.ToLower(c.Name))) && !slices.Contains(x.Columns, i) && !slices.Contains(d.model.Indexes[0].Columns, i) {
			return false
		}
	}
	return true
}
