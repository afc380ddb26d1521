package engine

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Transaction control does not go through the engine, in which START TRANSACTION
// commits a transaction that it has begun for the statement itself.

// control runs a statement that begins or ends a transaction or a savepoint. It reports
// false when the statement is another one.
func (c *Conn) control(s *sql.Context, parsed sqlparser.Statement) (bool, error) {
	switch p := parsed.(type) {
	case *sqlparser.Begin:
		return true, c.start(s, p)
	case *sqlparser.Commit:
		return true, c.chained(s, true)
	case *sqlparser.Rollback:
		return true, c.chained(s, false)
	case *sqlparser.Set:
		return c.set(s.Query(), p)
	case *sqlparser.Savepoint:
		if err := c.open(s); err != nil {
			return true, err
		}
		return true, c.session.CreateSavepoint(s, c.session.GetTransaction(), p.Identifier)
	case *sqlparser.RollbackSavepoint:
		return true, c.session.RollbackToSavepoint(s, c.session.GetTransaction(), p.Identifier)
	case *sqlparser.ReleaseSavepoint:
		return true, c.session.ReleaseSavepoint(s, c.session.GetTransaction(), p.Identifier)
	}
	return false, nil
}

// start is START TRANSACTION. It commits one that is open (MySQL 8.0 Reference Manual,
// 15.3.3).
func (c *Conn) start(s *sql.Context, b *sqlparser.Begin) error {
	if err := c.finish(s, true); err != nil {
		return err
	}
	switch b.TransactionCharacteristic {
	case sqlparser.TxReadOnly:
		c.access(true)
	case sqlparser.TxReadWrite:
		c.access(false)
	}
	if err := c.begin(s); err != nil {
		return err
	}
	if c.model == nil || !consistent.MatchString(s.Query()) {
		return nil
	}
	level, err := c.levelNow()
	if err != nil {
		return err
	}
	c.model.Statement(level, true)
	return c.model.View()
}

// consistent finds WITH CONSISTENT SNAPSHOT, which makes the transaction's view at once. The
// parser drops it.
var consistent = regexp.MustCompile(`(?is)^\s*START\s+TRANSACTION\s.*\bCONSISTENT\s+SNAPSHOT\b`)

// begin begins a transaction that goes on after its statements.
func (c *Conn) begin(s *sql.Context) error {
	t, err := c.session.StartTransaction(s, sql.ReadWrite) // or what the session has instead
	if err == nil {
		c.session.SetTransaction(t)
		c.session.SetIgnoreAutoCommit(true)
	}
	return err
}

// chain finds AND CHAIN behind COMMIT or ROLLBACK, and end what else may stand there. The parser
// knows neither.
var (
	chain = regexp.MustCompile(`(?is)^\s*(?:COMMIT|ROLLBACK)(?:\s+WORK)?\s+AND\s+CHAIN\b`)
	end   = regexp.MustCompile(`(?is)^(\s*(?:COMMIT|ROLLBACK))(?:\s+WORK)?(?:\s+AND\s+(?:NO\s+)?CHAIN)?(?:\s+NO\s+RELEASE)?\s*;?\s*$`)
)

// chained ends the transaction. With AND CHAIN another one begins, of the same level and access
// mode (MySQL 8.0 Reference Manual, 15.3.1).
func (c *Conn) chained(s *sql.Context, commit bool) error {
	chains, open := chain.MatchString(s.Query()), c.InTransaction()
	level, readOnly := c.next, c.session.ReadOnly()
	if c.model != nil {
		level = isolations[c.model.Level()]
	}
	if err := c.finish(s, commit); err != nil || !chains {
		return err
	}
	if open {
		c.access(readOnly)
		c.next = level
	}
	return c.begin(s)
}

// open begins a transaction where autocommit is off and none is open.
func (c *Conn) open(s *sql.Context) error {
	if c.session.GetTransaction() != nil || c.Autocommit() {
		return nil
	}
	t, err := c.session.StartTransaction(s, sql.ReadWrite)
	if err == nil {
		c.session.SetTransaction(t)
	}
	return err
}

