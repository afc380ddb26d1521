package engine

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Statements that would do something which is not explored: each is an error that says what
// to do. The schema and the seed may have those that dumps have.

// refusal is the error of a statement that is not explored; nil for others.
func (c *Conn) refusal(text string, parsed sqlparser.Statement) error {
	says := notInSchema(parsed)
	if says == "" && c.frozen {
		if says = notInSession(parsed); says == "" {
			says = unread(text)
		}
	}
	if says == "" {
		return nil
	}
	return mysql.NewSQLError(1235, "42000", refusedHere+"%s", says)
}

// dropped are parts of statements that the parser reads and drops, and statements that it
// does not know, with what to do.
var dropped = []struct {
	text *regexp.Regexp
	says string
}{
	{regexp.MustCompile(`(?is)^\s*(?:COMMIT|ROLLBACK)(?:\s+WORK)?(?:\s+AND\s+(?:NO\s+)?CHAIN)?\s+RELEASE\b`),
		"RELEASE is not explored: send COMMIT or ROLLBACK, and close the connection"},
	{regexp.MustCompile(`(?is)^\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:DEFINER\s*=\s*\S+\s+)?(?:AGGREGATE\s+)?FUNCTION\b`),
		"stored functions are not explored: leave the function out, and write its expression into the statements"},
}

// unread says why a statement is not explored of which the parser does not read all; "" for
// others.
func unread(text string) string {
	for _, d := range dropped {
		if d.text.MatchString(text) {
			return d.says
		}
	}
	return ""
}

// notInSession says why a statement is not explored in a session; "" for others.
func notInSession(parsed sqlparser.Statement) (says string) {
	switch p := parsed.(type) {
	case *sqlparser.Explain:
		says = "EXPLAIN has no answer here, as the plan is not a server's: ask the server, and fix its choice by FORCE INDEX"
	case *sqlparser.LockTables:
		says = "LOCK TABLES is not explored: lock the rows by SELECT … FOR UPDATE, or one row that stands for the table"
	case *sqlparser.Flush:
		says = "FLUSH is not explored: leave it out; in place of WITH READ LOCK lock rows by SELECT … FOR SHARE"
	case *sqlparser.Kill:
		says = "KILL is not explored: roll back, or close the connection, in the session itself"
	case *sqlparser.Prepare, *sqlparser.Execute, *sqlparser.Deallocate:
		says = "PREPARE and EXECUTE are not explored: send the statement itself, with its arguments, which the driver prepares"
	case *sqlparser.Call:
		says = "CALL is not explored: send the procedure's statements from Go"
	case *sqlparser.Set:
		if setsGlobals(p) {
			says = "SET GLOBAL is not explored: set the variable for the session, by SET SESSION or in the DSN"
		} else {
			says = unknownSetting(p)
		}
	}
	if says == "" {
		says = notInQuery(parsed)
	}
	return says
}

// setsGlobals reports whether a SET is for all sessions.
func setsGlobals(s *sqlparser.Set) bool {
	for _, e := range s.Exprs {
		switch e.Scope {
		case sqlparser.SetScope_Global, sqlparser.SetScope_Persist, sqlparser.SetScope_PersistOnly:
			return true
		}
		if strings.HasPrefix(e.Name.Name.Lowered(), "@@global.") {
			return true
		}
	}
	return false
}

// notInQuery says why a part of a statement is not explored; "" for others.
func notInQuery(parsed sqlparser.Statement) (says string) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		if _, ok := n.(*sqlparser.MatchExpr); ok {
			says = "full-text search is not explored: find the rows by LIKE, or by a table of their words"
		}
		return says == "", nil
	}, parsed)
	return says
}

// withoutFullText takes indexes for full-text search out of a definition, which are used by
// nothing that is explored. It reports whether nothing is left of it.
func withoutFullText(parsed sqlparser.Statement) bool {
	isFullText := func(d *sqlparser.DDL) bool {
		return d.IndexSpec != nil && d.IndexSpec.Action == sqlparser.CreateStr && strings.EqualFold(d.IndexSpec.Type, sqlparser.FulltextStr)
	}
	switch p := parsed.(type) {
	case *sqlparser.DDL:
		if p.TableSpec != nil {
			p.TableSpec.Indexes = slices.DeleteFunc(p.TableSpec.Indexes, func(x *sqlparser.IndexDefinition) bool { return x.Info.Fulltext })
		}
		return isFullText(p)
	case *sqlparser.AlterTable:
		all := len(p.Statements)
		p.Statements = slices.DeleteFunc(p.Statements, isFullText)
		return all > 0 && len(p.Statements) == 0
	}
	return false
}

// notInSchema says why a statement is not explored, in the schema neither; "" for others.
func notInSchema(parsed sqlparser.Statement) string {
	if s, ok := parsed.(sqlparser.SelectStatement); ok {
		if into := s.GetInto(); into != nil && (into.Outfile != "" || into.Dumpfile != "") {
			return "INTO OUTFILE and INTO DUMPFILE are not explored: read the rows, and write the file in Go"
		}
	}
	if _, ok := parsed.(*sqlparser.Load); ok {
		return "LOAD DATA is not explored: send INSERT"
	}
	p, ok := parsed.(*sqlparser.DDL)
	switch {
	case ok && p.Temporary:
		return "temporary tables are not explored: make a table with a column for the session in mysql.Schema, or use a derived table or WITH"
	case !ok || p.Action != sqlparser.CreateStr:
	case p.TriggerSpec != nil && insertsSubquery(p.TriggerSpec.Body):
		return "a subquery among the values of a trigger's INSERT is not explored: write INSERT … SELECT … FROM its table, or SET a variable before"
	case p.ProcedureSpec != nil:
		return "stored procedures are not explored: leave the procedure out, and send its statements from Go"
	case p.EventSpec != nil:
		return "events are not explored: leave the event out, and make a session that does its work"
	}
	return ""
}
