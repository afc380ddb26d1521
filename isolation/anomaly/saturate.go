package anomaly

// saturate adds, round by round, the edges that must be there. Let t3 read x from t1,
// and let t2 be another writer of x:
//
//	t1 before t2 implies t3 before t2     rw, rule Overwritten
//	t2 before t3 implies t2 before t1     ww, rule Seen
//
// Here t3 stands for its read point, and the others stand for their write points. At
// snapshot isolation there is a rule for two writers a and b of a variable:
//
//	a reads before b writes implies a writes before b reads     ww, rule FirstCommitter
//
// There every ww edge ends at a read point, as writers do not overlap.
//
// It stops when there is a cycle or nothing more to add. The rules are unit propagation
// on the clauses "t2 before t1 or t3 before t2" and "a before b or b before a". They
// decide most histories, but not all: where a case distinction is needed, the graph
// stays acyclic (split.go). They are complete when the writers of every variable are
// totally ordered.
//
// An edge that follows from others by transitivity is not added. Nor is a ww edge to
// the initial transaction: the rw edge that Overwritten gives for the same read closes
// the same cycle and says it better.
func (g *graph) saturate() {
	for !g.cyclic {
		fresh := g.derive()
		if len(fresh) == 0 {
			return
		}
		for _, l := range fresh {
			g.add(l)
		}
	}
}

// derive returns the edges that follow from the graph in one step.
func (g *graph) derive() []link {
	var fresh []link
	for _, r := range g.reads {
		reads := g.readPoint(r.txn)
		source := g.writePoint(r.from)
		for _, t2 := range g.writers[r.x] {
			if t2 == r.from || t2 == r.txn {
				continue
			}
			other := g.writePoint(t2)
			if g.before(source, other) && !g.before(reads, other) {
				fresh = append(fresh, g.link(reads, other, overwritten(r, t2), source, other))
			}
			if end := g.after(r.from); r.from != 0 && g.before(other, reads) && !g.before(other, end) {
				fresh = append(fresh, g.link(other, end, seen(r, t2), other, reads))
			}
		}
	}
	if g.exclusive {
		fresh = append(fresh, g.commits()...)
	}
	return fresh
}

// commits derives by FirstCommitter.
func (g *graph) commits() []link {
	var fresh []link
	for _, x := range g.vars {
		for _, a := range g.writers[x][1:] {
			for _, b := range g.writers[x][1:] {
				since, until := g.readPoint(a), g.writePoint(b)
				if a == b || !g.before(since, until) || g.before(g.writePoint(a), g.after(b)) {
					continue
				}
				e := Edge{Kind: WW, From: a, To: b, Var: x, Reader: -1, Event: -1, Reason: &Reason{Rule: FirstCommitter, Source: -1}}
				fresh = append(fresh, g.link(g.writePoint(a), g.after(b), e, since, until))
			}
		}
	}
	return fresh
}

func (g *graph) link(u, v int, e Edge, since, until int) link {
	return link{u: u, v: v, round: g.rounds + 1, edge: e, since: since, until: until}
}

// overwritten is the rw edge from the reader of r to t2.
func overwritten(r read, t2 int) Edge {
	return Edge{Kind: RW, From: r.txn, To: t2, Var: r.x, Reader: r.txn, Event: r.event, Reason: &Reason{Rule: Overwritten, Source: r.from}}
}

// seen is the ww edge from t2 to the transaction that r reads from.
func seen(r read, t2 int) Edge {
	return Edge{Kind: WW, From: t2, To: r.from, Var: r.x, Reader: r.txn, Event: r.event, Reason: &Reason{Rule: Seen, Source: -1}}
}
