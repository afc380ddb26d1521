package dpor_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// The claims of Bouajjani, Enea, Román-Calvo, PLDI 2023, about causal
// extensibility (section 3.2): in every history of the level, a pending
// transaction that nothing follows in so ∪ wr can take its next step, whatever that
// is; a read can read from a transaction in its causal past. The writes of a
// pending transaction are not visible here until it commits: where the paper has a
// write that cannot be added, here it is the commit.

// standing is a transaction that stands at an external read or at its end, in a
// history in which nothing follows it.
type standing struct {
	*configuration
	session int
	m       *machine
	from    []txnID
}

// history is the history with the transaction pending, and perhaps one step more.
func (s standing) history(st status, more ...step) *refHistory {
	l := s.m.log(s.from)
	l.status, l.steps = st, append(l.steps, more...)
	h := &refHistory{slices.Clone(s.sessions), s.final}
	h.sessions[s.session] = append(slices.Clone(h.sessions[s.session]), l)
	return h
}

// goesOn reports whether the transaction can take its next step at level l.
func (s standing) goesOn(l isolation.Level) bool {
	if s.m.status != pending {
		return isolation.Satisfies(fromReference(s.history(s.m.status)), l)
	}
	past := s.past()
	ids, vals := s.writers(s.m.asks)
	for i, id := range ids {
		read := step{v: s.m.asks, val: vals[i], from: id}
		if past[id] && isolation.Satisfies(fromReference(s.history(pending, read)), l) {
			return true
		}
	}
	return false
}

// past is the causal past of the transaction.
func (s standing) past() map[txnID]bool {
	g := relate(s.history(pending))
	self := slices.Index(g.ids, txnID{s.session, len(s.sessions[s.session])})
	past := map[txnID]bool{}
	for t, id := range g.ids {
		past[id] = g.causal[t][self]
	}
	return past
}

// allStanding calls visit for each place at which a transaction of p can stand.
// Now and then another transaction is pending too.
func allStanding(r *rand.Rand, p *prog, visit func(s standing)) {
	for _, c := range configurations(p) {
		sessions := c.startable(p)
		for _, s := range sessions {
			c := c
			if other := sessions[r.IntN(len(sessions))]; other != s && r.IntN(2) == 0 {
				c = c.hold(r, p, other)
			}
			c.run(p, s, func(m *machine, from []txnID) { visit(standing{c, s, m, from}) })
		}
	}
}

// hold is c with the next transaction of session s pending at a random place.
func (c *configuration) hold(r *rand.Rand, p *prog, s int) *configuration {
	var places []standing
	c.run(p, s, func(m *machine, from []txnID) { places = append(places, standing{c, s, m, from}) })
	d := *c
	d.sessions = places[r.IntN(len(places))].history(pending).sessions
	return &d
}

// configurations returns those that the transactions of p lead to one by one.
func configurations(p *prog) map[string]*configuration {
	all := map[string]*configuration{}
	var rec func(c *configuration)
	rec = func(c *configuration) {
		if all[c.String()] != nil {
			return
		}
		all[c.String()] = c
		for _, s := range c.startable(p) {
			for _, d := range c.extend(p, s) {
				rec(d)
			}
		}
	}
	rec(start(p))
	return all
}

// RC, RA and CC are causally extensible. Section 3.2.
func TestCausalExtensibility(t *testing.T) {
	t.Parallel()
	r := random(t.Name() + " held")
	n := 0
	for p := range randomPrograms(t.Name(), 100, small) {
		allStanding(r, p, func(s standing) {
			h := s.history(pending)
			for _, l := range extensible {
				if !isolation.Satisfies(fromReference(h), l) {
					continue
				}
				if n++; !s.goesOn(l) {
					t.Fatalf("-seed=%d: %v: %v: session %d cannot go on in %v", seed(), p, l, s.session, h)
				}
			}
		})
	}
	if n < 5000 {
		t.Errorf("only %d pending transactions", n)
	}
}

// stuck counts the places in p at which a history of l cannot go on.
func stuck(p *prog, l isolation.Level) int {
	n := 0
	allStanding(rand.New(rand.NewPCG(1, 1)), p, func(s standing) {
		if isolation.Satisfies(fromReference(s.history(pending)), l) && !s.goesOn(l) {
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
