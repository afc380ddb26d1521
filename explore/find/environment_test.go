package find

import (
	"testing"

	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
)

// Variables of the environment that say where the database is are those of the session.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	r := find(t, Options{Config: load.Config{Dir: "environment"}, Level: isolation.PgRC, Run: true, Extent: Extent{Whole: true}})
	if len(r.Findings) != 1 || r.Findings[0].Rank != DataLost || r.Confirmed == 0 {
		t.Errorf("%+v, %+v", r.Findings, r.Unconfirmed)
	}
}

// No bug is a result where most of what was to be run was.
func TestMostly(t *testing.T) {
	r := &Report{Transactions: 1, Iso: "pg-rc", Ran: true, Unconfirmed: []Unconfirmed{{Why: noAnomaly}, {Why: "it cannot be explored: it ends"}}}
	if got := r.status(); got != driver.OK {
		t.Errorf("half of it was run: %v", got)
	}
	r.Unconfirmed = append(r.Unconfirmed, Unconfirmed{Why: "it cannot be explored: it ends"}, Unconfirmed{Why: "no arguments make these meet"})
	if got := r.status(); got != driver.Incomplete {
		t.Errorf("a third of it was run: %v", got)
	}
}
