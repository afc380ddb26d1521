package storage

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// Statement is what is known of a statement beside its plan, and beside its references to tables.
type Statement struct {
	Verb
	Quiet    bool     // it is INSERT or REPLACE from a query, or UPDATE of one table that it does not read besides: at READ COMMITTED it does not lock what it only reads
	Buffers  bool     // it is INSERT or REPLACE from a query, which is run to its end before the first row is inserted
	Into     string   // INSERT and REPLACE: the table
	Rows     int      // INSERT and REPLACE with VALUES: how many rows it has
	Named    []string // the tables that it names, in lower case
	Existing []string // tables, in lower case, whose rows are locked where an insert finds their keys taken: ON DUPLICATE KEY UPDATE and REPLACE go on with them
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
	Sets     bool // it is SET or DO, whose subqueries are planned when they are evaluated
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

// Buffers reports whether the statement inserts the rows of a query when all are found. Under a
// model of the database alone.
func Buffers(ctx *sql.Context) bool {
	s, is := ctx.Session.(*Session)
	return is && s.statement.Buffers && s.run.model != nil
}

// into reports whether it inserts into this table itself.
func (s *Statement) into(d *Def) bool { return strings.EqualFold(s.Into, d.name) }

// existing reports whether rows of a table are locked whose keys an insert finds taken.
func (s *Statement) existing(d *Def) bool {
	return slices.Contains(s.Existing, strings.ToLower(d.name)) || slices.Contains(s.Existing, AllTables)
}

// AllTables stands for all tables in Statement.Existing.
const AllTables = "*"
