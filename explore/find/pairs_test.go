package find

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/driver"
)

// A search that has no time left for cycles of three calls says that there is no bug of two, and only where all of these were run.
func TestPairs(t *testing.T) {
	r := &Report{Transactions: 3, Iso: "pg-rc", Ran: true, Interrupted: true, Budget: "2m0s"}
	for _, pairs := range []bool{false, true} {
		r.Pairs = pairs
		text := r.Short("txmc find")
		if got := strings.HasPrefix(text, "no bug of two calls in 3 transactions"); got != pairs || (r.status() == driver.OK) != pairs {
			t.Errorf("pairs %v: %v, %q", pairs, r.status(), text)
		}
	}
	r.Findings = []*Finding{{Calls: []string{"A", "B"}}}
	if r.status() != driver.Violation || strings.Contains(r.Short("txmc find"), "no bug") {
		t.Error(r.Short("txmc find"))
	}
}
