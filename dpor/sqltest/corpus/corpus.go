// Package corpus compares the answers to statements of real applications with those that a
// server gave, for the tests of SQL front ends. A corpus is a directory with, for each
// application,
//
//	apps/APP/meta.json        {"dialect": "postgres" or "mysql"}
//	apps/APP/schema.sql       the tables
//	apps/APP/seed.sql         some rows
//	apps/APP/statements.jsonl the statements in order
//	apps/APP/expected.jsonl   the recorded answers, line by line
//
// The statements go through database/sql and a driver.
package corpus

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Statement is a line of statements.jsonl.
type Statement struct {
	SQL       string
	Args      []Arg
	Kind      string // query, exec, begin, commit, rollback
	Conn      string // a session beside the main one
	Isolation string
	ReadOnly  bool `json:"read_only"`
}

// Answer is a line of expected.jsonl.
type Answer struct {
	OK       bool
	Columns  []string
	Rows     [][]any
	Affected *int64
	LastID   *int64 `json:"last_id"`
	Code     string
	Message  string
}

// Front is a front end of SQL.
type Front struct {
	Dialect string
	// Open runs the schema and the seed of the application of a directory. It returns what
	// opens the connection of a session.
	Open func(t *testing.T, dir string) (session func(name string) *sql.Conn)
	// Code is the server's code of an error; "" when it is none of the server's.
	Code func(error) string
	// Value is a driver's value as it is recorded.
	Value func(v any, typ string) any
	// LastID: the server tells the number that AUTO_INCREMENT has given.
	LastID bool
	// Exceptions are statements, by application and line, whose answers differ for a reason.
	Exceptions map[string]string
	// Least is how many percent of the answers are equal at least.
	Least float64
}

// find is where a corpus is looked for when none is given: in the directories around.
func find(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for up := filepath.Dir(dir); up != dir; dir, up = up, filepath.Dir(up) {
		if c := filepath.Join(up, "shared", "sql-corpus"); isDir(c) {
			return c
		}
	}
	t.Skip("no corpus: give one with -corpus=DIR")
	return ""
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// Test compares the answers of all applications in a directory that are in the front end's
// dialect; "": in one named shared/sql-corpus beside the module, if there is one.
func Test(t *testing.T, dir string, f Front) {
	if dir == "" {
		dir = find(t)
	}
	apps, _ := filepath.Glob(filepath.Join(dir, "apps", "*", "meta.json")) // the pattern is well-formed
	if len(apps) == 0 {
		t.Fatalf("%s has no apps", dir)
	}
	n := &tally{}
	for _, meta := range apps {
		b, err := os.ReadFile(meta)
		if err != nil {
			t.Fatal(err)
		}
		var about struct{ Dialect string }
		decode(t, b, &about)
		if about.Dialect == f.Dialect {
			t.Run(filepath.Base(filepath.Dir(meta)), func(t *testing.T) { f.application(t, filepath.Dir(meta), n) })
		}
	}
	share := 100 * float64(n.equal) / float64(max(n.statements, 1))
	t.Logf("%d statements: %d equal (%.2f %%), %d excepted", n.statements, n.equal, share, n.excepted)
	if share < f.Least {
		t.Errorf("%.2f %% are equal, want %v", share, f.Least)
	}
}

// tally counts statements.
type tally struct{ statements, equal, excepted int }

// application runs an application's statements.
func (f *Front) application(t *testing.T, dir string, n *tally) {
	var want []Answer
	for line := range jsonLines(t, filepath.Join(dir, "expected.jsonl")) {
		var a Answer
		decode(t, line, &a)
		want = append(want, a)
	}
	open, sessions := f.Open(t, dir), map[string]*session{}
	app, k, before := filepath.Base(dir), 0, *n
	for line := range jsonLines(t, filepath.Join(dir, "statements.jsonl")) {
		var s Statement
		decode(t, line, &s)
		if k == len(want) {
			t.Fatalf("%s has %d answers, and there are more statements", dir, k)
		}
		if sessions[s.Conn] == nil {
			sessions[s.Conn] = &session{Front: f, conn: open(s.Conn)}
		}
		got := sessions[s.Conn].do(t, s)
		n.statements++
		why := Differs(s.SQL, want[k], got)
		k++
		switch {
		case why == "":
			n.equal++
		case f.Exceptions[fmt.Sprint(app, " ", k)] != "":
			n.excepted++
		default:
			t.Errorf("statement %d: %s\n%.300s", k, why, s.SQL)
		}
	}
	t.Logf("%d of %d equal", n.equal-before.equal, n.statements-before.statements)
}

// session is a client of an application.
type session struct {
	*Front
	conn *sql.Conn
	tx   *sql.Tx
}

// do runs a statement as an application does.
func (c *session) do(t *testing.T, s Statement) Answer {
	a, err := c.run(t, s)
	if err == nil {
		a.OK = true
		return a
	}
	return Answer{Message: err.Error(), Code: c.Code(err)}
}

var levels = map[string]sql.IsolationLevel{"": sql.LevelDefault, "read uncommitted": sql.LevelReadUncommitted,
	"read committed": sql.LevelReadCommitted, "repeatable read": sql.LevelRepeatableRead, "serializable": sql.LevelSerializable}

func (c *session) run(t *testing.T, s Statement) (a Answer, err error) {
	var on interface {
		ExecContext(context.Context, string, ...any) (sql.Result, error)
		QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	} = c.conn
	if c.tx != nil {
		on = c.tx
	}
	args := make([]any, len(s.Args))
	for i, arg := range s.Args {
		args[i] = arg.value(t)
	}
	switch s.Kind {
	case "begin":
		c.tx, err = c.conn.BeginTx(t.Context(), &sql.TxOptions{Isolation: levels[s.Isolation], ReadOnly: s.ReadOnly})
	case "commit", "rollback":
		end := c.tx.Commit
		if s.Kind == "rollback" {
			end = c.tx.Rollback
		}
		c.tx, err = nil, end()
	case "exec":
		var r sql.Result
		if r, err = on.ExecContext(t.Context(), s.SQL, args...); err == nil {
			c.changed(&a, r)
		}
	case "query":
		var rows *sql.Rows
		if rows, err = on.QueryContext(t.Context(), s.SQL, args...); err == nil {
			a, err = Read(rows, c.Value)
		}
	default:
		err = fmt.Errorf("no such kind of statement: %q", s.Kind)
	}
	return a, err
}

func (f *Front) changed(a *Answer, r sql.Result) {
	n, _ := r.RowsAffected() // the drivers know it always
	a.Affected = &n
	if f.LastID {
		id, _ := r.LastInsertId()
		a.LastID = &id
	}
}

// Read reads all rows. value is a driver's value as it is recorded.
func Read(rows *sql.Rows, value func(v any, typ string) any) (a Answer, err error) {
	defer rows.Close()
	if a.Columns, err = rows.Columns(); err != nil {
		return a, err
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return a, err
	}
	for rows.Next() {
		row, at := make([]any, len(types)), make([]any, len(types))
		for i := range row {
			at[i] = &row[i]
		}
		if err := rows.Scan(at...); err != nil {
			return a, err
		}
		for i, v := range row {
			row[i] = value(v, types[i].DatabaseTypeName())
		}
		a.Rows = append(a.Rows, row)
	}
	return a, rows.Err()
}

// jsonLines yields the lines of a file that are not empty.
func jsonLines(t *testing.T, name string) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			if len(lines.Bytes()) > 0 && !yield(lines.Bytes()) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func decode(t *testing.T, b []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}
