package anomaly_test

import (
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// serialHistory runs transactions one after another, each in a random session;
// the last two both read before either writes.
func serialHistory(r *rand.Rand, n int) *semantics.History {
	const sessions, vars = 10, 15
	h := &semantics.History{Sessions: sessions, Final: -1, Txns: []semantics.Txn{{Session: -1, Status: semantics.Committed}}}
	var state, before [vars]int
	var counts [sessions]int
	for i := 1; i <= n; i++ {
		session := r.IntN(sessions - 2)
		if i > n-2 {
			session = sessions - 1 - (n - i)
		}
		t := semantics.Txn{Session: session, Index: counts[session], Status: semantics.Committed}
		counts[session]++
		if i < n {
			before = state
		}
		for range 4 {
			x := r.IntN(vars)
			t.Events = append(t.Events, semantics.Event{Var: behaviour.VarID(x), From: before[x]})
		}
		t.Events = append(t.Events, semantics.Event{Var: 0, From: before[0]})
		for _, x := range []int{0, 1 + r.IntN(vars-1)} {
			t.Events = append(t.Events, semantics.Event{Kind: semantics.Write, Var: behaviour.VarID(x)})
			state[x] = i
		}
		h.Txns = append(h.Txns, t)
	}
	return sorted(h)
}

// A history of 100 transactions is explained at once.
func TestLargeHistories(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		h := serialHistory(rand.New(rand.NewPCG(seed, 0)), 100)
		x := anomaly.Explain(h)
		if x.Proof == nil || x.Anomaly.Name != "lost update" || x.Proof.Level != isolation.SI {
			t.Errorf("%+v", x)
		}
		s := anomaly.Schedule(h, nil)
		if s.FirstNonSerial < 0 {
			t.Error("a serial story")
		}
	}
}

// blindHistory has many writes that say nothing about their order, and reads that
// may be of one write back.
func blindHistory(r *rand.Rand, n int) *semantics.History {
	const most = 30
	vars := 4 + r.IntN(most-4)
	h := &semantics.History{Sessions: n, Final: -1, Txns: []semantics.Txn{{Session: -1, Status: semantics.Committed}}}
	var last, before [most]int
	for i := 1; i <= n; i++ {
		t := semantics.Txn{Session: i - 1, Status: semantics.Committed}
		x, y := r.IntN(vars), r.IntN(vars)
		switch {
		case i%2 == 0:
			t.Events = []semantics.Event{{Kind: semantics.Write, Var: behaviour.VarID(x)}, {Kind: semantics.Write, Var: behaviour.VarID(y)}}
			before[x], last[x] = last[x], i
			if x != y {
				before[y], last[y] = last[y], i
			}
		default:
			for _, v := range []int{x, y} {
				from := last[v]
				if r.IntN(2) == 0 {
					from = before[v]
				}
				t.Events = append(t.Events, semantics.Event{Var: behaviour.VarID(v), From: from})
			}
		}
		h.Txns = append(h.Txns, t)
	}
	return h
}

// Blind writes leave open what a search for a commit order would have to try.
// Nearly always the order of the writers can be completed, or a short proof
// found, without one.
func TestManyBlindWrites(t *testing.T) {
	t.Parallel()
	proofs := 0
	for seed := range uint64(40) {
		h := blindHistory(rand.New(rand.NewPCG(seed, 0)), 100)
		for _, l := range isolation.Levels() {
			p := anomaly.Prove(h, l)
			if p == nil {
				continue
			}
			proofs++
			if p.Exhausted {
				t.Errorf("seed %d, %v: no proof", seed, l)
			}
			if err := (&checker{h: h, level: l}).proof(p); err != nil {
				t.Errorf("seed %d, %v: %v", seed, l, err)
			}
		}
	}
	t.Log(proofs, "proofs")
}

func BenchmarkExplain(b *testing.B) {
	h := serialHistory(rand.New(rand.NewPCG(1, 0)), 100)
	for b.Loop() {
		anomaly.Explain(h)
	}
}

func BenchmarkTell(b *testing.B) {
	h := serialHistory(rand.New(rand.NewPCG(1, 0)), 100)
	for b.Loop() {
		anomaly.Schedule(h, nil)
	}
}
