package find

import (
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/program/load"
)

// Calls that wait for each other are told, by the order of their arguments too, but for one that another call makes, and
// that makes it again; and what locks in one order is not.
func TestDeadlocks(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	r := find(t, Options{Level: isolation.PgRC, Run: true, Config: load.Config{Dir: "waits"}})
	var found []string
	for _, f := range r.Findings {
		found = append(found, f.Rank.String()+" "+strings.Join(f.Calls, " "))
		if len(f.Bug.At) == 0 || f.Between || len(f.Advice) > 0 {
			t.Errorf("%+v", f.Bug)
		}
	}
	slices.Sort(found)
	if want := []string{"deadlock Store.Book Store.Book"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	if r.Confirmed > 0 || len(r.Unconfirmed) != r.Structures {
		t.Errorf("%d confirmed and %d not, of %d structures", r.Confirmed, len(r.Unconfirmed), r.Structures)
	}
	if text := r.Short("txmc find"); !strings.Contains(text, "Store.Book × Store.Book: deadlock on room, and the call is not made again") {
		t.Error(text)
	}
}
