package find

import (
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
)

// An invariant that no two calls break is broken by three calls, where three are asked for.
// The run that is shown breaks it. The invariants that are named are those that two calls do
// not break.
func TestThreeCalls(t *testing.T) {
	deadlinetest.Long(t)
	opts := Options{Level: isolation.PgRC, Run: true, Extent: Extent{Calls: 2}}
	opts.Dir = "letters"
	got := func() (list []string) {
		for _, f := range find(t, opts).Findings {
			if strings.Contains(f.Program, "Invariant") || f.Violation == nil {
				t.Errorf("%+v", f)
			}
			list = append(list, strings.Join(f.Calls, " ")+": "+strings.Join(f.Invariants, " "))
		}
		return list
	}
	two := got()
	if !slices.Contains(two, "Desk.Write Desk.Write: InvariantOnce") || strings.Contains(strings.Join(two, "\n"), "InvariantOutbox") {
		t.Errorf("two calls: %q", two)
	}
	opts.Calls = 3
	three := got()
	if want := append(slices.Clone(two), "Desk.Write Desk.Write Desk.Send: InvariantOutbox"); !slices.Equal(slices.Sorted(slices.Values(three)), slices.Sorted(slices.Values(want))) {
		t.Errorf("three calls: %q, not %q", three, want)
	}
}
