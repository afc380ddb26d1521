// Statements of real applications are answered as a MariaDB server answered them. A
// corpus is a directory with, for each application,
//
//	apps/APP/meta.json        {"dialect": "mysql" or other}
//	apps/APP/schema.sql       the tables
//	apps/APP/seed.sql         some rows
//	apps/APP/statements.jsonl the statements in order
//	apps/APP/expected.jsonl   the recorded answers, line by line
//
// The statements go through database/sql, go-sql-driver/mysql and the protocol. The
// rows are variables of a Memory.

package mysql

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
	"strconv"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/mysql/engine"
	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/mysql/wire"
	"github.com/txmc/txmc/program/rows"
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
	LastID   *int64 `json:"last_id"`
	Code     string
	Message  string
}

const leastEqual = 99.0 // percent

func TestCorpus(t *testing.T) {
	dir := *corpusDir
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "sql-corpus")
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
		b, err := os.ReadFile(meta)
		if err != nil {
			t.Fatal(err)
		}
		var about struct{ Dialect string }
		decode(t, b, &about)
		if about.Dialect != "mysql" {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(meta)), func(t *testing.T) { all.application(t, filepath.Dir(meta)) })
	}
	share := 100 * float64(all.equal) / float64(max(all.statements, 1))
	t.Logf("%d statements: %d equal (%.2f %%)", all.statements, all.equal, share)
	if share < leastEqual {
		t.Errorf("%.2f %% are equal, want %v", share, leastEqual)
	}
}

// tally counts statements.
type tally struct{ statements, equal int }

// application runs an application's statements.
func (n *tally) application(t *testing.T, dir string) {
	var want []corpusAnswer
	for line := range jsonLines(t, filepath.Join(dir, "expected.jsonl")) {
		var a corpusAnswer
		decode(t, line, &a)
		want = append(want, a)
	}
	sessions := newSessions(t, dir)
	app, k, before := filepath.Base(dir), 0, *n
	for line := range jsonLines(t, filepath.Join(dir, "statements.jsonl")) {
		var s corpusStatement
		decode(t, line, &s)
		got := sessions.of(s.Conn).do(t, s)
		n.statements++
		why := differs(s, want[k], got)
		k++
		switch {
		case why == "":
			n.equal++
		case exceptions[app+" "+strconv.Itoa(k)] == "":
			t.Errorf("statement %d: %s\n%.300s", k, why, s.SQL)
		}
	}
	t.Logf("%d of %d equal", n.equal-before.equal, n.statements-before.statements)
}

// exceptions are statements, by application and line, whose answers differ for a reason.
var exceptions = map[string]string{}

// sessions are an application's, on one store.
type sessions struct {
	t      *testing.T
	base   *base
	memory *rows.Memory
	open   map[string]*client
}

// newSessions runs the schema and the seed of an application.
func newSessions(t *testing.T, dir string) *sessions {
	scripts := &rows.Scripts{}
	scripts.SchemaFS("corpus", os.DirFS(dir), "schema.sql", "seed.sql")
	b, err := newBase("corpus_"+strings.ReplaceAll(filepath.Base(dir), "-", "_"), scripts)
	if err != nil {
		t.Fatal(err)
	}
	s := &sessions{t: t, base: b, memory: rows.NewMemory(), open: map[string]*client{}}
	s.memory.Fill(b.initial)
	return s
}

// of is a session, opened at its first use.
func (s *sessions) of(name string) *client {
	if c := s.open[name]; c != nil {
		return c
	}
	index := len(s.open)
	run := engine.NewRun(storage.NewRun("session"+name, index, s.memory.Log()), uint64(index), true)
	run.SetTime(time.Now())
	hub := wire.NewHub(s.base.engine, run, unwatched{})
	db := sql.OpenDB(connector(hub.Dial))
	s.t.Cleanup(func() { db.Close(); hub.Close() })
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
	if e := (*driver.MySQLError)(nil); errors.As(err, &e) {
		a.Code = strconv.Itoa(int(e.Number))
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
			n, _ := r.RowsAffected() // the driver knows both always
			id, _ := r.LastInsertId()
			a.Affected, a.LastID = &n, &id
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
