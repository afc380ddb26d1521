package workload

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/isolation"
)

// What is recorded session by session is what is recorded as transactions end, in
// another order.
func TestSorted(t *testing.T) {
	recorded := func(sorted bool) (all []history.Txn) {
		g, err := New(Config{Sessions: 5, Txns: 20, Ops: 6, Reads: 0.5, Keys: 10, Ending: Ending{Aborts: 0.1}, Level: isolation.SI, Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Record(t.Context(), Recording{Timed: true, Sorted: sorted}, history.Sink{Txn: func(x *history.Txn) error {
			y := *x
			y.Ops = slices.Clone(x.Ops)
			all = append(all, y)
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	bySession := func(a, b history.Txn) int {
		m, _ := strconv.Atoi(a.Session)
		n, _ := strconv.Atoi(b.Session)
		return m - n
	}
	want, got := recorded(false), recorded(true)
	if slices.IsSortedFunc(want, bySession) {
		t.Fatal("the sessions are not interleaved: the test shows nothing")
	}
	slices.SortStableFunc(want, bySession)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
