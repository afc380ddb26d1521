package anomaly

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/semantics"
)

// Name gives the anomaly that a proof shows. The proof is for the weakest level that
// forbids h. The name depends on the shape of the cycle and on the level: the same
// cycle has another name when something weaker than snapshot isolation forbids it.
//
//	level   cycle, as T -rw(x)-> U and back            name
//	rc, ra  U -wr(x)-> T, read before the old value    non-monotonic read
//	        U -wr(x)-> T, read after the old value     non-repeatable read
//	        U -wr(y)-> T                               fractured read
//	        U -so-> T                                  read-your-writes violation
//	        U -so-> T, T in the final session          stale read
//	cc      U -wr(x)-> … -so-> T                       non-monotonic read
//	        any other path of so and wr                causality violation
//	rc–cc   two ww edges that one reader shows         fractured read, non-repeatable read
//	        more ww edges, and so or wr                write cycle, circular information flow
//	pc, si  a path with ww that ends with wr           read skew
//	        … that ends with so                        stale read
//	        no ww, but more rw, none after another     long fork
//	si      U -ww(x)-> … -ww(x)-> T                    lost update
//	        a path that ends with ww                   write conflict
//	ser     rw edges only                              write skew
//	        -rw-> -wr-> T, where T only reads          read-only transaction anomaly
//
// Whatever else there is has a generic name: prefix violation, snapshot
// violation, serialization cycle.
func Name(h *semantics.History, p *Proof) Anomaly {
	if p.BadRead != nil {
		return nameBadRead(h, p.BadRead)
	}
	if len(p.Cycle) == 0 {
		return generic(p.Level)
	}
	s := shape{h: h, cycle: p.Cycle}
	for _, e := range p.Cycle {
		s.count[e.Kind]++
	}
	a := s.name(p.Level)
	a.Class = s.class()
	if p.Level == isolation.SER && s.count[RW] < 2 {
		a.Class = "" // its ww edges hold because the level is assumed
	}
	return a
}

func nameBadRead(h *semantics.History, b *BadRead) Anomaly {
	from := h.Txns[b.Reader].Events[b.Event].From
	if from > 0 && from < len(h.Txns) && h.Txns[from].Status != semantics.Committed {
		return abortedRead
	}
	return thinAirRead
}

// generic is the name when no classical one fits.
func generic(l isolation.Level) Anomaly {
	switch {
	case isolation.PC.Implies(l):
		return prefixViolation
	case l == isolation.SI:
		return snapshotViolation
	}
	return serializationCycle
}

// shape is what a name depends on.
type shape struct {
	h     *semantics.History
	cycle []Edge // as turned: an rw edge first, if there is one
	count [4]int // edges by kind
}

// class is Adya's name for the cycle, whatever the level. G-nonadjacent is from
// Kingsbury and Alvaro, for cycles with two rw edges or more, none of them directly
// after another. Session order, which Adya has not, is ignored.
func (s *shape) class() string {
	switch {
	case s.count[RW] == 0 && s.count[WR] == 0 && s.count[WW] > 0:
		return "G0"
	case s.count[RW] == 0:
		return "G1c"
	case s.count[RW] == 1:
		return "G-single"
	case s.adjacent():
		return "G2-item"
	}
	return "G-nonadjacent"
}

// adjacent reports whether two rw edges follow one another.
func (s *shape) adjacent() bool {
	before := s.cycle[len(s.cycle)-1]
	for _, e := range s.cycle {
		if e.Kind == RW && before.Kind == RW {
			return true
		}
		before = e
	}
	return false
}

func (s *shape) name(l isolation.Level) Anomaly {
	switch {
	case s.count[RW]+s.count[WW] == 0:
		return circular
	case l.CausallyExtensible() && s.count[RW] == 0:
		return s.disagreement()
	case l.CausallyExtensible():
		return s.oldRead()
	case l == isolation.SER:
		return s.serial()
	}
	return s.snapshot(l)
}

// disagreement is the name of a cycle with forced ww edges and no rw edge.
func (s *shape) disagreement() Anomaly {
	a, b := s.cycle[0], s.cycle[1]
	alone := len(s.cycle) == 2 && a.Kind == b.Kind && a.Reader == b.Reader && len(a.Reason.Premise)+len(b.Reason.Premise) == 2
	switch {
	case alone && a.Var == b.Var:
		return nonRepeatableRead
	case alone:
		return eitherHalf
	case s.count[WR] > 0:
		return informationCycle
	}
	return writeCycle
}

// oldRead is the name of T -rw-> U and a path of so and wr back to T.
func (s *shape) oldRead() Anomaly {
	old, path := s.cycle[0], s.cycle[1:]
	first, last := path[0], path[len(path)-1]
	switch {
	case len(path) > 1:
		return s.causal()
	case first.Kind == SO && s.sameSession(first):
		return ownWriteMissed
	case first.Kind == SO:
		return staleRead
	case last.Var != old.Var:
		return fracturedRead
	case last.Event < old.Event:
		return nonMonotonicRead
	}
	return nonRepeatableRead
}

// causal is the name when the path has two edges or more.
func (s *shape) causal() Anomaly {
	old, path := s.cycle[0], s.cycle[1:]
	switch {
	case len(path) > 2:
		return causalityViolation
	case path[0].Kind == WR && path[1].Kind == SO && path[0].Var == old.Var && s.sameSession(path[1]):
		return nonMonotonicSession
	case path[0].Kind == SO && path[1].Kind == WR && s.sameSession(path[0]):
		return monotonicWrites
	case path[0].Kind == WR && path[1].Kind == WR:
		return writesFollowReads
	}
	return causalityViolation
}

func (s *shape) sameSession(e Edge) bool {
	return s.h.Txns[e.From].Session == s.h.Txns[e.To].Session
}

// snapshot is the name at prefix consistency and snapshot isolation.
func (s *shape) snapshot(l isolation.Level) Anomaly {
	last := s.cycle[len(s.cycle)-1]
	switch {
	case s.count[RW] >= 2 && s.count[WW] == 0 && s.count[WR] == 0:
		return storeBuffering
	case s.count[RW] >= 2 && s.count[WW] == 0:
		return longFork
	case s.count[RW] != 1:
		return generic(l)
	case last.Kind == WR:
		return readSkew
	case last.Kind == SO:
		return staleRead
	case s.oneVariable():
		return lostUpdate
	}
	return writeConflict
}

// oneVariable reports whether all edges are ww or rw edges of the same variable.
func (s *shape) oneVariable() bool {
	for _, e := range s.cycle {
		if e.Kind != WW && e.Kind != RW || e.Var != s.cycle[0].Var {
			return false
		}
	}
	return true
}

// serial is the name at serializability.
func (s *shape) serial() Anomaly {
	n := len(s.cycle)
	switch {
	case n == 2 && s.count[RW] == 2 && s.cycle[0].Var == s.cycle[1].Var:
		return lostUpdate // which snapshot isolation forbids already
	case s.count[RW] == n && n > 1:
		return writeSkew
	case n == 3 && s.cycle[1].Kind == RW && s.cycle[2].Kind == WR && s.readsOnly(s.cycle[0].From):
		return readOnlyAnomaly
	}
	return serializationCycle
}

// readsOnly reports whether t has no visible write.
func (s *shape) readsOnly(t int) bool {
	log := &s.h.Txns[t]
	return log.Status != semantics.Committed || len(semantics.LastWrites(log)) == 0
}
