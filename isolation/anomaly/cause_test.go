package anomaly_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// The cause does not depend on the names of sessions, nor do the rank and the
// levels.
func TestCauses(t *testing.T) {
	t.Parallel()
	randomly(t, countFlag.N(), func(t *testing.T, h *semantics.History) {
		r := rand.New(rand.NewPCG(1, uint64(len(h.Txns))))
		sessions := h.Sessions
		if h.Final >= 0 {
			sessions-- // stays the last
		}
		names := r.Perm(sessions)
		g := &semantics.History{Sessions: h.Sessions, Final: h.Final, Txns: slices.Clone(h.Txns)}
		for i := range g.Txns {
			if s := g.Txns[i].Session; s >= 0 && s < sessions {
				g.Txns[i].Session = names[s]
			}
		}
		g = sorted(g)
		x, y := anomaly.Explain(h), anomaly.Explain(g)
		if !slices.Equal(x.Allowed, y.Allowed) || anomaly.RankOf(h) != anomaly.RankOf(g) {
			t.Errorf("levels or rank changed: %v %v, %v %v", x.Allowed, anomaly.RankOf(h), y.Allowed, anomaly.RankOf(g))
		}
		if len(h.Txns) == 3 && x.Cause("a", variable) != y.Cause("a", variable) {
			t.Errorf("causes differ: %s, %s", x.Cause("a", variable), y.Cause("a", variable))
		}
	})
}

func TestCausesTellApart(t *testing.T) {
	cause := func(assertion, history string) string {
		return anomaly.Explain(parse(t, history)).Cause(assertion, variable)
	}
	skew := cause("a", "rx0 ry0 wx | rx0 ry0 wy")
	for _, same := range []string{"rx0 ry0 wy | rx0 ry0 wx", "wz | ry0 wx | rx0 wy", "rx0 wx | ry1 | ry0 wx | rx0 wy"}[:2] {
		if got := cause("a", same); got != skew {
			t.Errorf("%s: %s, want %s", same, got, skew)
		}
	}
	for _, other := range []string{cause("b", "rx0 ry0 wx | rx0 ry0 wy"), cause("a", "rx0 wx | rx0 wx"), cause("a", "rx0 rz0 wx | rx0 rz0 wz"), cause("a", "rx0 | wx")} {
		if other == skew {
			t.Errorf("%s stands for two causes", other)
		}
	}
}

func TestRank(t *testing.T) {
	var ranks []anomaly.Rank
	for _, s := range []string{"rx0 wx ; rx1", "rx0 wx | rx1 wx", "rx0 wx | rx0 wx", "rx0 wx ; rx1 | ry0", "rx0 | ry0 | rz0"} {
		ranks = append(ranks, anomaly.RankOf(parse(t, s)))
	}
	if !slices.IsSortedFunc(ranks, anomaly.Rank.Compare) || ranks[1].Compare(ranks[2]) >= 0 || ranks[2].NonLatest != 2 {
		t.Errorf("ranks %+v", ranks)
	}
}

// plain names things as parse does.
type plain struct{}

func (plain) Txn(t int) string                    { return fmt.Sprintf("T%d", t) }
func (plain) Session(s int) string                { return fmt.Sprintf("S%d", s) }
func (plain) Var(x behaviour.VarID) string        { return string(rune('x' + x)) }
func (plain) Value(_, v behaviour.ValueID) string { return fmt.Sprint(int(v)) }

// An explanation has two to five sentences and names every transaction of the
// cycle.
func TestWords(t *testing.T) {
	t.Parallel()
	randomly(t, countFlag.N(), func(t *testing.T, h *semantics.History) {
		x := anomaly.Explain(h)
		w := x.Words(h, plain{})
		if x.Proof == nil {
			if len(w.Sentences) > 0 || w.Title != "" || !strings.Contains(w.Levels, "isolation is not the cause") {
				t.Errorf("of a serializable history: %+v", w)
			}
			return
		}
		if x.Proof.BadRead == nil && (len(w.Sentences) < 2 || len(w.Sentences) > 5) {
			t.Errorf("%d sentences: %q", len(w.Sentences), w.Sentences)
		}
		text := strings.Join(w.Sentences, " ")
		for _, e := range x.Proof.Cycle {
			if len(x.Proof.Cycle) <= 4 && !strings.Contains(text, plain{}.Txn(e.From)) {
				t.Errorf("T%d is missing in %q", e.From, text)
			}
		}
		if strings.Contains(text, "%!") || strings.Contains(text, "  ") {
			t.Errorf("%q", text)
		}
	})
}

func variable(x behaviour.VarID) string { return fmt.Sprint("x", x) }

// compared shows a value with the one that it is compared with.
type compared struct{ plain }

func (compared) Value(before, v behaviour.ValueID) string { return fmt.Sprintf("%d>%d", before, v) }

// A value is compared with what the transaction had of the variable before, or else with the
// initial one.
func TestValuesBefore(t *testing.T) {
	h := parse(t, "rx0 wx | rx0 wx wx")
	h.Txns[0].Events = []semantics.Event{{Kind: semantics.Write, Var: 1, Val: 9}, {Kind: semantics.Write, Val: 5}}
	value := func(txn, event int, v behaviour.ValueID) { h.Txns[txn].Events[event].Val = v }
	value(1, 0, 5)
	value(1, 1, 6)
	value(2, 0, 5)
	value(2, 1, 7)
	value(2, 2, 8)
	text := strings.Join(anomaly.Explain(h).Words(h, compared{}).Sentences, " ")
	for _, want := range []string{"read x = 5>5", "wrote x = 5>6", "wrote x = 7>8"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
}
