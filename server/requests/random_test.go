package requests

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/application"
	"github.com/txmc/txmc/server/requests/requeststest"
)

func TestMain(m *testing.M) {
	application.Keep() // this binary is the keeper of the applications too
	os.Exit(m.Run())
}

var programs = deadlinetest.Flag("programs", 300, 8, "random programs")

const schema = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL); INSERT INTO t VALUES (1, 0), (2, 1)"

// op is an operation: its name and its arguments.
type op []any

// txn is a transaction of a random session.
type txn struct {
	Level    string `json:"level"`
	Tries    int    `json:"tries"`
	Rollback bool   `json:"rollback"`
	Ops      []op   `json:"ops"`
}

// randomSession is what a request does.
func randomSession(r *rand.Rand) (list []txn) {
	for range 1 + r.IntN(2) {
		t := txn{Level: []string{"READ COMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}[r.IntN(4)], Tries: 1 + r.IntN(2), Rollback: r.IntN(8) == 0, Ops: []op{}}
		for range 2 + r.IntN(3) {
			id, v := 1+r.IntN(2), r.IntN(3)
			t.Ops = append(t.Ops, []op{{"read", id}, {"read", id}, {"lock", id}, {"count", v}, {"set", id, v}, {"add", id, v + 1}, {"copy", id, v + 1},
				{"copy", id, v + 1}, {"insert", 3, v}, {"delete", id}, {"if", v, 1}}[r.IntN(11)])
		}
		list = append(list, t)
	}
	return list
}

// statement is that of an operation, after the last value that was read.
func (o op) statement(last int) string {
	a := append(slices.Clone([]any(o[1:])), 0)
	switch o[0] {
	case "read":
		return fmt.Sprintf("SELECT n FROM t WHERE id = %d", a[0])
	case "lock":
		return fmt.Sprintf("SELECT n FROM t WHERE id = %d FOR UPDATE", a[0])
	case "count":
		return fmt.Sprintf("SELECT count(*) FROM t WHERE n >= %d", a[0])
	case "set":
		return fmt.Sprintf("UPDATE t SET n = %d WHERE id = %d", a[1], a[0])
	case "add":
		return fmt.Sprintf("UPDATE t SET n = n + %d WHERE id = %d", a[1], a[0])
	case "copy":
		return fmt.Sprintf("UPDATE t SET n = %d + %d WHERE id = %d", last, a[1], a[0])
	case "insert":
		return fmt.Sprintf("INSERT INTO t VALUES (%d, %d)", a[0], a[1])
	}
	return fmt.Sprintf("DELETE FROM t WHERE id = %d", a[0])
}

// run does in Go what script.py does.
func (t txn) run(ctx context.Context, db *sql.DB) (seen []string, err error) {
	level := map[string]sql.IsolationLevel{"READ COMMITTED": sql.LevelReadCommitted, "REPEATABLE READ": sql.LevelRepeatableRead, "SERIALIZABLE": sql.LevelSerializable}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: level[t.Level]})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	last, skip := 0, 0
	for _, o := range t.Ops {
		text := o.statement(last)
		switch {
		case skip > 0:
			skip--
		case o[0] == "if":
			if last < o[1].(int) {
				skip = o[2].(int)
			}
		case strings.HasPrefix(text, "SELECT"):
			last = 0
			switch err := tx.QueryRowContext(ctx, text).Scan(&last); {
			case errors.Is(err, sql.ErrNoRows):
				seen = append(seen, "none")
			case err != nil:
				return nil, err
			default:
				seen = append(seen, fmt.Sprint(last))
			}
		default:
			done, err := tx.ExecContext(ctx, text)
			if err != nil {
				return nil, err
			}
			n, _ := done.RowsAffected()
			seen = append(seen, fmt.Sprintf("rows %d", n))
		}
	}
	if t.Rollback {
		return seen, tx.Rollback()
	}
	return seen, tx.Commit()
}

func inGo(s *program.Session, db *pg.DB, list []txn) {
	open, seen := db.Open(s), []string{}
	for _, t := range list {
		for range t.Tries {
			some, err := t.run(context.Background(), open)
			var failed *pgconn.PgError
			if err == nil {
				seen = append(seen, some...)
				break
			}
			if !errors.As(err, &failed) {
				return // the run has been ended
			}
			if seen = append(seen, failed.Code); failed.Code != "40001" && failed.Code != "40P01" {
				break
			}
		}
	}
	text, _ := json.Marshal(seen)
	s.Observe("POST /", "200 "+string(text))
}

// outcomes are what sessions observe and what is left, in all executions.
func outcomes(t *testing.T, declare func(*program.Program)) map[string]bool {
	t.Helper()
	c, err := program.NewClient(t.Name(), declare, program.Options{Patience: time.Minute, Database: true, Level: isolation.PgRC.String(), Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	all := map[string]bool{}
	for found, err := range dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.PgRC, All: true, List: true, Workers: 1}).Histories() {
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, v := range found.Rows {
			list = append(list, c.Storage().Describe(v))
		}
		slices.Sort(list)
		for i := range c.Sessions() {
			list = append(list, c.Seen(found.Ends[i]).Observed)
		}
		all[strings.Join(list, "; ")] = true
	}
	return all
}

// TestRandom: random handlers of requests in Python have the outcomes of the same handlers in Go.
func TestRandom(t *testing.T) {
	interpreter := requeststest.Python(t)
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/schema.sql", []byte(schema), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := parse(dir+"/random.yaml", []byte("start: exec "+interpreter+" script.py\nready: GET /\nschema: schema.sql\nsessions: {ann: 'POST / []', bob: 'POST / []'}"))
	if err != nil {
		t.Fatal(err)
	}
	if f.Dir, err = os.Getwd(); err != nil {
		t.Fatal(err)
	}
	f.Dir += "/../../testdata/requests/python"
	f.Checks = []check{{kind: noConflict}} // no response is a 5xx
	w := NewWorld(f)
	defer w.Close()
	seed := rand.Uint64()
	several := 0
	for i := range programs.N() {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		sessions := [][]txn{randomSession(r), randomSession(r)}
		text, err := json.Marshal(sessions)
		if err != nil {
			t.Fatal(err)
		}
		got := outcomes(t, func(p *program.Program) {
			var list []session
			for i, name := range []string{"ann", "bob"} {
				body, _ := json.Marshal(sessions[i])
				list = append(list, session{name, 1, []step{{line: 1, request: application.Request{Method: "POST", Path: "/", Body: string(body)}}}})
			}
			w.explore(p, list)
		})
		want := outcomes(t, func(p *program.Program) {
			db := pg.New(p, pg.Schema(schema))
			for i, name := range []string{"ann", "bob"} {
				p.Session(name, func(s *program.Session) { inGo(s, db, sessions[i]) })
			}
		})
		for o := range want {
			if !got[o] {
				t.Errorf("seed %d, program %d: %s: only in Go: %s", seed, i, text, o)
			}
		}
		for o := range got {
			if !want[o] {
				t.Errorf("seed %d, program %d: %s: only in Python: %s", seed, i, text, o)
			}
		}
		if several += len(want); t.Failed() {
			break
		}
	}
	t.Logf("%d outcomes, %+v", several, w.app.Figures())
}
