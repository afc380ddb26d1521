package serial

import (
	"math/bits"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// lookahead tells which sessions may still write what a transaction reads, if
// transactions access no more than is known. Transactions have numbers: those of a
// session follow each other, and after them comes one for all that is not known, which
// reads and writes nothing.
type lookahead struct {
	first   []int32             // by session, and after the last one: the number of its first transaction
	session []int32             // by transaction
	reads   [][]behaviour.VarID // by transaction: the variables that it may read
	// wakes has, by transaction, those of other sessions that may read what it or a later one
	// of its session may write.
	wakes []semantics.Row
	word  []uint64 // wakes where each is a single word, else nothing
}

// newLookahead makes that of accesses that are settled.
func newLookahead(a *Accesses, sessions int) *lookahead {
	o := &lookahead{first: make([]int32, 1, sessions+1)}
	for s := range sessions {
		n := 1
		if s < len(a.sessions) {
			n += len(a.sessions[s])
		}
		o.first = append(o.first, o.first[s]+int32(n))
	}
	n := int(o.first[sessions])
	o.session, o.reads, o.wakes = make([]int32, n), make([][]behaviour.VarID, n), make([]semantics.Row, n)
	words := o.words()
	sets := make(semantics.Row, n*words)
	if words == 1 {
		o.word = sets
	}
	for s := range sessions {
		for k := int(o.first[s]); k < int(o.first[s+1]); k++ {
			o.session[k], o.wakes[k] = int32(s), sets[k*words:][:words]
		}
	}
	for s := range a.sessions {
		for i := range a.sessions[s] {
			o.add(a, s, i)
		}
	}
	return o
}

// add notes what transaction i of session s reads, and who wakes it.
func (o *lookahead) add(a *Accesses, s, i int) {
	reads, k := a.sessions[s][i].reads, o.number(s, i)
	for w, b := range reads {
		for ; b != 0; b &= b - 1 {
			o.reads[k] = append(o.reads[k], behaviour.VarID(w<<6+bits.TrailingZeros64(b)))
		}
	}
	for u := range a.sessions {
		for j := range a.sessions[u] {
			if u != s && a.sessions[u][j].writes.meets(reads) {
				o.wakes[o.number(u, j)].Add(k)
			}
		}
	}
}

// words returns the width of sets of transactions.
func (o *lookahead) words() int { return (len(o.session) + 63) >> 6 }

// number returns that of transaction i of session s.
func (o *lookahead) number(s, i int) int {
	return min(int(o.first[s])+i, int(o.first[s+1])-1)
}

// writers counts the transactions of h from which transaction k may read what it reads, but for those in the past of its
// session's last one: at most one of these is left of each variable.
func (o *lookahead) writers(h *semantics.Ordered, k int) (n int) {
	last := h.Latest(int(o.session[k]))
	past := h.Past(last)
	for _, x := range o.reads[k] {
		writers := h.Writers(x)
		for w, b := range writers {
			n += bits.OnesCount64(b &^ past[w])
		}
		if writers.Has(last) {
			n--
		}
	}
	return n
}
