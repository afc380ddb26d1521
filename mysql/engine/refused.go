package engine

import (
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Statements that would do something which is not explored: each is an error that says what
// to do. The schema and the seed may have those that dumps have.

// refusal is the error of a statement that is not explored; nil for others.
func (c *Conn) refusal(parsed sqlparser.Statement) error {
	says := notInSchema(parsed)
	if says == "" && c.frozen {
		says = notInSession(parsed)
	}
	if says == "" {
		return nil
	}
	return mysql.NewSQLError(1235, "42000", "txmc: %s", says)
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
	case *sqlparser.Call:
		says = "CALL is not explored: send the procedure's statements from Go"
	case *sqlparser.Set:
		if setsGlobals(p) {
			says = "SET GLOBAL is not explored: set the variable for the session, by SET SESSION or in the DSN"
		}
	case *sqlparser.DDL:
		if p.Temporary {
			says = "temporary tables are not explored: make a table with a column for the session in mysql.Schema, or use a derived table or WITH"
		}
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

// notInSchema says why a statement is not explored, in the schema neither; "" for others.
func notInSchema(parsed sqlparser.Statement) string {
	p, ok := parsed.(*sqlparser.DDL)
	switch {
	case !ok || p.Action != sqlparser.CreateStr:
	case p.ProcedureSpec != nil:
		return "stored procedures are not explored: leave the procedure out, and send its statements from Go"
	case p.EventSpec != nil:
		return "events are not explored: leave the event out, and make a session that does its work"
	}
	return ""
}
