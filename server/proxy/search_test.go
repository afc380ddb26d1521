package proxy_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/server/proxy"
)

// What is left out as equivalent has no outcome of its own: the outcomes are those of all
// schedules. Some schedules are left out.
func TestEquivalentSchedules(t *testing.T) {
	if !inFull() {
		t.Skip("with -full, on a real server")
	}
	_, dsn := start(t)
	claim(t, dsn)
	server, err := proxy.Open(t.Context(), dsn, 10*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	const two = accounts + `; CREATE TABLE entry (id int PRIMARY KEY, amount int)`
	for name, test := range map[string]struct {
		f    func(*program.Program)
		less bool // at READ COMMITTED some are left out
	}{
		"reads":            {sessions(two, inTx(`SELECT count(*) FROM account`, `UPDATE account SET balance = 5 WHERE id = 1`), inTx(`SELECT sum(balance) FROM account`, `SELECT 1`)), true},
		"different tables": {sessions(two, inTx(`INSERT INTO entry VALUES (1, 1)`, `UPDATE account SET balance = 1 WHERE id = 1`), inTx(`UPDATE account SET balance = 2 WHERE id = 2`, `DELETE FROM entry`)), true},
		"the same row":     {sessions(two, inTx(`UPDATE account SET balance = balance + 1 WHERE id = 1`), inTx(`UPDATE account SET balance = balance * 2 WHERE id = 1`)), false},
		"the same key":     {sessions(two, inTx(`INSERT INTO entry VALUES (1, 1)`, `SELECT 1`), inTx(`INSERT INTO entry VALUES (1, 2)`)), false},
		"skipped rows":     {sessions(two, inTx(`SELECT * FROM account ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`), inTx(`DELETE FROM account WHERE id = 1`)), false},
		"a function":       {sessions(two+`; CREATE SEQUENCE s`, inTx(`SELECT nextval('s')`), inTx(`INSERT INTO entry VALUES (nextval('s'), 1)`, `SELECT count(*) FROM entry`)), false},
		"advisory locks":   {sessions(two, inTx(`SELECT pg_advisory_xact_lock(7)`, `UPDATE account SET balance = 1 WHERE id = 1`), inTx(`SELECT pg_try_advisory_xact_lock(7)`)), false},
	} {
		t.Run(name, func(t *testing.T) {
			of, err := program.NewClient(t.Name(), test.f, program.Options{Patience: 10 * time.Minute, Keeping: program.Keeping{Shown: true}})
			if err != nil {
				t.Fatal(err)
			}
			defer of.Park()
			for _, level := range []isolation.Level{isolation.PgRC, isolation.PgSer} {
				some, fewer, err := proxy.Outcomes(t.Context(), server, of, level, false)
				if err != nil {
					t.Fatal(err)
				}
				all, executions, err := proxy.Outcomes(t.Context(), server, of, level, true)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(all, some); diff != "" || fewer > executions || level == isolation.PgRC && test.less != (fewer < executions) {
					t.Errorf("at %v %d executions have %d outcomes, and all %d have %d", level, fewer, len(some), executions, len(all))
				}
				if len(all) == 0 {
					t.Error("no outcome")
				}
			}
		})
	}
}

// TestKinds: what a statement means to others is told by its first words, and what is not
// known for sure is not said.
func TestKinds(t *testing.T) {
	for text, want := range map[string]string{
		"BEGIN": "means nothing", "begin isolation level serializable;": "means nothing", "-- so\nSET work_mem = 1": "means nothing", "": "means nothing", ";": "means nothing",
		"SET CONSTRAINTS ALL IMMEDIATE": "runs", "SET TRANSACTION SNAPSHOT 'x'": "runs", "BEGIN; SELECT 1": "runs", "SELECT 1": "runs", "LOCK account": "runs",
		"SAVEPOINT a": "saves", "ROLLBACK TO a": "runs", "ROLLBACK": "rolls back", "COMMIT": "commits", "END;": "commits", "ROLLBACK PREPARED 'x'": "runs", "DISCARD ALL": "runs",
	} {
		if got := proxy.KindOf(text); got != want {
			t.Errorf("%q %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"SELECT * FROM a": "reads", "select count(*), max(x) from a where x in (1, 2)": "reads", "SELECT f(x) FROM a": "unknown", "SELECT * FROM a FOR UPDATE": "unknown", "SELECT * INTO b FROM a": "unknown",
		`SELECT "count"(1)`: "unknown", "SELECT 1; DELETE FROM a": "unknown", "SELECT pg_catalog.nextval('s')": "unknown",
		"UPDATE a SET x = 1": "adds to a", "UPDATE ONLY Shop.A SET x = (SELECT max(x) FROM b)": "adds to shop.a", "INSERT INTO a (x, y) VALUES (1, 2)": "adds to a", "INSERT INTO a VALUES (f(1))": "unknown",
		"DELETE FROM a WHERE x = 1": "writes a", "WITH d AS (DELETE FROM a) UPDATE b SET x = 1": "unknown", "DELETE FROM a WHERE id IN (SELECT id FROM a FOR UPDATE SKIP LOCKED)": "unknown", "TRUNCATE a": "unknown",
	} {
		if got := proxy.Class(text); got != want {
			t.Errorf("%q %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"BEGIN ISOLATION LEVEL SERIALIZABLE": true, "begin isolation level repeatable read": false, "SELECT set_config('x', 'y', true)": true, "default_transaction_isolation=read committed": false,
		"default_transaction_isolation=serializable": true, "SET default_transaction_isolation = 'repeatable read'": false, "SELECT 1": false, "SET transaction_isolation TO DEFAULT": true,
	} {
		if got := proxy.Speaks(text); got != want {
			t.Errorf("%q may be serializable: %v, want %v", text, got, want)
		}
	}
}
