package report

import (
	"fmt"
	"strings"
	"testing"
)

// Of many rows that are left, those of tables that nobody has named are counted.
func TestLeft(t *testing.T) {
	t.Parallel()
	e := &Execution{
		Schedule: []Operation{{Statement: `UPDATE "share" SET used = 1`}, {Statement: "SELECT 1", Rows: []string{"reads log {n:1}"}}},
		Left:     []Assigned{{Key: "share", Value: "{id:1}"}, {Key: "log", Value: "{n:1}"}, {Key: "share_kind", Value: "{id:2}"}},
	}
	if got := e.leaves(); !strings.Contains(got, "share_kind = {id:2}") {
		t.Errorf("of three rows one is not shown: %q", got)
	}
	for i := range 20 {
		e.Left = append(e.Left, Assigned{Key: "migration", Value: fmt.Sprintf("{n:%d}", i)})
	}
	const want = "  left: share = {id:1}, log = {n:1}, and 21 rows of 2 tables that no statement\n    names\n"
	if got := e.leaves(); got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
