package find

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/database"
)

// trialsOf are trials with names; codes are the errors that each costs, "no" when it does not help.
func trialsOf(kind string, codes ...string) (list []*trial, becomes map[string]*trial) {
	becomes = map[string]*trial{}
	for i, code := range codes {
		name := fmt.Sprintf("%s%d", kind, i+1)
		list = append(list, &trial{kind: kind, words: []string{name}, program: generate.Program{Name: name}, serial: strings.HasPrefix(kind, "level")})
		t := &trial{result: &report.Result{Complete: true}}
		switch code {
		case "no":
			t.broken = &report.Violation{}
		case "":
		default:
			t.result.Errors = []report.Expected{{Code: code, Outcomes: 1}}
		}
		becomes[name] = t
	}
	return list, becomes
}

// searched is a search over two kinds, where a server refutes some trials by their names. It tells what
// ran in each step.
func searched(t *testing.T, refuted ...string) (found *Finding, steps []string) {
	t.Helper()
	found = &Finding{}
	level, becomes := trialsOf("level", "no", "40001", "40001")
	lock, more := trialsOf("lock", "no", "no", "no", "")
	for name, of := range more {
		becomes[name] = of
	}
	s := &search{tracks: []*track{{found: found, twice: true, trials: level}, {found: found, twice: true, trials: lock}}}
	s.run = func(_ context.Context, byName map[string]*trial) error {
		var names []string
		for name, of := range byName {
			names = append(names, name)
			of.broken, of.result = becomes[name].broken, becomes[name].result
		}
		slices.Sort(names)
		steps = append(steps, strings.Join(names, " "))
		return nil
	}
	s.there = func(_ context.Context, helped []*track) error {
		var names []string
		for _, t := range helped {
			name := t.last().program.Name
			names = append(names, name)
			there := &trial{result: &report.Result{Complete: true, Server: "PostgreSQL 15.18", Explored: 7}}
			if slices.Contains(refuted, name) {
				there.broken = &report.Violation{}
			}
			t.onServer(there)
		}
		slices.Sort(names)
		steps = append(steps, "there: "+strings.Join(names, " "))
		return nil
	}
	if err := s.advise(t.Context()); err != nil {
		t.Fatal(err)
	}
	return found, steps
}

// changesOf are what advice, and what was refuted, change.
func changesOf(f *Finding) (advised, refuted string) {
	var a, r []string
	for _, x := range f.Advice {
		a = append(a, x.Change...)
	}
	for _, x := range f.Refuted {
		r = append(r, x.Change...)
	}
	return strings.Join(a, " "), strings.Join(r, " ")
}

// A change that fails on the server is no advice, and the next one of its kind is tried, by exploration and
// there, until one helps in both or none is left. What rests on a plan comes last.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		refuted        []string
		advised, fails string
		there          []string
	}{
		{nil, "lock4 level2", "", []string{"there: level2 lock4"}},
		{[]string{"level2"}, "lock4 level3", "level2", []string{"there: level2 lock4", "there: level3"}},
		{[]string{"level2", "level3"}, "lock4", "level2 level3", []string{"there: level2 lock4", "there: level3"}},
		{[]string{"level2", "lock4"}, "level3", "level2 lock4", []string{"there: level2 lock4", "there: level3"}},
		{[]string{"level2", "level3", "lock4"}, "", "level2 lock4 level3", []string{"there: level2 lock4", "there: level3"}},
	} {
		found, steps := searched(t, c.refuted...)
		there := slices.DeleteFunc(steps, func(s string) bool { return !strings.HasPrefix(s, "there") })
		if advised, fails := changesOf(found); advised != c.advised || fails != c.fails || !slices.Equal(there, c.there) {
			t.Errorf("%q fail: advised %q, refuted %q, in %q; not %q, %q, %q", c.refuted, advised, fails, there, c.advised, c.fails, c.there)
		}
		text := (&Report{Findings: []*Finding{withRun(found)}, Ran: true}).Text()
		if n := strings.Count(text, "no other change of this kind helps in both"); n != len(slices.Compact(kindsLeft(found))) {
			t.Errorf("%q fail: %d kinds are said to be at an end:\n%s", c.refuted, n, text)
		}
	}
}

// withRun gives a finding what its text needs.
func withRun(f *Finding) *Finding {
	f.Violation = &report.Violation{}
	return f
}

