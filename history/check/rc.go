package check

// forceRC returns the edges that read committed forces. Let a transaction read x from
// t1, and before that read from another writer t2 of x: then t2 → t1.
//
// For each transaction the reads are gone through backwards. Behind the first read
// from t2, only the first read of x that is not from t2 matters: the later ones
// follow, since each writer is read before the next. It goes through the keys that t2
// writes or through those still to be read, whichever are fewer. That takes O(n^1.5)
// for n operations (Møldrup and Pavlogiannis, "AWDIT: an optimal weak database
// isolation tester", PLDI 2025, algorithm 1).
func (f *form) forceRC() []edge {
	var edges []edge
	type ahead struct {
		by            int32 // the transaction for which it holds
		first, second int32 // writers of the next reads of the key, distinct
	}
	next := make([]ahead, f.keys)
	firstFrom := make(map[int32]int)
	var keys []int32
	for t := int32(1); int(t) < f.n; t++ {
		rs := f.readsOf(t)
		if len(rs) < 2 {
			continue
		}
		clear(firstFrom)
		for i := len(rs) - 1; i >= 0; i-- {
			firstFrom[rs[i].from] = i
		}
		keys = keys[:0]
		force := func(t2, x int32) {
			a := &next[x]
			if a.by != t {
				return
			}
			if a.first != t2 {
				edges = append(edges, edge{t2, a.first})
			} else if a.second >= 0 {
				edges = append(edges, edge{t2, a.second})
			}
		}
		for i := len(rs) - 1; i >= 0; i-- {
			t2 := rs[i].from
			if firstFrom[t2] == i {
				if ws := f.writesOf(t2); t2 != 0 && len(ws) <= len(keys) {
					for _, x := range ws {
						force(t2, x)
					}
				} else {
					for _, x := range keys {
						if f.writesKey(t2, x) {
							force(t2, x)
						}
					}
				}
			}
			a := &next[rs[i].key]
			if a.by != t {
				*a = ahead{t, t2, -1}
				keys = append(keys, rs[i].key)
			} else if a.first != t2 {
				a.first, a.second = t2, a.first
			}
		}
	}
	return edges
}
