package find

import (
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
)

// A database in a struct of the application's own is opened by a configuration that is filled, and interfaces that do not
// lead there have values that do nothing. What opens the database by itself is no call, and listed.
func TestWrapped(t *testing.T) {
	t.Parallel()
	r := find(t, Options{Config: load.Config{Dir: "wrapped"}, Level: isolation.PgRC, Run: true, Extent: Extent{Whole: true}})
	if len(r.Findings) != 1 || r.Findings[0].Rank != DataLost || !slices.Equal(r.Findings[0].Calls, []string{"Service.Buy", "Service.Buy"}) {
		t.Errorf("%+v, %+v", r.Findings, r.Unconfirmed)
	}
	if !slices.ContainsFunc(r.Unknown, func(p Problem) bool { return strings.HasPrefix(p.What, "Run opens the database by itself") }) {
		t.Errorf("%+v", r.Unknown)
	}
}
