package isolation

import "github.com/txmc/txmc/semantics"

// Checker decides whether whole histories satisfy a level. It keeps its memory
// from one history to the next; it is not for concurrent use.
type Checker struct {
	known  Known
	search search
}

// Allows reports whether h satisfies level l with its locking reads. The time is polynomial for RC, RA
// and CC without locking reads, and exponential in the worst case for the others, whose decision is
// NP-complete (Biswas and Enea, OOPSLA 2019).
func (c *Checker) Allows(h *semantics.Ordered, l Level) bool {
	c.known.Reset(h, l.Base())
	return c.known.Replay(h, 1) && c.AllowsKnown(h, &c.known, l)
}

// AllowsKnown is Allows for a history that satisfies the base of l. The forced edges are in
// known. With locking reads the decision is NP-complete at every
// level: with nothing else they are serializability.
func (c *Checker) AllowsKnown(h *semantics.Ordered, known *Known, l Level) bool {
	if l.CausallyExtensible() && !locking(h, h.Len()) {
		return true
	}
	return c.search.decide(h, known, h.Len(), l)
}

// Order returns a commit order of the ended transactions of h which shows that h satisfies
// level l; false when there is none. The arguments are those of AllowsKnown. At PC and SI
// the order has the transactions with writes only. It is valid until the next call.
func (c *Checker) Order(h *semantics.Ordered, known *Known, l Level) ([]int32, bool) {
	ok := c.search.decide(h, known, h.Ended(), l)
	return c.search.order, ok
}

// Satisfies reports whether h satisfies level l. No level is satisfied when so ∪ wr has
// a cycle, or when a read is from a transaction that does not write the variable.
func Satisfies(h *semantics.History, l Level) bool {
	ordered, _, ok := semantics.Order(h)
	if !ok {
		return false
	}
	var c Checker
	return c.Allows(ordered, l)
}
