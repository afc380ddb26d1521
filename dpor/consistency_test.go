package dpor_test

import (
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/semantics"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
)

var historiesFlag = deadlinetest.Flag("histories", 4000, 1000, "number of random histories that the levels are compared on")

// Deciding a level agrees with its axiom by definition on histories that no
// program has to give, also on those that no level allows.
func TestSatisfiesByDefinition(t *testing.T) {
	t.Parallel()
	r := random(t.Name())
	yes := map[isolation.Level]int{}
	acyclic, done, n := 0, 0, historiesFlag.N()
	enough := func() bool { // that satisfy a level, that do not, and that satisfy only the one below it
		return !slices.ContainsFunc(isolation.Levels(), func(l isolation.Level) bool {
			return min(yes[l], done-yes[l]) < n/10 || 1000*(yes[l-1]-yes[l]) < 3*n
		})
	}
	for range deadlinetest.Until(t, n, enough) {
		done++
		h := randomHistory(r)
		g := h.Relations()
		data := h.Data()
		for l := isolation.True; l <= isolation.SER; l++ {
			want := g.Satisfies(l)
			if got := isolation.Satisfies(data, l); got != want {
				t.Fatalf("-seed=%d: %v is decided %v, by definition %v: %v (final session %d)", seed(), l, got, want, h, h.Final)
			}
			if want {
				yes[l]++
			}
		}
		if g.Acyclic() {
			acyclic++
		}
	}
	for _, l := range isolation.Levels() {
		t.Logf("%v: %d of %d histories, %d less than %v", l, yes[l], done, yes[l-1]-yes[l], l-1)
	}
	if yes[isolation.True] != acyclic || acyclic == done {
		t.Errorf("%d of %d histories have no cycle, %d satisfy true", acyclic, done, yes[isolation.True])
	}
}

// A history whose so ∪ wr is cyclic satisfies no level, however long the cycle.
func TestCyclicHistories(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 6; n++ {
		h := &reference.History{Sessions: make([][]reference.Log, n), Final: -1}
		for s := range n {
			h.Sessions[s] = []reference.Log{{Status: semantics.Committed, Steps: []reference.Step{
				{Var: s % 2, From: reference.ID{Session: (s + 1) % n}}, {Write: true, Var: 0}, {Write: true, Var: 1},
			}}}
		}
		for l := isolation.True; l <= isolation.SER; l++ {
			if isolation.Satisfies(h.Data(), l) || h.Satisfies(l) {
				t.Errorf("%v satisfies %v", h, l)
			}
		}
	}
}
