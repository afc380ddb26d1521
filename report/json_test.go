package report_test

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

type color int

func (c color) String() string { return "red" }

type point struct{ X, Y int }

// everything does all that a history can tell, in one order only.
func everything(p *program.Program) {
	x := program.NewVar(p, "x", 1)
	p.Session("a", func(s *program.Session) {
		s.Observe("start", nil)
		s.Txn("values", func(tx *program.Tx) error {
			for i, v := range []any{true, "a<b", color(1), 1.5, float32(0.1), math.NaN(), math.Inf(-1), uint64(math.MaxUint64), int64(math.MinInt64),
				point{1, 2}, []string{"a"}, nil, 'x', 1e21, "\xff", complex(1, 2)} {
				tx.Write(fmt.Sprintf("k%02d", i), v)
			}
			s.Observe("inside", point{3, 4})
			return nil
		})
		s.Observe("after", 7)
		s.Txn("fails", func(tx *program.Tx) error {
			x.Set(tx, x.Get(tx)+1)
			x.Get(tx)
			x.Get(tx)
			return errors.New("no luck")
		})
	})
	p.Final("check", func(tx *program.Tx) error {
		return program.Assertf(x.Get(tx)+x.Get(tx) == 3, "x is %d", x.Get(tx))
	})
	p.Invariant("sum", func(o *program.Outcome) error { return errors.New("never holds") })
}

func explored(t *testing.T, explore func(*program.Program), opts dpor.Options) (report.Source, []*dpor.Found, dpor.Stats) {
	t.Helper()
	client, err := program.NewClient("ExploreEverything", explore, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opts.Base = opts.Level.Base()
	x := dpor.Explore(t.Context(), client, opts)
	var all []*dpor.Found
	for f, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return report.Source{Package: "example.com/bank", Program: client.Name, Level: opts.Level, Names: client}, all, x.Stats()
}

// The schema: names and order of fields, and how values are written.
func TestJSON(t *testing.T) {
	src, all, stats := explored(t, everything, dpor.Options{Level: isolation.SI, All: true})
	var b strings.Builder
	for _, f := range all {
		for _, v := range []any{src.Listed(report.Case(*f)), src.Violation(report.Case(*f))} {
			b.WriteString(line(t, v))
		}
	}
	result := line(t, &report.Result{
		Type: report.TypeResult, Schema: report.Schema, Package: src.Package, Program: src.Program, Iso: src.Level.String(),
		Base: "cc", Engine: string(stats.Engine), Histories: stats.Histories, EndStates: stats.EndStates, Explored: stats.Explored,
		Blocked: stats.Blocked, Violations: stats.Violations, Complete: stats.Complete, Stopped: string(stats.Stopped),
	})
	b.WriteString(regexp.MustCompile(`"seconds":[^,]*,"peak_bytes":[^}]*`).ReplaceAllString(result, `"seconds":0,"peak_bytes":0`))
	b.WriteString(line(t, report.NewError("example.com/bank", "ExploreX", "si", &behaviour.Error{
		Kind: behaviour.Stalled, Session: "a", Message: "m", At: behaviour.Location{File: "/src/bank.go", Line: 3}, Stack: []string{"f (bank.go:3)"}})))
	b.WriteString(line(t, report.NewError("example.com/bank", "ExploreX", "", errors.New("m"))))
	// One field a line, so that a change of the schema is a readable diff.
	golden(t, "schema.golden", strings.NewReplacer(`,"`, ",\n \"", "},{", "},\n{").Replace(b.String()))
}

func line(t *testing.T, v any) string {
	t.Helper()
	b, err := report.Line(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What is read back is what was written.
func TestParse(t *testing.T) {
	src, all, _ := explored(t, everything, dpor.Options{Level: isolation.SI, All: true})
	for _, f := range all {
		written := line(t, src.Violation(report.Case(*f)))
		if got := report.Type([]byte(written)); got != report.TypeViolation {
			t.Errorf("type %q", got)
		}
		var v report.Violation
		if err := report.Parse([]byte(written), &v); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(written, line(t, &v)); diff != "" {
			t.Errorf("-written +read\n%s", diff)
		}
		before, after := (&report.Text{}).Violation(src.Violation(report.Case(*f))), (&report.Text{}).Violation(&v)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("text from structs and from JSON: -structs +JSON\n%s", diff)
		}
	}
}

func TestType(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "\n": "", "{}": "", `{"type":`: "", `{"type":"result","x":1}`: "result", `{"program":"type"}`: "", `{"type":"end"}`: "end",
	} {
		if got := report.Type([]byte(in)); got != want {
			t.Errorf("Type(%q) = %q, want %q", in, got, want)
		}
	}
}

// The JSON of a history does not depend on the order of the search: sessions
// declared in another order give the same set of histories, up to the order of
// the transactions in a line.
func TestIndependentOfOrder(t *testing.T) {
	counter := func(names ...string) func(*program.Program) {
		return func(p *program.Program) {
			x := program.NewVar(p, "x", 0)
			for _, name := range names {
				p.Session(name, func(s *program.Session) {
					s.Txn("inc", func(tx *program.Tx) error {
						x.Set(tx, x.Get(tx)+1)
						return nil
					})
				})
			}
		}
	}
	set := func(opts dpor.Options, names ...string) map[string]bool {
		src, all, _ := explored(t, counter(names...), opts)
		lines := map[string]bool{}
		for _, f := range all {
			h := src.History(report.Case(*f))
			if len(names) > 0 && names[0] != "a" { // back into the other's order
				h.Transactions[1], h.Transactions[2] = h.Transactions[2], h.Transactions[1]
				h.WR[0], h.WR[1] = h.WR[1], h.WR[0]
			}
			s := line(t, h)
			if lines[s] {
				t.Errorf("twice: %s", s)
			}
			lines[s] = true
		}
		return lines
	}
	opts := dpor.Options{Level: isolation.CC, List: true, All: true}
	want := set(opts, "a", "b")
	if len(want) != 3 {
		t.Errorf("%d histories, want 3", len(want))
	}
	if diff := cmp.Diff(want, set(opts, "b", "a")); diff != "" {
		t.Errorf("-a,b +b,a\n%s", diff)
	}
}