// finish ends the transaction that is open, if there is one.
func (c *Conn) finish(s *sql.Context, commit bool) error {
	t := c.session.GetTransaction()
	c.session.SetTransaction(nil)
	c.session.SetIgnoreAutoCommit(false)
	switch {
	case t == nil:
		return nil
	case commit:
		return c.session.CommitTransaction(s, t)
	}
	return c.session.Rollback(s, t)
}

// changesSchema reports whether a statement changes definitions. TRUNCATE, which the
// parser takes for one of them, does not.
func changesSchema(parsed sqlparser.Statement) bool {
	switch p := parsed.(type) {
	case *sqlparser.DDL:
		return p.Action != sqlparser.TruncateStr
	case *sqlparser.AlterTable, *sqlparser.DBDDL:
		return true
	}
	return false
}

// schemaChanges ends the transaction, as such statements do (15.3.3), or refuses them.
func (c *Conn) schemaChanges(s *sql.Context) error {
	if c.frozen {
		return mysql.NewSQLError(1235, "42000", "txmc: a session cannot change the schema: declare it by mysql.Schema, or give it to the server that it connects to")
	}
	return c.finish(s, true)
}

// database is CREATE, ALTER or DROP DATABASE in the schema: there is one database, which that name is
// given.
func (c *Conn) database(d *sqlparser.DBDDL) error {
	if !c.engine.db.Called(d.DBName) {
		return mysql.NewSQLError(1235, "42000", refusedHere+"a program has one database: the schema has %s beside another one; give the other one's tables names of their own in it", d.DBName)
	}
	tables, err := c.engine.db.GetTableNames(c.plain())
	if d.Action == sqlparser.DropStr && len(tables) > 0 {
		return mysql.NewSQLError(1235, "42000", refusedHere+"DROP DATABASE is not explored: leave it out, or drop the tables")
	}
	return err
}

// nothing reports whether a session's statement changes nothing: CREATE DATABASE IF NOT EXISTS of the database that is
// there, and DROP DATABASE IF EXISTS of one that is not.
func (c *Conn) nothing(d *sqlparser.DBDDL) bool {
	there := c.engine.db.Is(d.DBName) || slices.Contains(systems, strings.ToLower(d.DBName))
	return d.Action == sqlparser.CreateStr && d.IfNotExists && there || d.Action == sqlparser.DropStr && d.IfExists && !there
}

// systems are databases that each server has.
var systems = []string{"information_schema", "mysql", "performance_schema", "sys"}

// speaksOf gives the database the name by which a statement of the schema calls it, where no CREATE DATABASE has given one:
// a dump may be for a database that is made elsewhere.
func (c *Conn) speaksOf(text string) {
	if c.frozen || c.engine.db.Other() != "" {
		return
	}
	parsed, _, err := c.engine.sql.Parser.ParseOneWithOptions(context.Background(), text, c.Options())
	if err != nil {
		return // the statement fails when it runs
	}
	called := func(name string) {
		if name != "" && !slices.Contains(systems, strings.ToLower(name)) {
			c.engine.db.Called(name)
		}
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) { // whose function never fails
		switch node := node.(type) {
		case *sqlparser.Use:
			called(node.DBName.String())
		case sqlparser.TableName:
			called(node.DbQualifier.String())
		}
		return true, nil
	}, parsed)
}

// unqualified is a statement without the name that the schema has given the database, before names
// of tables: the engine takes a table of another name of the database for another one. Where the
// name is also that of a table or an alias, the statement stays.
func (c *Conn) unqualified(text string) string {
	c.speaksOf(text)
	name := c.engine.db.Other()
	if name == "" || !strings.Contains(strings.ToLower(text), name) {
		return text
	}
	r := &respeller{text: text, tokens: tokensOf(text)}
	for i, t := range r.tokens {
		raw := strings.ToLower(strings.Trim(text[t.from:t.to], "`"))
		switch {
		case t.word != name || t.kind == sqlparser.STRING || r.kind(i-1) == '.':
		case r.kind(i+1) != '.':
			return text
		case raw == name:
			r.edits = append(r.edits, edit{t.from, r.tokens[i+1].to, ""})
		default: // quoted: from is that of the name alone
			r.edits = append(r.edits, edit{t.to - len(name) - 2, r.tokens[i+1].to, ""})
		}
	}
	return r.edited()
}
