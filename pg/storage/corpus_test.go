// Statements of real applications are answered as a PostgreSQL server answered
// them. A corpus is a directory with, for each application,
//
//	apps/APP/meta.json        {"dialect": "postgres" or other}
//	apps/APP/schema.sql       the tables
//	apps/APP/seed.sql         some rows
//	apps/APP/statements.jsonl the statements in order
//	apps/APP/expected.jsonl   the recorded answers, line by line
//
// The statements go through database/sql, pgx and the wire protocol. The rows are
// variables of a Memory. Each session has an instance of its own.

package storage_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/storage"
)

var corpusDir = flag.String("corpus", "", "directory of recorded statements (default: sql-corpus in the directory shared beside the module, if it is there)")

// corpusStatement is a line of statements.jsonl.
type corpusStatement struct {
	SQL       string
	Args      []corpusArg
	Kind      string // query, exec, begin, commit, rollback
	Conn      string // a session beside the main one
	Isolation string
	ReadOnly  bool `json:"read_only"`
}

// corpusAnswer is a line of expected.jsonl.
type corpusAnswer struct {
	OK       bool
	Columns  []string
	Rows     [][]any
	Affected *int64
	Code     string
	Message  string
}

func TestCorpus(t *testing.T) {
	dir := *corpusDir
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "sql-corpus")
	}
	apps, _ := filepath.Glob(filepath.Join(dir, "apps", "*", "meta.json")) // the pattern is well-formed
	if len(apps) == 0 {
		if *corpusDir != "" {
			t.Fatalf("%s has no apps", dir)
		}
		t.Skip("no corpus: give one with -corpus=DIR")
	}
	all := &tally{}
	for _, meta := range apps {
		var about struct{ Dialect string }
		readJSON(t, meta, &about)
		if about.Dialect != "postgres" {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(meta)), func(t *testing.T) { all.application(t, filepath.Dir(meta)) })
	}
	share := 100 * float64(all.equal) / float64(max(all.statements, 1))
	t.Logf("%d statements: %d equal (%.2f %%), %d excepted", all.statements, all.equal, share, all.excepted)
	if share < 98.5 {
		t.Errorf("%.2f %% are equal, want 98.5", share)
	}
}

// tally counts statements.
type tally struct{ statements, equal, excepted int }

// application runs an application's statements.
func (n *tally) application(t *testing.T, dir string) {
	var want []corpusAnswer
	for line := range jsonLines(t, filepath.Join(dir, "expected.jsonl")) {
		var a corpusAnswer
		decode(t, line, &a)
		want = append(want, a)
	}
	sessions := newSessions(t, dir)
	k := 0
	for line := range jsonLines(t, filepath.Join(dir, "statements.jsonl")) {
		var s corpusStatement
		decode(t, line, &s)
		got := sessions.of(s.Conn).do(t, s)
		n.statements++
		why := differs(s, want[k], got)
		k++
		app := filepath.Base(dir)
		switch reason := exception(app, k); {
		case why == "":
			n.equal++
		case reason != "":
			n.excepted++
		default:
			t.Errorf("statement %d: %s\n%.300s", k, why, s.SQL)
		}
	}
}

// exceptions names statements whose answers differ for a reason.
var exceptions = []struct {
	app       string
	statement int // its line
	reason    string
}{
	{"dex-sql", 221, "a Memory has no serializable snapshots: 23505, where the server tells a dependency between two transactions (40001)"},
}

func exception(app string, statement int) string {
	for _, e := range exceptions {
		if e.app == app && e.statement == statement {
			return e.reason
		}
	}
	return ""
}

// sessions are an application's, on one store.
type sessions struct {
	t      *testing.T
	start  *engine.Snapshot
	heap   storage.Heap
	store  *storage.Store
	memory *storage.Memory
	open   map[string]*client
}

// newSessions runs the schema and the seed of an application.
func newSessions(t *testing.T, dir string) *sessions {
	e, err := server()
	if err != nil {
		t.Skipf("PostgreSQL's package is not to be had: %v", err)
	}
	s := &sessions{t: t, store: storage.NewStore(), memory: storage.NewMemory(), open: map[string]*client{}}
	x, err := e.Instance()
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	c, err := pgx.ConnectConfig(t.Context(), configure(t, x))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"schema.sql", "seed.sql"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.PgConn().Exec(t.Context(), string(text)).ReadAll(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	c.Close(t.Context())
	first := s.store.NewSession("seed", s.memory.Log())
	initial, err := first.Adopt(x)
	if err != nil {
		t.Fatal(err)
	}
	s.memory.Fill(initial)
	s.heap = first.Heap()
	if s.start, err = x.Snapshot(); err != nil {
		t.Fatal(err)
	}
	return s
}

// of is a session, opened at its first use.
func (s *sessions) of(name string) *client {
	if c := s.open[name]; c != nil {
		return c
	}
	e, _ := server()
	x, err := e.InstanceFrom(s.start)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { x.Close() })
	kept := s.store.NewSession("session "+name, s.memory.Log())
	kept.On(s.heap)
	x.Hook(kept)
	x.SetTime(time.Now())
	db := stdlib.OpenDB(*configure(s.t, x))
	s.t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	s.open[name] = &client{conn: conn}
	return s.open[name]
}

// client is a session's connection.
type client struct {
	conn *sql.Conn
	tx   *sql.Tx
}

// do runs a statement as an application does.
func (c *client) do(t *testing.T, s corpusStatement) corpusAnswer {
	a, err := c.run(t, s)
	if err == nil {
		a.OK = true
		return a
	}
	a = corpusAnswer{Message: err.Error()}
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		a.Code = e.Code
	}
	return a
}

var levels = map[string]sql.IsolationLevel{"": sql.LevelDefault, "read uncommitted": sql.LevelReadUncommitted,
	"read committed": sql.LevelReadCommitted, "repeatable read": sql.LevelRepeatableRead, "serializable": sql.LevelSerializable}

func (c *client) run(t *testing.T, s corpusStatement) (a corpusAnswer, err error) {
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
			n, _ := r.RowsAffected() // pgx knows it always
			a.Affected = &n
		}
	case "query":
		var rows *sql.Rows
		if rows, err = on.QueryContext(t.Context(), s.SQL, args...); err == nil {
			a, err = read(rows)
		}
	default:
		err = fmt.Errorf("no such kind of statement: %q", s.Kind)
	}
	return a, err
}

// read reads all rows.
func read(rows *sql.Rows) (a corpusAnswer, err error) {
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
			row[i] = recorded(v, types[i].DatabaseTypeName())
		}
		a.Rows = append(a.Rows, row)
	}
	return a, rows.Err()
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, b, into)
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

// decode keeps numbers as they are written.
func decode(t *testing.T, b []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}
