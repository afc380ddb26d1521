package serial

import (
	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Accesses are the variables that transactions may read from others and write, as far
// as they are known. They are kept by session and by position in the session. The
// Finals are left out: nothing comes after them.
type Accesses struct {
	sessions [][]access
	// others has, by session, what others may write; nil where only what was met counts.
	others []varSet
}

// access is what one transaction may do.
type access struct{ reads, writes varSet }

// varSet is a set of variables, a bit each.
type varSet []uint64

func (v varSet) has(x behaviour.VarID) bool {
	return int(x>>6) < len(v) && v[x>>6]>>(x&63)&1 != 0
}

func (v *varSet) add(x behaviour.VarID) {
	for len(*v) <= int(x>>6) {
		*v = append(*v, 0)
	}
	(*v)[x>>6] |= 1 << (x & 63)
}

func (v varSet) meets(w varSet) bool {
	for i := range min(len(v), len(w)) {
		if v[i]&w[i] != 0 {
			return true
		}
	}
	return false
}

func (v *varSet) union(w varSet) {
	for len(*v) < len(w) {
		*v = append(*v, 0)
	}
	for i, b := range w {
		(*v)[i] |= b
	}
}

// known returns what is known of transaction t, which the caller does not change.
func (a *Accesses) known(t *semantics.Log) *access {
	if int(t.Session) < len(a.sessions) && int(t.Index) < len(a.sessions[t.Session]) {
		return &a.sessions[t.Session][t.Index]
	}
	return &nothing
}

// nothing is what is known of a transaction that was never met.
var nothing access

// at makes room for the transaction at position i of session s.
func (a *Accesses) at(s, i int) *access {
	for len(a.sessions) <= s {
		a.sessions = append(a.sessions, nil)
	}
	for len(a.sessions[s]) <= i {
		a.sessions[s] = append(a.sessions[s], access{})
	}
	return &a.sessions[s][i]
}

// hasRead reports whether it is known that t may read x.
func (a *Accesses) hasRead(t *semantics.Log, x behaviour.VarID) bool { return a.known(t).reads.has(x) }

// immaterial reports whether it makes no difference that t may read x, as no other
// session may write it: nobody waits for such a read.
func (a *Accesses) immaterial(t *semantics.Log, x behaviour.VarID) bool {
	return int(t.Session) < len(a.others) && !a.others[t.Session].has(x)
}

// settle adds what makes no difference: that a transaction may write what a later one of
// its session may write too. Who waits for the variable waits for the later one.
func (a *Accesses) settle(sessions int) {
	a.others = make([]varSet, sessions)
	for s, row := range a.sessions {
		for i := len(row) - 1; i > 0; i-- {
			row[i-1].writes.union(row[i].writes)
		}
		for u := range a.others {
			if u != s && len(row) > 0 {
				a.others[u].union(row[0].writes)
			}
		}
	}
}

// hasWrites reports whether it is known that t may write all of writes.
func (a *Accesses) hasWrites(t *semantics.Log, writes []behaviour.Write) bool {
	return a.known(t).hasWritten(writes)
}

// hasWritten reports whether it is known that the transaction may write all of writes.
func (c *access) hasWritten(writes []behaviour.Write) bool {
	for _, w := range writes {
		if !c.writes.has(w.Var) {
			return false
		}
	}
	return true
}

// has reports whether all accesses of the history are known.
func (a *Accesses) has(h *semantics.Ordered) bool {
	for k := range h.Reads {
		t, x := &h.Txns[h.Reads[k].Txn], h.Reads[k].Var
		if int(t.Session) != h.Final() && !a.hasRead(t, x) && !a.immaterial(t, x) {
			return false
		}
	}
	for i := range h.Txns[1:] {
		if t := &h.Txns[1+i]; int(t.Session) != h.Final() && !a.hasWrites(t, t.Writes) {
			return false
		}
	}
	return true
}

// read adds that t may read x.
func (a *Accesses) read(t *semantics.Log, x behaviour.VarID) {
	a.at(int(t.Session), int(t.Index)).reads.add(x)
}

// write adds that t may write writes.
func (a *Accesses) write(t *semantics.Log, writes []behaviour.Write) {
	c := a.at(int(t.Session), int(t.Index))
	for _, w := range writes {
		c.writes.add(w.Var)
	}
}

// union adds all that b knows.
func (a *Accesses) union(b *Accesses) {
	for s := range b.sessions {
		for i := range b.sessions[s] {
			c := a.at(s, i)
			c.reads.union(b.sessions[s][i].reads)
			c.writes.union(b.sessions[s][i].writes)
		}
	}
}

// close adds the accesses that mirror those that are known. So a history has only known
// accesses if its images have.
func (a *Accesses) close(y *orbit.Symmetry) {
	for again := y != nil; again; {
		again = false
		for i := range y.Nodes.Exchanges() {
			rename := func(x behaviour.VarID) (behaviour.VarID, bool) { return y.Nodes.Variable(i, x) }
			left, right := y.Nodes.Sessions(i)
			for s := range a.sessions {
				image := s
				switch s {
				case left:
					image = right
				case right:
					image = left
				}
				for k := range a.sessions[s] {
					own := a.sessions[s][k]
					other := a.at(image, k)
					reads, writes := other.reads.mirror(own.reads, rename), other.writes.mirror(own.writes, rename)
					again = again || reads || writes
				}
			}
		}
	}
}

// mirror adds the variables of w, renamed, and reports whether there was a new one.
func (v *varSet) mirror(w varSet, rename func(behaviour.VarID) (behaviour.VarID, bool)) (fresh bool) {
	for i := range 64 * len(w) {
		x := behaviour.VarID(i)
		if !w.has(x) {
			continue
		}
		if to, known := rename(x); known && !v.has(to) {
			v.add(to)
			fresh = true
		}
	}
	return fresh
}
