package integration_test

import (
	"path/filepath"
	"testing"

	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/program/load"
)

// txmc find reads one transaction off each way to begin one, with its level, its two
// statements, and the flow from what the first finds to what the second is given.
func TestTransactionsOfLibraries(t *testing.T) {
	dir, err := filepath.Abs("transactions")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := load.LoadSource(t.Context(), load.Config{Dir: dir, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	p := source.Find(t.Context(), loaded, source.Options{})
	for _, u := range p.Unknown {
		t.Errorf("%s: %s", u.At, u.What)
	}
	want := map[string]string{"Gorm.Take": "", "Bun.Take": "ser", "Pgx.Take": "", "Pgx.TakeRepeatable": "rr", "Sqlx.Take": "", "Sqlc.Take": ""}
	for _, c := range p.Calls {
		level, known := want[c.Name]
		if delete(want, c.Name); !known || len(c.Transactions) != 1 {
			t.Errorf("%s: %d transactions", c.Name, len(c.Transactions))
			continue
		}
		tx := c.Transactions[0]
		if tx.Auto || tx.Level != level || len(tx.Statements) != 2 {
			t.Errorf("%s: autocommit %v, level %q, %d statements", c.Name, tx.Auto, tx.Level, len(tx.Statements))
			continue
		}
		if got := tx.Statements[1].Args[0].String(); got != "column 1 of 1 - n" {
			t.Errorf("%s: the UPDATE is given %q", c.Name, got)
		}
	}
	for name := range want {
		t.Errorf("%s was not found", name)
	}
}
