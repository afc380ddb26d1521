package anomaly

import (
	"cmp"

	"github.com/txmc/txmc/semantics"
)

// RankOf measures h. A read may have missed a newer write of the variable. It may when a
// write has committed that is neither causally before the write that is read nor causally
// after the reader.
func RankOf(h *semantics.History) Rank {
	r := Rank{Txns: len(h.Txns) - 1}
	sessions := map[int]bool{}
	for _, t := range h.Txns[1:] {
		sessions[t.Session] = true
	}
	r.Sessions = len(sessions)
	f := gather(h)
	if f.bad() != nil {
		return r
	}
	f.relate()
	g := newGraph(f, false, false)
	for _, e := range f.reads {
		for _, u := range f.writers[e.x] {
			if u != e.from && u != e.txn && !g.before(u, e.from) && !g.before(e.txn, u) {
				r.NonLatest++
				break
			}
		}
	}
	return r
}

// Compare orders ranks by sessions, then transactions, then non-latest reads.
func (r Rank) Compare(s Rank) int {
	return cmp.Or(cmp.Compare(r.Sessions, s.Sessions), cmp.Compare(r.Txns, s.Txns), cmp.Compare(r.NonLatest, s.NonLatest))
}
