package check

// forceRA returns the edges that read atomic forces. Let t3 read x from t1, and let t2 be
// another writer of x that comes before t3 in session order or that t3 reads from: then
// t2 → t1. No transaction reads a key from two others (see tornRead).
//
// Of the session's writers the last is enough. For each t2 from which t3 reads, it goes
// through the keys that t2 writes or through those that t3 reads, whichever are fewer. That
// takes O(n^1.5) for n operations (AWDIT, PLDI 2025, algorithm 2).
func (f *form) forceRA() []edge {
	var edges []edge
	last := make([]edge, f.keys) // chain, and its last writer of the key
	for x := range last {
		last[x].from = -1
	}
	type seen struct{ by, from int32 }
	now := make([]seen, f.keys) // the transaction that reads the key, from which
	for t := int32(1); int(t) < f.n; t++ {
		rs := f.readsOf(t)
		for _, r := range rs {
			if f.prev[t] > 0 && last[r.key].from == f.chain[t] && last[r.key].to != r.from {
				edges = append(edges, edge{last[r.key].to, r.from})
			}
			now[r.key] = seen{t, r.from}
		}
		for i, r := range rs {
			if i > 0 && rs[i-1].from == r.from {
				continue
			}
			t2 := r.from
			if ws := f.writesOf(t2); t2 != 0 && len(ws) <= len(rs) {
				for _, x := range ws {
					if now[x].by == t && now[x].from != t2 {
						edges = append(edges, edge{t2, now[x].from})
					}
				}
				continue
			}
			for _, e := range rs {
				if e.from != t2 && f.writesKey(t2, e.key) {
					edges = append(edges, edge{t2, e.from})
				}
			}
		}
		for _, x := range f.writesOf(t) {
			last[x] = edge{f.chain[t], t}
		}
	}
	return edges
}

// tornRead returns a transaction that reads a key from two others, which read
// atomic and the stronger levels forbid, and the two reads; -1 if there is none.
func (f *form) tornRead() (t int32, a, b read) {
	type seen struct{ by, from int32 }
	now := make([]seen, f.keys)
	for t := int32(1); int(t) < f.n; t++ {
		for _, r := range f.readsOf(t) {
			if now[r.key].by == t && now[r.key].from != r.from {
				return t, read{r.key, now[r.key].from}, r
			}
			now[r.key] = seen{t, r.from}
		}
	}
	return -1, read{}, read{}
}
