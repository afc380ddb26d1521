package dpor

import (
	"math/bits"

	"github.com/txmc/txmc/program"
)

// lookahead tells which sessions may still write what a transaction reads, if
// transactions access no more than is known.
type lookahead struct {
	rows [][]futureWriters // by session and position
}

// futureWriters are those of the transaction at one position of a session.
type futureWriters struct {
	reads []program.VarID // the variables that it may read
	last  []int32         // by session: the last position at which it may write one of them, or -1
}

func newLookahead(a *accesses, sessions int) *lookahead {
	o := &lookahead{rows: make([][]futureWriters, sessions)}
	for s := range a.sessions {
		for i := range a.sessions[s] {
			reads := a.sessions[s][i].reads
			p := futureWriters{last: make([]int32, sessions)}
			for w, b := range reads {
				for ; b != 0; b &= b - 1 {
					p.reads = append(p.reads, program.VarID(w<<6+bits.TrailingZeros64(b)))
				}
			}
			for u := range p.last {
				p.last[u] = a.lastWriter(u, reads)
			}
			o.rows[s] = append(o.rows[s], p)
		}
	}
	return o
}

// lastWriter returns the last position at which session u may write one of vars,
// or -1.
func (a *accesses) lastWriter(u int, vars varSet) int32 {
	if u >= len(a.sessions) {
		return -1
	}
	for i := len(a.sessions[u]) - 1; i >= 0; i-- {
		if a.sessions[u][i].writes.meets(vars) {
			return int32(i)
		}
	}
	return -1
}

var nobody futureWriters

// of returns the future writers of the transaction at position i of session s.
func (o *lookahead) of(s, i int) *futureWriters {
	if i < len(o.rows[s]) {
		return &o.rows[s][i]
	}
	return &nobody
}

// mayWrite reports whether session u, whose next transaction is at position i,
// may still write what the transaction reads.
func (p *futureWriters) mayWrite(u, i int) bool { return u < len(p.last) && int32(i) <= p.last[u] }
