package report_test

import (
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/testdata/bank"
	"github.com/txmc/txmc/testdata/causality"
	"github.com/txmc/txmc/testdata/longfork"
	"github.com/txmc/txmc/testdata/seats"
)

// What an explanation names is in the history. A cycle is closed. Its so and wr edges
// stand in the history, and its ww and rw edges have a reason. The steps are all
// operations, with what is read committed before.
func TestExplanationOfHistory(t *testing.T) {
	for _, p := range []func(*program.Program){bank.ExploreTransfer, bank.ExploreReceipts, bank.ExploreOverdraft, causality.ExploreAlbum, longfork.ExploreScore, seats.ExploreReserve} {
		for _, l := range []isolation.Level{isolation.RC, isolation.CC, isolation.SI} {
			src, all, _ := explored(t, p, dpor.Options{Level: l, All: true})
			for _, f := range all {
				v := src.Violation(report.Case(*f))
				e := v.Explanation
				if !slices.Contains(e.Allowed, v.Iso) || len(e.Allowed)+len(e.Forbidden) != 6 {
					t.Errorf("%s: allowed %v, forbidden %v", v.Iso, e.Allowed, e.Forbidden)
				}
				if (e.ForbiddenBy == "") != (len(e.Forbidden) == 0) || e.ForbiddenBy != "" && e.ForbiddenBy != e.Forbidden[0] {
					t.Errorf("forbidden by %q, forbidden %v", e.ForbiddenBy, e.Forbidden)
				}
				checkCycle(t, v)
				checkSteps(t, v)
			}
		}
	}
}

func checkCycle(t *testing.T, v *report.Violation) {
	t.Helper()
	cycle := v.Explanation.Cycle
	for i, d := range cycle {
		switch {
		case d.To != cycle[(i+1)%len(cycle)].From:
			t.Errorf("the cycle is broken at %+v", d)
		case d.Kind == "wr" && !slices.Contains(v.History.WR, report.Edge{From: d.From, To: d.To, Key: d.Key}):
			t.Errorf("not in the history: %+v", d)
		case (d.Kind == "ww" || d.Kind == "rw") && (d.Reason == nil || d.Key == ""):
			t.Errorf("without a reason: %+v", d)
		}
	}
}

func checkSteps(t *testing.T, v *report.Violation) {
	t.Helper()
	want, done, committed := 0, map[string]int{}, map[string]bool{"init": true}
	byID := map[string]report.Transaction{}
	for _, x := range v.History.Transactions {
		byID[x.ID] = x
		if x.ID != "init" {
			want += len(x.Events) + 2
		}
	}
	for _, s := range v.Explanation.Steps {
		x := byID[s.Transaction]
		switch {
		case s.Op == "commit":
			committed[s.Transaction] = true
		case s.Event > 0:
			e := x.Events[s.Event-1]
			if done[s.Transaction] != s.Event || e.Op != s.Op {
				t.Errorf("out of order: %+v", s)
			}
			if e.Op == "read" && e.From != "own" && !committed[e.From] {
				t.Errorf("reads what is not committed: %+v", s)
			}
		}
		done[s.Transaction]++
	}
	if len(v.Explanation.Steps) != want {
		t.Errorf("%d steps, want %d", len(v.Explanation.Steps), want)
	}
	if n := v.Explanation.FirstNonSerial; n < -1 || n >= want || (n == -1) != (len(v.Explanation.Forbidden) == 0 || v.Explanation.Forbidden[0] == "") {
		t.Errorf("leaves at %d, forbidden %v", n, v.Explanation.Forbidden)
	}
}

// The values after a history are those of the writes that may be the last. At read
// committed this is any of two writes that do not know of each other. From causal
// consistency on it is the write that a transaction after both reads.
func TestAfter(t *testing.T) {
	twice := func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		for i, name := range []string{"a", "b"} {
			p.Session(name, func(s *program.Session) {
				s.Txn("set", func(tx *program.Tx) error { x.Set(tx, i+1); return nil })
			})
		}
		p.Final("see", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) == 0, "x is %d", x.Get(tx)) })
	}
	for l, want := range map[isolation.Level]int{isolation.RC: 2, isolation.CC: 1, isolation.SER: 1} {
		src, all, _ := explored(t, twice, dpor.Options{Level: l, All: true})
		for _, f := range all {
			v := src.Violation(report.Case(*f))
			reads := v.History.Transactions[3].Events
			if reads[0].From != reads[1].From || reads[0].From == "init" {
				continue
			}
			values := v.Explanation.After[0].Values
			if len(values) != want || want == 1 && values[0].By != reads[0].From {
				t.Errorf("%v: final reads %v, after it x is one of %v", l, reads[0].Value, values)
			}
		}
	}
}

func BenchmarkViolation(b *testing.B) {
	client, err := program.NewClient("ExploreOverdraft", bank.ExploreOverdraft, program.Options{})
	if err != nil {
		b.Fatal(err)
	}
	opts := dpor.Options{Level: isolation.SI, Base: isolation.CC}
	for f := range dpor.Explore(b.Context(), client, opts).Histories() {
		if len(f.Failures) > 0 {
			src := report.Source{Program: client.Name, Level: opts.Level, Names: client}
			for b.Loop() {
				src.Violation(report.Case(*f))
			}
			return
		}
	}
}
