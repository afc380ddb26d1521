package mock

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program/deadlinetest"
)

// Clients that nobody here wrote.

// bank is what pgbench --initialize makes, with fewer accounts.
const bank = `
CREATE TABLE pgbench_branches (bid int PRIMARY KEY, bbalance int, filler char(88));
CREATE TABLE pgbench_tellers (tid int PRIMARY KEY, bid int, tbalance int, filler char(84));
CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int, abalance int, filler char(84));
CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
INSERT INTO pgbench_branches VALUES (1, 0);
INSERT INTO pgbench_tellers SELECT n, 1, 0 FROM generate_series(1, 10) n;
INSERT INTO pgbench_accounts SELECT n, 1, 0 FROM generate_series(1, 20) n;`

// tpcb is pgbench's builtin script tpcb-like, on the accounts that there are.
const tpcb = `\set aid random(1, 20)
\set tid random(1, 10)
\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = 1;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, 1, :aid, :delta, CURRENT_TIMESTAMP);
END;
`

const balanced = `SELECT (SELECT sum(abalance) FROM pgbench_accounts) = (SELECT sum(tbalance) FROM pgbench_tellers)
	AND (SELECT sum(tbalance) FROM pgbench_tellers) = (SELECT sum(bbalance) FROM pgbench_branches)
	AND (SELECT coalesce(sum(delta), 0) FROM pgbench_history) = (SELECT sum(bbalance) FROM pgbench_branches)`

func installed(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("there is no %s", name)
	}
	return path
}

func run(t *testing.T, stdin string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// tpcbOn runs ten clients of pgbench's TPC-B, five transactions each, and tells whether the
// sums agree each time that they are asked for, by psql.
func tpcbOn(t *testing.T, dsn string, pgbench, psql string) bool {
	t.Helper()
	out := run(t, tpcb, pgbench, "-n", "-c", "10", "-t", "5", "--max-tries=1000", "-f", "-", dsn)
	if !strings.Contains(out, "number of transactions actually processed: 50/50") || !strings.Contains(out, "number of failed transactions: 0") {
		t.Errorf("pgbench: %s", out)
	}
	return !strings.Contains(run(t, strings.Repeat(balanced+";\n", 20), psql, "-XAt", dsn), "f")
}

// Ten clients of pgbench's TPC-B: at ser the sums of branches, tellers, accounts and history
// agree however they are asked for, by psql; at rc some answer shows that they do not.
func TestPgbench(t *testing.T) {
	t.Parallel()
	pgbench, psql := installed(t, "pgbench"), installed(t, "psql")
	for _, level := range []isolation.Level{isolation.SER, isolation.RC} {
		broken, stale := false, false
		enough := func() bool { return stale && (broken || level == isolation.SER) }
		for seed := range deadlinetest.Until(t, 1, enough) {
			s, dsn := start(t, Options{Level: level, Seed: uint64(seed) + 1, Weak: WeakAlways}, bank)
			broken = broken || !tpcbOn(t, dsn, pgbench, psql)
			stale = stale || s.KV().Counts().Stale > 0
		}
		if level == isolation.SER && broken {
			t.Errorf("at %s the sums do not agree", level)
		}
	}
}

// Where the server answers as PostgreSQL, the sums agree at all levels, as on PostgreSQL.
// An UPDATE that has waited computes with what the other one has written, or fails.
func TestPgbenchExact(t *testing.T) {
	t.Parallel()
	pgbench, psql := installed(t, "pgbench"), installed(t, "psql")
	levels := []isolation.Level{isolation.PgRC, isolation.PgSer, isolation.PgRR}
	for _, level := range levels[:deadlinetest.Of(3, 2)] {
		waited, failed := false, false
		enough := func() bool { return waited && (failed || level == isolation.PgRC) }
		for seed := range deadlinetest.Until(t, 1, enough) {
			s, dsn := start(t, Options{Level: level, Seed: uint64(seed) + 1, Delay: 1}, bank)
			if !tpcbOn(t, dsn, pgbench, psql) {
				t.Errorf("at %s the sums do not agree", level)
			}
			n := s.store.(*modelled).Counts()
			waited, failed = waited || n.Waited > 0, failed || n.Conflicts > 0
		}
		if level == isolation.PgRC && failed {
			t.Errorf("at %s transactions fail", level)
		}
	}
}

// psql's own commands ask the catalog.
func TestPsql(t *testing.T) {
	t.Parallel()
	psql := installed(t, "psql")
	s, err := NewServer(Options{Level: isolation.RC, Latest: 1}, pg.Schema(accounts))
	if err != nil {
		t.Fatal(err)
	}
	dsn := listening(t, s)
	got := run(t, `\d account
\dt
\timing off
BEGIN;
SAVEPOINT a;
INSERT INTO account VALUES (1, 1);
ROLLBACK TO a;
INSERT INTO account VALUES (7, 70);
COMMIT;
SELECT balance FROM account WHERE id = 7;
\copy account (id, balance) TO STDOUT
`, psql, "-XAt", dsn)
	for _, want := range []string{"balance|integer", "public|account|table", "duplicate key value", "\n70\n", "7\t70"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

// psycopg is Debian's python3-psycopg2: it prepares nothing and has a transaction open
// at once.
func TestPsycopg(t *testing.T) {
	t.Parallel()
	python := "/usr/bin/python3" // others do not have Debian's packages
	if err := exec.CommandContext(t.Context(), python, "-c", "import psycopg2").Run(); err != nil {
		t.Skip("there is no python3-psycopg2")
	}
	for _, level := range []isolation.Level{isolation.SER, isolation.PgSer} {
		_, dsn := start(t, Options{Level: level}, accounts)
		if got := run(t, moves, python, "-", dsn); strings.TrimSpace(got) != "45" {
			t.Errorf("at %s psycopg ends with a balance of %s", level, got)
		}
	}
}

// moves takes money from an account by two connections, again and again until it is served.
const moves = `
import sys, psycopg2
a, b = psycopg2.connect(sys.argv[1]), psycopg2.connect(sys.argv[1])
def move(c, amount):
    while True:
        try:
            with c, c.cursor() as q:
                q.execute("SELECT balance FROM account WHERE id = %s", (1,))
                balance, = q.fetchone()
                q.execute("UPDATE account SET balance = %s WHERE id = %s", (balance - amount, 1))
            return
        except psycopg2.errors.SerializationFailure:
            pass
for n in range(5):
    move(a, 10)
    move(b, 1)
with b, b.cursor() as q:
    q.execute("UPDATE account SET balance = balance WHERE id = 1 RETURNING balance")
    print(q.fetchone()[0])
`

// pgx speaks the extended protocol in each of its modes.
func TestModes(t *testing.T) {
	t.Parallel()
	s, err := NewServer(Options{Level: isolation.RC, Latest: 1}, pg.Schema(accounts))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		cfg := s.Config()
		cfg.DefaultQueryExecMode = mode
		c, err := pgx.ConnectConfig(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			var n int
			if err := c.QueryRow(t.Context(), `SELECT balance FROM account WHERE id = $1`, 1).Scan(&n); err != nil || n != 100 {
				t.Errorf("%v: %d, %v", mode, n, err)
			}
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
