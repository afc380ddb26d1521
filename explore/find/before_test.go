package find

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/program/load"
)

// What is counted cannot be locked: the row to which it refers is, which has been read before. A constant that
// ends with a semicolon has no patch that appends to it.
func TestLockBefore(t *testing.T) {
	deadlinetest.Long(t)
	r := find(t, Options{Level: isolation.PgRC, Run: true, Execution: Execution{Advice: true}, Config: load.Config{Dir: "shows"}})
	alike := map[string]bool{"Sell Sell": true, "SellToo SellToo": true}
	for _, f := range r.Findings {
		calls := strings.Join(f.Calls, " ")
		if !alike[calls] {
			continue
		}
		delete(alike, calls)
		var lock *Advice
		for _, a := range f.Advice {
			if a.Kind == "lock" {
				lock = a
			}
		}
		switch {
		case lock == nil:
			t.Errorf("%s: no lock is advised", calls)
		case !strings.HasSuffix(strings.Join(lock.Change, ""), "SELECT seats FROM show WHERE id = $1 FOR NO KEY UPDATE"):
			t.Errorf("%s: %q", calls, lock.Change)
		case calls == "Sell Sell" != strings.Contains(lock.Patch, `getShow+" FOR NO KEY UPDATE"`), calls == "SellToo SellToo" != (lock.Patch == ""):
			t.Errorf("%s: the patch is\n%s", calls, lock.Patch)
		}
	}
	if len(alike) > 0 {
		t.Errorf("no anomaly of %v:\n%s", alike, r.Text())
	}
}
