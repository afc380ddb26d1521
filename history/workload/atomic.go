package workload

// committed reads a committed version, as RC allows or, when atomic, as RA allows. It
// is any version that the earlier reads allow, often not the latest. The commit order
// is the order of the commits in time.
//
// RC: not older than what a transaction read from before wrote to the key. RA
// besides: than what any earlier of the session did; and not from a transaction that
// wrote something read before, later than what was read.
func (s *store) committed(t *tx, key int32, atomic bool) (version, bool) {
	floor := int64(0)
	for _, r := range t.reads {
		if r.by != nil && r.by.writes(key) {
			floor = max(floor, r.at)
		}
	}
	vs := s.versions[key]
	allowed := func(v version) bool { return v.at >= floor }
	if atomic {
		mine := int64(0) // the session's last version of the key
		for i := len(vs) - 1; i >= 0 && mine == 0; i-- {
			if vs[i].by.origin == t.Session {
				mine = vs[i].at
			}
		}
		if mine == 0 && s.cut[key] { // it may have been forgotten
			mine = min(s.last[t.Session], vs[0].at)
		}
		floor = max(floor, mine)
		allowed = func(v version) bool { return v.at >= floor && !fractured(t, v) }
	}
	i := len(vs) - 1
	for i > 0 && !t.alone && s.rng.IntN(4) == 0 {
		i--
	}
	for _, v := range vs[max(i, 0):] {
		if allowed(v) {
			return v, true
		}
	}
	for i--; i >= 0; i-- {
		if allowed(vs[i]) {
			return vs[i], true
		}
	}
	return version{}, floor == 0 && !s.cut[key]
}

// fractured reports whether the writer of v also wrote what t has read in an older
// version.
func fractured(t *tx, v version) bool {
	for _, r := range t.reads {
		if r.at < v.at && v.by.writes(r.key) {
			return true
		}
	}
	return false
}
