package postgres

// Row versions and their visibility: HeapTupleSatisfiesMVCC,
// HeapTupleSatisfiesDirty and HeapTupleSatisfiesUpdate of heapam_visibility.c.
// The heap keeps every version, in physical order; nothing is pruned.

// version is one version of a row. Its row never changes.
type version struct {
	row     Row
	xmin    int32 // the transaction that made it
	cmin    int32 // and the number of its statement
	xmax    int32 // the transaction that updated or deleted it, none if none
	cmax    int32
	next    TID // the version that xmax made, none after DELETE
	table   uint8
	indexed uint8 // it has entries in so many unique indexes
	key     bool  // xmax deleted the row or changed a key
	moved   bool  // xmax deleted the row because it went to another table
	hot     bool  // heap-only: reached through its predecessor, without index entries
}

func newVersion(table int, r Row) version {
	return version{row: r, xmax: none, next: none, table: uint8(table)}
}

type status uint8

const (
	running status = iota
	committed
	aborted
)

// xid is a transaction or savepoint level that has written or locked a row.
type xid struct {
	session int8
	status  status
	level   int16 // savepoint depth
	record  int32 // its record for serializability, none if it is not tracked
	commit  int32 // its number in the order of commits; 0 before all transactions
}

// mine reports whether x is a running transaction of the session.
func (s *State) mine(sess int, x int32) bool {
	return x != none && s.xids[x].status == running && int(s.xids[x].session) == sess
}

// visible is HeapTupleSatisfiesMVCC for the session's statement.
func (s *State) visible(sess int, v *version) bool {
	ses := &s.sessions[sess]
	if s.mine(sess, v.xmin) {
		if v.cmin >= ses.cid {
			return false
		}
	} else if !s.sees(ses.current, v.xmin) {
		return false
	}
	if v.xmax == none {
		return true
	}
	if s.mine(sess, v.xmax) {
		return v.cmax >= ses.cid
	}
	return !s.sees(ses.current, v.xmax)
}

// dirty is HeapTupleSatisfiesDirty. It reports whether the version exists when
// all running transactions count; wait is the running transaction of another
// session that makes this uncertain.
func (s *State) dirty(sess int, v *version) (exists bool, wait int32) {
	if !s.mine(sess, v.xmin) {
		switch s.xids[v.xmin].status {
		case running:
			return true, v.xmin
		case aborted:
			return false, none
		}
	}
	switch {
	case v.xmax == none || s.xids[v.xmax].status == aborted:
		return true, none
	case s.mine(sess, v.xmax) || s.xids[v.xmax].status == committed:
		return false, none
	}
	return true, v.xmax
}

// fate is HeapTupleSatisfiesUpdate: what stands against changing the version.
func (s *State) fate(sess int, t TID) Result {
	v, cid := s.at(t), s.sessions[sess].cid
	if s.mine(sess, v.xmin) {
		if v.cmin >= cid {
			return Invisible
		}
	} else if s.xids[v.xmin].status != committed {
		return Invisible
	}
	if v.xmax != none && s.xids[v.xmax].status == running {
		switch {
		case !s.mine(sess, v.xmax):
			return beingModified
		case v.cmax >= cid:
			return SelfModified
		}
		return Invisible
	}
	for _, l := range s.lockers {
		if l.tid == t {
			return beingModified // even if the updater has committed
		}
	}
	return v.settled(s)
}

// modifier is the command of the session's own that has updated or deleted a version, or else the
// one that has made it: the number that stands in the way of a second change (heapam_tuple_lock).
func (s *State) modifier(sess int, t TID) int32 {
	if v := s.at(t); s.mine(sess, v.xmax) {
		return v.cmax
	} else {
		return v.cmin
	}
}

// settled is the fate of a version that nobody who conflicts holds.
func (v *version) settled(s *State) Result {
	switch {
	case v.xmax == none || s.xids[v.xmax].status != committed:
		return OK
	case v.next == none:
		return Deleted
	}
	return Updated
}

// live reports whether xmax is running or has committed.
func (s *State) live(xmax int32) bool {
	return xmax != none && s.xids[xmax].status != aborted
}
