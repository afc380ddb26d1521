// What a session may ask of PostgreSQL besides rows: versions and transactions.

package pg_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// A row whose content has changed since it was read has another xmin, whoever changed it.
func TestChangesAreSeenByXmin(t *testing.T) {
	t.Parallel()
	got := sqltest.Explore(t, func(p *program.Program) {
		db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
		p.Session("writer", func(s *program.Session) {
			for range 2 {
				if _, err := db.Open(s).Exec("UPDATE acct SET bal = bal + 1 WHERE id = 1"); err != nil {
					t.Error(err)
				}
			}
		})
		p.Session("reader", func(s *program.Session) {
			var seen, now string
			var before, after int
			const ask = "SELECT xmin::text, bal FROM acct WHERE id = 1"
			if err := db.Open(s).QueryRow(ask).Scan(&seen, &before); err != nil {
				t.Error(err)
			}
			if err := db.Open(s).QueryRow(ask).Scan(&now, &after); err != nil {
				t.Error(err)
			}
			s.Observe("told", (seen == now) == (before == after))
		})
	}, isolation.RC)
	if keys := slices.Collect(maps.Keys(got.Outcomes)); len(keys) != 1 || keys[0] != "told=true " {
		t.Errorf("%q", keys)
	}
}

// No two sessions have transactions with the same number.
func TestNumbersOfTransactions(t *testing.T) {
	t.Parallel()
	got := sqltest.Explore(t, func(p *program.Program) {
		db := pg.New(p, pg.Schema("CREATE TABLE audit (txn text PRIMARY KEY, older text, at int)"))
		for _, name := range []string{"ann", "bob"} {
			p.Session(name, func(s *program.Session) {
				var n int
				err := db.Open(s).QueryRow("INSERT INTO audit VALUES (pg_current_xact_id(), txid_current(), 1) ON CONFLICT (txn) DO UPDATE SET at = audit.at + 1 " +
					"RETURNING at + (txn <> older)::int + (txn IS DISTINCT FROM pg_current_xact_id_if_assigned()::text)::int").Scan(&n)
				s.Observe("transactions", fmt.Sprint(n, err))
			})
		}
	}, isolation.RC)
	if keys := slices.Collect(maps.Keys(got.Outcomes)); len(keys) != 1 || keys[0] != "transactions=1 <nil> transactions=1 <nil> " {
		t.Errorf("%q", keys)
	}
}

// What depends on other sessions' transactions cannot be known and is refused.
func TestOtherTransactionsAreRefused(t *testing.T) {
	t.Parallel()
	for _, function := range []string{"pg_current_snapshot()", "txid_current_snapshot()", "pg_xact_status(pg_current_xact_id())", "txid_status(txid_current())"} {
		err := failure(t, program.Options{}, func(p *program.Program) {
			db := pg.New(p, pg.Schema(accounts+"; CREATE TABLE seen AS SELECT "+function+"::text"), pg.Seed(seed))
			p.Session("s", func(s *program.Session) { _, _ = db.Open(s).Exec("SELECT " + function + ", bal FROM acct") })
		})
		name, _, _ := strings.Cut(function, "(")
		if err == nil || !strings.Contains(err.Error(), name+"() asks for the transactions of other sessions") || !strings.Contains(err.Error(), "system_test.go") {
			t.Errorf("%s: got %v", function, err)
		}
	}
}
