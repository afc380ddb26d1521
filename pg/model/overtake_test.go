package model_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/statement/realtest"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// overtaking are three sessions of which no two wait for what the other holds. One waits
// behind a waiter who waits for another one, who waits for the first: DeadLockCheck lets it
// go before.
var overtaking = [3][]string{
	{"BEGIN; LOCK TABLE t IN SHARE MODE", "SELECT id FROM c WHERE id = 1 FOR UPDATE", "COMMIT"},
	{"BEGIN; LOCK TABLE t IN EXCLUSIVE MODE", "COMMIT"},
	{"BEGIN; SELECT id FROM c WHERE id = 1 FOR UPDATE", "LOCK TABLE t IN SHARE MODE", "COMMIT"},
}

// TestOvertaking: under the model nobody fails, in any interleaving.
func TestOvertaking(t *testing.T) {
	t.Parallel()
	client, err := program.NewClient(t.Name(), func(q *program.Program) {
		db := pg.New(q, pg.Schema(sqltest.ScriptTables), pg.Seed(sqltest.ScriptRows))
		for i, texts := range overtaking {
			q.Session(string(rune('a'+i)), func(s *program.Session) {
				conn, err := pgconn.ConnectConfig(context.Background(), &db.Config(s).Config)
				for k := 0; err == nil && k < len(texts); k++ {
					_, err = conn.Exec(context.Background(), texts[k]).ReadAll()
				}
				s.Observe("", err)
				s.Assert(err == nil, err)
			})
		}
	}, program.Options{Patience: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.DatabaseAt("pg-rc")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.PgRC, All: true})
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if s := x.Stats(); s.Histories == 0 || s.Violations > 0 {
		t.Errorf("%d outcomes; in %d of them somebody fails", s.Histories, s.Violations)
	}
}

// TestOvertakingOnServer: nor does anybody on a real server, in the interleaving that closes the circle.
func TestOvertakingOnServer(t *testing.T) {
	t.Parallel()
	server := scratchtest.Start(t, scratch.Postgres, map[string]string{
		"synchronous_commit": "off", "deadlock_timeout": realtest.DeadlockTimeout.String()})
	var conns [3]*pgconn.PgConn
	for i := range conns {
		conn, err := pgconn.Connect(t.Context(), server.DSN("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		conns[i] = conn
	}
	run := func(i int, text string) {
		if _, err := conns[i].Exec(t.Context(), text).ReadAll(); err != nil {
			t.Errorf("session %d: %s: %v", i, text, err)
		}
	}
	run(0, sqltest.ScriptTables+sqltest.ScriptRows)
	run(0, overtaking[0][0])
	run(2, overtaking[2][0])
	var all sync.WaitGroup
	for n, i := range []int{1, 2, 0} {
		at := 1
		if i == 1 {
			at = 0
		}
		all.Go(func() {
			for _, text := range overtaking[i][at:] {
				run(i, text)
			}
		})
		if n < 2 { // the last one closes the circle
			awaitLocks(t, server.DSN("postgres"), n+1)
		}
	}
	all.Wait()
}

// awaitLocks waits until so many requests for locks wait.
func awaitLocks(t *testing.T, dsn string, n int) {
	conn, err := pgconn.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for range 10_000 {
		r := conn.ExecParams(t.Context(), "SELECT count(*) FROM pg_locks WHERE NOT granted", nil, nil, nil, nil).Read()
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		if string(r.Rows[0][0]) == strconv.Itoa(n) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("there are no %d requests that wait", n)
}
