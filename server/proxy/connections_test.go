package proxy_test

import (
	"cmp"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
)

var manyConnections = deadlinetest.Flag("connection-programs", 30, 2, "how many random programs of sessions with several connections are compared with a real server")

var connectionSeed = flag.Uint64("connection-seed", 0, "the seed of these programs; 0: a random one")

// on is a statement that a session sends on one of its connections.
type on struct {
	conn int
	text string
}

// scripts are those of the sessions of a random program: each has two connections, on which
// transactions are open at the same time.
func scripts(r *rand.Rand) (sessions [2][]on) {
	statements := []string{
		"UPDATE t SET n = n + 1 WHERE id = %d", "SELECT n FROM t WHERE id = %d FOR UPDATE", "SELECT n FROM t WHERE id = %d", "SELECT n FROM t WHERE id = %d FOR UPDATE NOWAIT",
		"INSERT INTO t VALUES (%d, 5) ON CONFLICT (id) DO UPDATE SET n = t.n + 10", "SELECT pg_try_advisory_xact_lock(%d)", "SELECT pg_try_advisory_lock(%d)", "SELECT pg_advisory_unlock(%d)",
		"SELECT set_config('extra_float_digits', '%d', false)", "SELECT current_setting('extra_float_digits'), %d", "INSERT INTO audit (who) VALUES ('%d')",
	}
	for i := range sessions {
		open := [2]bool{}
		for range 2 + r.IntN(2) {
			c := r.IntN(2)
			if !open[c] && r.IntN(3) > 0 {
				sessions[i] = append(sessions[i], on{c, "BEGIN"})
				open[c] = true
			}
			sessions[i] = append(sessions[i], on{c, fmt.Sprintf(statements[r.IntN(len(statements))], 1+r.IntN(2))})
		}
		for _, c := range r.Perm(2) {
			if open[c] {
				sessions[i] = append(sessions[i], on{c, []string{"COMMIT", "ROLLBACK"}[r.IntN(2)]})
			}
			sessions[i] = append(sessions[i], on{c, "SELECT pg_advisory_unlock_all()"})
		}
	}
	return sessions
}

// TestConnections: sessions with several transactions open at once have the same outcomes on a real
// server as under the model, those that wait for themselves among them.
func TestConnections(t *testing.T) {
	t.Parallel()
	_, dsn := start(t)
	claim(t, dsn)
	seed := cmp.Or(*connectionSeed, rand.Uint64())
	t.Logf("seed %d", seed)
	for n := range manyConnections.N() {
		if deadlinetest.Over(t) {
			return
		}
		sessions := scripts(rand.New(rand.NewPCG(seed, uint64(n))))
		if n == 0 { // each session waits for itself, or for the other one
			sessions = [2][]on{{{0, "BEGIN"}, {0, increment}, {1, increment}, {0, "COMMIT"}}, {{0, increment}, {1, increment}}}
		}
		e := onServer{at: explore.OnServer{DSN: dsn, Compare: true}}.run(t, t.Context(), func(p *program.Program) {
			db := pg.New(p, pg.Schema("CREATE TABLE t (id int PRIMARY KEY, n int); CREATE TABLE audit (who text)"), pg.Seed("INSERT INTO t VALUES (1, 0), (2, 0)"))
			for i, script := range sessions {
				p.Session(string(rune('a'+i)), func(s *program.Session) { send(s, db.Open(s), script) })
			}
		}, isolation.PgRC)
		list := of[*report.ServerComparison](e)
		if len(list) != 1 || list[0].Differ() > 0 || list[0].Outcomes == 0 {
			for _, c := range list {
				t.Logf("%+v\nonly the model: %+v\nonly the server: %+v", c.Outcomes, c.OnlyModel[:min(1, len(c.OnlyModel))], c.OnlyServer[:min(1, len(c.OnlyServer))])
			}
			t.Fatalf("seed %d, program %d: %v", seed, n, sessions)
		}
	}
}

const increment = "UPDATE t SET n = n + 1 WHERE id = 1"

// send sends a script on two connections of a session.
func send(s *program.Session, db *sql.DB, script []on) {
	ctx := context.Background()
	var conns []*sql.Conn
	for range 2 {
		c, err := db.Conn(ctx)
		s.Assert(err == nil, err)
		defer c.Close()
		conns = append(conns, c)
	}
	for _, o := range script {
		s.Observe(o.text, answer(ctx, conns[o.conn], o.text))
	}
}

// answer is what a statement is answered: its rows, or an error.
func answer(ctx context.Context, c *sql.Conn, text string) string {
	if !strings.HasPrefix(text, "SELECT") {
		_, err := c.ExecContext(ctx, text)
		return fmt.Sprint(err)
	}
	rows, err := c.QueryContext(ctx, text)
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var values [2]sql.NullString
		columns, _ := rows.Columns()
		if err := rows.Scan([]any{&values[0], &values[1]}[:len(columns)]...); err != nil {
			return err.Error()
		}
		got = append(got, fmt.Sprint(values[:len(columns)]))
	}
	return fmt.Sprint(slices.Clip(got), rows.Err())
}
