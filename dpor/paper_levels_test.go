package dpor_test

import (
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/semantics"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// The claims of Bouajjani, Enea, Román-Calvo, PLDI 2023, about causal extensibility
// (section 3.2). Take any history of the level, and a pending transaction that nothing
// follows in so ∪ wr. The transaction can take its next step, whatever that is. A read
// can read from a transaction in its causal past. The writes of a pending transaction
// are not visible here until it commits: where the paper has a write that cannot be
// added, here it is the commit.

// standing is a transaction that stands at an external read or at its end, in a
// history in which nothing follows it.
type standing struct {
	*reference.History // with the transaction as far as it has come
	session            int
	run                reference.Run
}

// self is the transaction.
func (s standing) self() reference.ID {
	return reference.ID{Session: s.session, Index: len(s.Sessions[s.session]) - 1}
}

// held is the history with the transaction pending, and perhaps one step more.
func (s standing) held(more ...reference.Step) *reference.History {
	h := &reference.History{Sessions: slices.Clone(s.Sessions), Final: s.Final}
	h.Sessions[s.session] = slices.Clone(h.Sessions[s.session])
	l := h.Log(s.self())
	l.Status, l.Steps = semantics.Pending, append(slices.Clip(l.Steps), more...)
	return h
}

// goesOn reports whether the transaction can take its next step at level l.
func (s standing) goesOn(l isolation.Level) bool {
	if s.run.Status != semantics.Pending {
		return isolation.Satisfies(s.Data(), l)
	}
	past := s.past()
	ids, vals := s.Writers(s.run.Asks, 0)
	for i, id := range ids {
		read := reference.Step{Var: s.run.Asks, Val: vals[i], From: id}
		if past[id] && isolation.Satisfies(s.held(read).Data(), l) {
			return true
		}
	}
	return false
}

// past is the causal past of the transaction.
func (s standing) past() map[reference.ID]bool {
	h := s.held()
	g, self := h.Relations(), h.Number()[s.self()]
	past := map[reference.ID]bool{}
	for t, id := range h.IDs() {
		past[id] = g.Causal[t][self]
	}
	return past
}

// allStanding calls visit for each place at which a transaction of p can stand.
// Now and then another transaction is pending too.
func allStanding(r *rand.Rand, p *prog, visit func(s standing)) {
	b := behaviourOf(p)
	for _, h := range beginnings(b) {
		sessions := b.Startable(h)
		for _, s := range sessions {
			h := h
			if other := sessions[r.IntN(len(sessions))]; other != s && r.IntN(2) == 0 {
				h = hold(r, b, h, other)
			}
			b.Extend(h, s, func(g *reference.History, run reference.Run) { visit(standing{g, s, run}) })
		}
	}
}

// hold is h with the next transaction of session s pending at a random place.
func hold(r *rand.Rand, b *reference.Program, h *reference.History, s int) *reference.History {
	var places []standing
	b.Extend(h, s, func(g *reference.History, run reference.Run) { places = append(places, standing{g, s, run}) })
	return places[r.IntN(len(places))].held()
}

// beginnings returns the histories that the transactions of a program lead to one
// by one.
func beginnings(b *reference.Program) map[string]*reference.History {
	all := map[string]*reference.History{}
	var extend func(h *reference.History)
	extend = func(h *reference.History) {
		if all[h.String()] != nil {
			return
		}
		all[h.String()] = h
		for _, s := range b.Startable(h) {
			b.Extend(h, s, func(g *reference.History, run reference.Run) {
				if run.Status != semantics.Pending {
					extend(g)
				}
			})
		}
	}
	extend(b.Start())
	return all
}

// RC, RA and CC are causally extensible. Section 3.2.
func TestCausalExtensibility(t *testing.T) {
	t.Parallel()
	r := random(t.Name() + " held")
	n := 0 // pending transactions
	for p := range programsUntil(t, t.Name(), 100, small, func() bool { return n >= portion(5000) }) {
		allStanding(r, p, func(s standing) {
			h := s.held()
			for _, l := range extensible {
				if !isolation.Satisfies(h.Data(), l) {
					continue
				}
				if n++; !s.goesOn(l) {
					t.Fatalf("-seed=%d: %v: %v: session %d cannot go on in %v", seed(), p, l, s.session, h)
				}
			}
		})
	}
}

// stuck counts the places in p at which a history of l cannot go on.
func stuck(p *prog, l isolation.Level) int {
	n := 0
	allStanding(rand.New(rand.NewPCG(1, 1)), p, func(s standing) {
		if isolation.Satisfies(s.held().Data(), l) && !s.goesOn(l) {
			n++
		}
	})
	return n
}

// Two increments that both read the initial value: the second cannot commit.
// Section 3.2.
func TestSnapshotIsolationNotCausallyExtensible(t *testing.T) {
	t.Parallel()
	if stuck(parse("inc x | inc x"), isolation.SI) == 0 {
		t.Error("every transaction can go on")
	}
}

// Write skew: of two transactions that read what the other one writes, the second
// cannot commit. Section 3.2.
func TestSerializabilityNotCausallyExtensible(t *testing.T) {
	t.Parallel()
	p := parse("r x w y | r y w x")
	if stuck(p, isolation.SER) == 0 {
		t.Error("every transaction can go on")
	}
	if n := stuck(p, isolation.SI); n != 0 {
		t.Errorf("at si %d transactions cannot go on", n)
	}
}

// A long fork: the second reader sees w y, and the initial x as its causal past
// has no other, while the first one saw them the other way round. Section 3.2 has
// no prefix consistency; it fails as the levels above it do.
func TestPrefixConsistencyNotCausallyExtensible(t *testing.T) {
	t.Parallel()
	for _, l := range []isolation.Level{isolation.PC, isolation.SI, isolation.SER} {
		if stuck(parse("w x | w y | r x r y | r y r x"), l) == 0 {
			t.Errorf("%v: every transaction can go on", l)
		}
	}
}
