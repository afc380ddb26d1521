package minimise_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore/minimise"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// counters: three sessions add to x in Go, one of them twice, and commit.
func counters(p *program.Program) {
	x := program.NewVar(p, "x", 0)
	for i, who := range []string{"a", "b", "c"} {
		p.Session(who, func(s *program.Session) {
			for range 1 + i/2 {
				s.Txn("add", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
			}
		})
	}
	p.Final("sum", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) == 4, "x is %d", x.Get(tx)) })
	p.Invariant("never", func(o *program.Outcome) error {
		if x := o.Finals[0].Reads[0].Value; x == 1 {
			return fmt.Errorf("x is %d", x)
		}
		return nil
	})
}

func onDatabase(t *testing.T, explore func(*program.Program)) *program.Client {
	t.Helper()
	c, err := program.NewClient("Explore", explore, program.Options{Database: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fewestSwitches is the number of switches that a violation takes at least, by
// the schedules of all violations over every path.
func fewestSwitches(t *testing.T, found []*dpor.Found) int {
	t.Helper()
	least := 1 << 20
	for _, f := range found {
		least = min(least, switchesOf(f))
	}
	return least
}

func switchesOf(f *dpor.Found) (n int) {
	last := int8(-1)
	for _, c := range f.Schedule {
		if c.Kind == model.RunSession && c.N != last {
			n, last = n+1, c.N
		}
	}
	return n
}

// The violation that is shown has no more switches than any that the exploration
// yields, and is the same whichever it began with.
func TestExecuted(t *testing.T) {
	c := onDatabase(t, counters)
	opts := dpor.Options{Level: isolation.PgRC, All: true}
	all := violations(t, c, opts)
	least := fewestSwitches(t, all)
	var shown string
	for _, first := range []*dpor.Found{all[0], all[len(all)/2], all[len(all)-1]} {
		got := minimise.Executed(t.Context(), c, opts, first, minimise.Any)
		if n := switchesOf(got); n > least || len(got.Failures) == 0 {
			t.Errorf("%d switches, want at most %d", n, least)
		}
		if text := fmt.Sprint(got.Schedule); shown == "" {
			shown = text
		} else if switchesOf(first) > least && text != shown {
			t.Errorf("%s, and %s from another one", text, shown)
		}
	}
	never := func(f *behaviour.Failure) bool { return f.Name == "never" }
	if got := minimise.Executed(t.Context(), c, opts, all[0], never); got != all[0] && !never(got.Failures[len(got.Failures)-1]) {
		t.Errorf("%v is not what was wanted", got.Failures)
	}
}

// What would have prevented a violation: nothing, the weakest stronger level at which it cannot be, or
// that no error of the database is dropped.
func TestCauseOf(t *testing.T) {
	retried := func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		for _, who := range []string{"a", "b"} {
			p.Session(who, func(s *program.Session) {
				for s.Txn("add", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil }) != nil {
				}
			}) // At READ COMMITTED nothing fails, and an update is lost.
		}
		p.Final("sum", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) == 2, "x is %d", x.Get(tx)) })
	}
	always := func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		p.Session("a", func(s *program.Session) {
			s.Txn("set", func(tx *program.Tx) error { x.Set(tx, 1); return nil }, program.At(isolation.PgRC))
		})
		p.Final("sum", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) == 2, "x is %d", x.Get(tx)) })
	}
	skewed := func(p *program.Program) {
		x, y := program.NewVar(p, "x", 1), program.NewVar(p, "y", 1)
		for i, mine := range []*program.Var[int]{x, y} {
			p.Session([]string{"a", "b"}[i], func(s *program.Session) {
				s.Txn("leave", func(tx *program.Tx) error {
					if x.Get(tx)+y.Get(tx) == 2 {
						mine.Set(tx, 0)
					}
					return nil
				})
			}) // Both read what the other one writes: snapshots allow it.
		}
		p.Final("sum", func(tx *program.Tx) error { return program.Assert(x.Get(tx)+y.Get(tx) > 0, "nobody is left") })
	}
	for name, test := range map[string]struct {
		explore func(*program.Program)
		level   isolation.Level
		want    minimise.Cause
	}{
		"prevented":       {retried, isolation.PgRC, minimise.Cause{Serially: "holds", AtStrongest: "holds", Errors: []string{"40001"}, Weakest: "pg-rr", WeakestErrors: []string{"40001"}}},
		"skewed":          {skewed, isolation.PgRC, minimise.Cause{Serially: "holds", AtStrongest: "holds", Errors: []string{"40001"}, Weakest: "pg-ser", WeakestErrors: []string{"40001"}}},
		"dropped":         {counters, isolation.PgRC, minimise.Cause{Serially: "holds", AtStrongest: "fails", Errors: []string{"40001"}}},
		"at the level":    {counters, isolation.PgSer, minimise.Cause{Serially: "holds"}},
		"not a matter of": {always, isolation.PgRR, minimise.Cause{Serially: "fails", AtStrongest: "fails"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := onDatabase(t, test.explore)
			opts := dpor.Options{Level: test.level}
			first := violations(t, c, opts)[0]
			if diff := cmp.Diff(test.want, minimise.CauseOf(t.Context(), c, opts, first.Failures[0])); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
