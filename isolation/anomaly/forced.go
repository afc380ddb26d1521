package anomaly

import "github.com/txmc/txmc/isolation"

// At read committed, read atomic and causal consistency φ(t2, e) does not speak of the
// commit order. So the edges that the axiom forces are unique:
//
//	ww = { (t2, t1) : t3 reads x from t1, t2 writes x, φ(t2, that read) }.
//
// The level allows the history exactly when so ∪ wr ∪ ww has no cycle.
//
// A cycle with one ww edge (t2, t1) goes on from t1 to t2 by so and wr. Then t2 overwrites
// what t3 has read, which makes an rw edge from t3 to t2; and φ is a path from t2 back to
// t3. These two make a cycle with the reader in it: Adya's G-single. It is easier to
// understand, and always preferred. Where there is none, a cycle with several ww edges is
// shown: readers that disagree on an order.
func (f *facts) proveForced(l isolation.Level) *Proof {
	base := newGraph(f, false, false).shortest()
	cycle := f.readerCycle(l, base)
	if cycle == nil {
		cycle = f.writerCycle(l, base)
	}
	if cycle == nil {
		return nil
	}
	return &Proof{Level: l, Cycle: cycle, Rounds: 1}
}

// circular returns a shortest cycle of so ∪ wr, if there is one.
func (f *facts) circular() []Edge {
	g := newGraph(f, false, false)
	if !g.cyclic {
		return nil
	}
	return g.shortest().cycle()
}

// readerCycle returns a shortest cycle of an rw edge and the path that makes the
// writer visible to the reader.
func (f *facts) readerCycle(l isolation.Level, base *paths) []Edge {
	least, best := int64(noPath), []Edge(nil)
	for _, r := range f.reads {
		for _, t2 := range f.writers[r.x] {
			known := base.by[0].cost[r.from*f.n+t2]
			if t2 == r.from || t2 == r.txn || known == noPath {
				continue
			}
			path := f.sees(l, base, t2, r)
			cost := int64(len(path)+1)*edgeCost + known&sizeMask
			if path == nil || cost > least {
				continue
			}
			rw := overwritten(r, t2)
			rw.Reason.Premise = base.path(0, r.from, t2)
			f.retarget(rw.Reason.Premise, r.x)
			if cycle := append([]Edge{rw}, path...); cost < least || simpler(cycle, best) {
				least, best = cost, cycle
			}
		}
	}
	return best
}

// sees returns the path that shows φ(t2, r), nil when that is false.
func (f *facts) sees(l isolation.Level, base *paths, t2 int, r read) []Edge {
	switch l {
	case isolation.RC:
		return f.readBefore(t2, r)
	case isolation.RA:
		if e, ok := f.direct(t2, r.txn); ok {
			path := []Edge{e}
			f.retarget(path, r.x)
			return path
		}
		return nil
	}
	if base.by[0].cost[t2*f.n+r.txn] == noPath {
		return nil
	}
	path := base.path(0, t2, r.txn)
	f.retarget(path, r.x)
	return path
}

// readBefore returns the edge of a read from t2 that comes before r in its
// transaction, one of the same variable if there is one.
func (f *facts) readBefore(t2 int, r read) []Edge {
	var path []Edge
	for _, d := range f.reads[f.first[r.txn]:f.first[r.txn+1]] {
		if d.event < r.event && d.from == t2 && (path == nil || d.x == r.x && path[0].Var != r.x) {
			path = []Edge{d.edge()}
		}
	}
	return path
}

// writerCycle returns a shortest cycle of so, wr and forced ww edges. Edges to
// the initial transaction and those that so ∪ wr has are left out: a cycle of
// the former is one that readerCycle finds.
func (f *facts) writerCycle(l isolation.Level, base *paths) []Edge {
	g := newGraph(f, false, false)
	for _, r := range f.reads {
		if r.from == 0 {
			continue
		}
		for _, t2 := range f.writers[r.x] {
			if t2 == r.from || t2 == r.txn || base.by[0].cost[t2*f.n+r.from] != noPath {
				continue
			}
			if path := f.sees(l, base, t2, r); path != nil {
				e := seen(r, t2)
				e.Reason.Premise = path
				g.add(link{u: t2, v: r.from, round: 1, edge: e, since: -1})
			}
		}
	}
	if !g.cyclic {
		return nil
	}
	return g.shortest().cycle()
}
