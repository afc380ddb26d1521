package explore_test

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// results keeps results and violations.
type results struct {
	results    []*report.Result
	violations []*report.Violation
}

func (*results) Turn(string, string, *dpor.Exploration) {}

func (r *results) Event(event any) {
	switch event := event.(type) {
	case *report.Result:
		r.results = append(r.results, event)
	case *report.Violation:
		r.violations = append(r.violations, event)
	}
}

// counters: two sessions increment a counter; each then goes on.
func counters(p *program.Program, then func(s *program.Session, x *program.Var[int])) {
	x := program.NewVar(p, "x", 0)
	for _, name := range []string{"a", "b"} {
		p.Session(name, func(s *program.Session) {
			s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
			then(s, x)
		})
	}
}

// unasserted are programs, and what is checked of each where an update is lost.
var unasserted = map[string]struct {
	program func(p *program.Program)
	checked string // serializable, or "" for what the program asserts
	fails   bool   // at PC, where an update may be lost
}{
	"nothing": {func(p *program.Program) { counters(p, func(*program.Session, *program.Var[int]) {}) }, "serializable", true},
	"assert in place": {func(p *program.Program) {
		counters(p, func(s *program.Session, x *program.Var[int]) { s.Assert(true) })
	}, "", false},
	"assertion of a transaction": {func(p *program.Program) {
		counters(p, func(s *program.Session, x *program.Var[int]) {
			s.Txn("look", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) > 0, "lost") })
		})
	}, "", false},
	"never met": {func(p *program.Program) {
		counters(p, func(s *program.Session, x *program.Var[int]) {
			s.Txn("look", func(tx *program.Tx) error { return program.Assert(x.Get(tx) < 5 || program.Assert(true) == nil) })
			if len(s.Name()) > 1 {
				s.Assert(false)
			}
		})
	}, "", false},
	"only where it fails": {func(p *program.Program) {
		counters(p, func(s *program.Session, x *program.Var[int]) {
			s.Txn("dec", func(tx *program.Tx) error {
				n := x.Get(tx)
				if x.Set(tx, n-1); n == 0 { // an update is lost
					s.Assert(true)
				}
				return nil
			})
		})
	}, "", false},
	"final": {func(p *program.Program) { counters(p, nothing); p.Final("any", func(*program.Tx) error { return nil }) }, "", false},
	"invariant": {func(p *program.Program) {
		counters(p, nothing)
		p.Invariant("any", func(*program.Outcome) error { return nil })
	}, "", false},
	"panics": {func(p *program.Program) {
		counters(p, func(s *program.Session, x *program.Var[int]) {
			if len(s.Name()) > 1 {
				panic("never")
			}
		})
	}, "serializable", true},
}

func nothing(*program.Session, *program.Var[int]) {}

// Of a program that asserts nothing in its declarations, and in no run, outcomes have to be serial,
// at axiomatic levels and at those of databases. What it asserts counts else, also when only runs with
// an interruption come to it.
func TestUnasserted(t *testing.T) {
	t.Parallel()
	for name, test := range unasserted {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, level := range []isolation.Level{isolation.PC, isolation.SI, isolation.PgRC, isolation.PgRR} {
				var got results
				r := &explore.Run{Package: "p", Options: explore.Options{Levels: []isolation.Level{level}, Workers: 1}, Sink: &got}
				r.Programs(t.Context(), []explore.Program{{Name: "ExploreIt", Explore: test.program}})
				if len(got.results) != 1 {
					t.Fatalf("%v: %d results", level, len(got.results))
				}
				one := got.results[0]
				fails := test.fails && (level == isolation.PC || level == isolation.PgRC)
				if one.Checked != test.checked || one.Unchecked != "" || (one.Violations > 0) != fails {
					t.Errorf("%v: checked %q, unchecked %q, %d violations; want %q, failing %v", level, one.Checked, one.Unchecked, one.Violations, test.checked, fails)
				}
				for _, v := range got.violations {
					if f := v.Failures[0]; !f.Unasserted || !strings.HasPrefix(f.At, "unasserted_test.go:") {
						t.Errorf("%v: the failure is %+v", level, f)
					}
				}
			}
		})
	}
}

// Where outcomes are serial whatever happens, or the user wants to count, nothing is checked.
func TestUnchecked(t *testing.T) {
	t.Parallel()
	alone := func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		p.Session("a", func(s *program.Session) {
			s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, 1); return nil })
		})
	}
	for _, test := range []struct {
		program func(*program.Program)
		level   isolation.Level
		options string
		want    string
	}{
		{unasserted["nothing"].program, isolation.SER, "", "every history at ser is serializable"},
		{unasserted["nothing"].program, isolation.PgSer, "", ""},
		{unasserted["nothing"].program, isolation.PC, explore.UnassertedNothing, "it asserts nothing"},
		{unasserted["final"].program, isolation.SER, explore.UnassertedNothing, ""},
		{unasserted["assert in place"].program, isolation.SER, "", ""},
		{alone, isolation.PC, "", "has one session only"},
		{alone, isolation.PgRC, "", "has one session only"},
	} {
		var got results
		r := &explore.Run{Package: "p", Options: explore.Options{Levels: []isolation.Level{test.level}, Workers: 1, Unasserted: test.options}, Sink: &got}
		r.Programs(t.Context(), []explore.Program{{Name: "ExploreIt", Explore: test.program}})
		one := got.results[0]
		if (one.Unchecked == "") != (test.want == "") || !strings.Contains(one.Unchecked, test.want) || one.Violations > 0 {
			t.Errorf("%v: unchecked %q, want %q", test.level, one.Unchecked, test.want)
		}
		said := (&report.Text{}).Result(one)
		if strings.HasPrefix(said, "NOTHING CHECKED  ExploreIt  iso=") != (test.want != "") {
			t.Error(said)
		}
	}
}
