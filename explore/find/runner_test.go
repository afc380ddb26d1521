package find

import (
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/explore/find/configure"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// Each call is run again in the first program that has it, and in no other; every program
// that is wanted is in one process.
func TestShares(t *testing.T) {
	a, b, c := &source.Call{}, &source.Call{}, &source.Call{}
	r := &runner{finding: &finding{}, pkg: &load.Package{}, names: []string{"AA", "AB", "BA", "BC", "CC"}, programs: programs{wanted: map[string]bool{}, now: map[string]*plan{}}}
	for i, calls := range [][]*source.Call{{a, a}, {a, b}, {b, a}, {b, c}} {
		r.now[r.names[i]] = &plan{config: &configure.Config{Calls: calls}}
		r.wanted[r.names[i]] = true
	}
	known := map[*source.Call]bool{}
	r.twice = r.fresh(known)
	for processes, want := range map[int][][]string{1: {{"AA", "AB", "BC"}, {"BA"}}, 3: {{"AA", "AB", "BC"}, {"BA"}}} {
		if got := r.shares(processes); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%d processes: %q, not %q", processes, got, want)
		}
	}
	for _, name := range r.names[:4] {
		if q := r.request([]string{name}); r.twice[name] != (q.Recheck > 0) || !slices.Equal(q.Programs, []string{name}) {
			t.Errorf("%s: run again %v, programs %q", name, q.Recheck > 0, q.Programs)
		}
	}
	if r.twice = r.fresh(known); len(r.shares(2)) != 2 || len(r.shares(2)[0]) != 2 {
		t.Errorf("a later round deals %q", r.shares(2))
	}
}

// A run that is told again, as one of the ways to an outcome, takes the place of no other run. A
// server is given the runs that an exploration tells.
func TestTakeWays(t *testing.T) {
	of := func(schedule int) *report.Violation {
		v := &report.Violation{Failures: []report.Failure{{Name: "serializable", Message: states.NotLeft}}}
		v.Program, v.Schedule = "ExploreA", make([]report.Operation, schedule)
		return v
	}
	r := &runner{finding: &finding{program: &source.Program{}}}
	p := newPlan(&configure.Config{}, false)
	r.receive(p, of(5))
	r.ways = 2
	r.receive(p, of(3))
	if p.found == nil || len(p.found.Violation.Schedule) != 5 || p.last != "ExploreA" {
		t.Errorf("%+v", p.found)
	}
	r.ways = 0
	r.receive(p, of(4))
	if len(p.found.Violation.Schedule) != 4 {
		t.Errorf("a shorter run of the exploration is not taken: %+v", p.found)
	}
}
