package explore

import (
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program"
)

// onlookers: two sessions lose an update, and what the third reads makes larger
// and smaller violations of it.
func onlookers(p *program.Program) {
	x := program.NewVar(p, "x", 0)
	for _, name := range []string{"a", "b"} {
		p.Session(name, func(s *program.Session) {
			s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
		})
	}
	p.Session("reader", func(s *program.Session) {
		seen := 0
		s.Txn("look", func(tx *program.Tx) error { seen = x.Get(tx); return nil })
		if seen > 0 {
			s.Txn("again", func(tx *program.Tx) error { x.Get(tx); return nil })
		}
	})
	p.Final("check", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) == 2, "an update is lost") })
}

// A cause is counted as often as it is met, and shown by its smallest violation,
// whichever comes first.
func TestGroups(t *testing.T) {
	t.Parallel()
	client, err := program.NewClient("ExploreIt", onlookers, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opts := dpor.Options{Level: isolation.CC, Base: isolation.CC, All: true, Workers: 1}
	causeOf := func(f *dpor.Found) string { return anomaly.CauseOf(f.History, f.Failures, client.Key) }
	var all []*dpor.Found
	least, count, several := map[string]anomaly.Rank{}, map[string]int64{}, false
	for found, err := range dpor.Explore(t.Context(), client, opts).Histories() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found)
		cause, rank := causeOf(found), anomaly.RankOf(found.History)
		known, ok := least[cause]
		several = several || ok && known != rank
		if !ok || rank.Compare(known) < 0 {
			least[cause] = rank
		}
		count[cause]++
	}
	if !several {
		t.Fatal("the test needs violations of several ranks with the same cause")
	}
	for range 2 {
		var g groups
		for _, found := range all {
			g.add(found, causeOf(found))
		}
		if len(g.list) != len(least) {
			t.Errorf("%d groups of %d causes", len(g.list), len(least))
		}
		for _, group := range g.list {
			if rank := anomaly.RankOf(group.Found.History); rank != least[group.cause] || group.count != count[group.cause] {
				t.Errorf("%d violations of rank %v, want %d of %v", group.count, rank, count[group.cause], least[group.cause])
			}
		}
		slices.Reverse(all)
	}
}
