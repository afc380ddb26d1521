package workload

// replica is one of several copies of a causal store. A session talks to one of
// them; transactions commit there and reach the others later, what is causally
// before first.
type replica struct {
	seen []int32 // how much of each replica's log it has, by position
}

func newReplicas(n int) []replica {
	rs := make([]replica, n)
	for i := range rs {
		rs[i].seen = make([]int32, n)
	}
	return rs
}

func (s *store) home(session int) int { return session % len(s.replicas) }

// view returns what a session's replica has, after it has heard from another one
// by chance.
func (s *store) view(session int) []int32 {
	r := s.home(session)
	if q := s.rng.IntN(len(s.replicas)); s.rng.IntN(3) == 0 {
		s.merge(r, q)
	}
	return append([]int32(nil), s.replicas[r].seen...)
}

// merge gives replica r all that q has: a causally closed set.
func (s *store) merge(r, q int) {
	for i, n := range s.replicas[q].seen {
		s.replicas[r].seen[i] = max(s.replicas[r].seen[i], n)
	}
}

// visible returns the last version, in the order of the commits, that the
// transaction's view has. That order extends causality, since all replicas have the
// store's clock.
func (s *store) visible(t *tx, key int32) (version, bool) {
	vs := s.versions[key]
	for i := len(vs) - 1; i >= 0; i-- {
		if v := vs[i]; v.by.index <= t.view[v.by.origin] {
			return v, true
		}
	}
	if s.cut[key] { // too far behind: what it should read has been forgotten
		s.pull()
		return version{}, false
	}
	return version{}, true
}

// log appends a commit to the log of its session's replica.
func (s *store) log(t *tx, c *commit) {
	c.origin = s.home(t.Session)
	r := s.replicas[c.origin]
	r.seen[c.origin]++
	c.index = r.seen[c.origin]
}