// kindsLeft are the kinds that are refuted and have no advice, sorted.
func kindsLeft(f *Finding) (list []string) {
	for _, r := range f.Refuted {
		if !slices.ContainsFunc(f.Advice, func(a *Advice) bool { return a.Kind == r.Kind }) {
			list = append(list, r.Kind)
		}
	}
	slices.Sort(list)
	return list
}

// What could not be run on a server is not refuted, and is said.
func TestCouldNotRun(t *testing.T) {
	level, becomes := trialsOf("level", "")
	tr := &track{found: &Finding{}, trials: level}
	level[0].result = becomes["level1"].result
	if !tr.takes(level[0]) {
		t.Fatal("it has not helped")
	}
	tr.onServer(&trial{failed: "the server has gone"})
	if advised, refuted := changesOf(tr.found); advised != "level1" || refuted != "" || tr.found.Advice[0].Server != "could not be run there: the server has gone" {
		t.Errorf("advised %q (%s), refuted %q", advised, tr.found.Advice[0].Server, refuted)
	}
}

// tickets looks at the package tickets, on a server where there is one.
func tickets(t *testing.T, on explore.OnServer) (sameKey *Finding, other []*Finding) {
	t.Helper()
	r := find(t, Options{Level: isolation.PgRC, Run: true, Execution: Execution{Advice: true}, Server: on, Config: load.Config{Dir: "tickets"}})
	for _, f := range r.Findings {
		if f.Rank == Constraint {
			sameKey = f
		} else {
			other = append(other, f)
		}
	}
	if sameKey == nil || len(other) == 0 {
		t.Fatal(r.Text())
	}
	return sameKey, other
}

// byPlans tells of each advice whether it rests on a plan.
func byPlans(f *Finding) (list []string) {
	for _, a := range f.Advice {
		list = append(list, fmt.Sprint(a.Kind, " ", a.ByPlan))
	}
	return list
}

// A level that helps because the later of two inserts of a key fails with 40001 is said to be unsure, and
// comes last; not where the keys differ.
func TestByPlan(t *testing.T) {
	deadlinetest.Long(t)
	sameKey, other := tickets(t, explore.OnServer{})
	if diff := gocmp.Diff([]string{"unique false", "level true"}, byPlans(sameKey)); diff != "" {
		t.Error(diff)
	}
	for _, f := range other {
		if diff := gocmp.Diff([]string{"unique false", "level false"}, byPlans(f)); diff != "" {
			t.Error(diff)
		}
	}
}

// On a server whose plan takes another index, the level does not help two calls with one key: that is told,
// and is no advice. What helps there too is.
func TestRefutedOnServer(t *testing.T) {
	deadlinetest.Long(t)
	programs, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if _, err := exec.LookPath("initdb"); err != nil && len(programs) == 0 {
		t.Skip("PostgreSQL's programs are not installed")
	}
	loan, err := database.Lend(t.Context(), "postgres:temp", "")
	if err != nil {
		t.Fatal(err)
	}
	defer loan.End()
	on := explore.OnServer{Confirm: true}
	on.DSN, on.Kind = loan.Where()
	sameKey, other := tickets(t, on)
	for _, f := range append(other, sameKey) {
		for _, a := range f.Advice {
			if !strings.HasPrefix(a.Server, "helps on ") {
				t.Errorf("%s is advised: %s", a.Change, a.Server)
			}
		}
		if f != sameKey && len(f.Refuted) > 0 {
			t.Errorf("%v: %v", f.Invoked, f.Refuted)
		}
	}
	server := sameKey.Violation.Confirmation.Server
	var major int
	if fmt.Sscanf(server, "PostgreSQL %d", &major); major >= 18 {
		t.Skipf("%s has the plan of the engine in the process", server)
	}
	advised, refuted := changesOf(sameKey)
	if advised != `CREATE UNIQUE INDEX ON ticket ("customer", "show")` || refuted != "Office.Sell at SERIALIZABLE" {
		t.Fatalf("advised %q, refuted %q", advised, refuted)
	}
	for _, want := range []string{server, "ends with 23505", "under the model it is 40001", "no other change of this kind helps in both"} {
		if text := strings.Join(strings.Fields((&Report{Findings: []*Finding{sameKey}}).Text()), " "); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
