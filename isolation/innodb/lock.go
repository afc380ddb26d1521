package innodb

// Record locks and their queues.
//
// A lock stands on a record. Its kind says what it covers: the record, the gap
// before it, or both (next-key). An insert intention is the request to insert
// into the gap before a record; it is kept only while it waits. The locks of a
// record form a queue. A request waits for every earlier lock that it conflicts
// with, granted or waiting itself.
//
// Source: MySQL manual, "InnoDB Locking".

type lockKind uint8

const (
	nextKey lockKind = iota // the record and the gap before it
	recordOnly
	gapOnly
	intention // insert intention
)

// lock is a lock on a record, held or waited for.
type lock struct {
	trx     Trx
	rec     int32
	x       bool // exclusive, else shared
	kind    lockKind
	waiting bool
}

// request is a lock that an operation asks for.
type request struct {
	rec      int
	x        bool
	kind     lockKind
	implicit bool // if nothing conflicts, writing the record is lock enough
	try      bool // do not wait
}

// reply is the answer to a request.
type reply uint8

const (
	held    reply = iota // was held already
	granted              // is new
	waits                // the transaction has to wait; with try: would have to
)

// conflicts reports whether a request of t has to wait for l, which stands
// before it in the queue of the same record.
func (s *State) conflicts(t Trx, q *request, l *lock) bool {
	if l.trx == t || !q.x && !l.x {
		return false
	}
	supremum := s.records[q.rec].supremum
	if q.kind == intention {
		return l.kind != intention && (l.kind != recordOnly || supremum)
	}
	if supremum || q.kind == gapOnly {
		return false // a gap lock waits for nothing
	}
	return l.kind != gapOnly && l.kind != intention
}

// blocker is the transaction of the first lock, of those before place end, that
// the request has to wait for, or none.
func (s *State) blocker(t Trx, q *request, end int) Trx {
	for i := range s.locks[:end] {
		l := &s.locks[i]
		if int(l.rec) == q.rec && s.conflicts(t, q, l) {
			return l.trx
		}
	}
	return none
}

// holds reports whether t has a granted lock that covers the request.
func (s *State) holds(t Trx, r int, x bool, kind lockKind) bool {
	supremum := s.records[r].supremum
	for i := range s.locks {
		l := &s.locks[i]
		if l.trx != t || int(l.rec) != r || l.waiting || l.kind == intention || x && !l.x {
			continue
		}
		if supremum || l.kind == nextKey || l.kind == kind {
			return true
		}
	}
	return false
}

// lock requests a lock for t.
func (s *State) lock(t Trx, q request) reply {
	s.traceRecord(q.rec, q.kind != intention && (!q.x || q.kind == gapOnly))
	if q.kind != intention {
		s.expose(t, q.rec)
		if q.kind == recordOnly && s.holder(q.rec) == t || s.holds(t, q.rec, q.x, q.kind) {
			return held
		}
		if q.kind == nextKey && !s.records[q.rec].supremum && s.holds(t, q.rec, q.x, recordOnly) {
			q.kind = gapOnly
		}
	}
	if s.pauses(t, &q) {
		return waits
	}
	if s.blocker(t, &q, len(s.locks)) == none {
		if q.implicit || s.grant(t, q.rec, q.x, q.kind) {
			s.trxs[t].acted = true
		}
		return granted
	}
	if !q.try && !s.trxs[t].hasty {
		s.wait(t, q)
	}
	return waits
}

// pauses reports whether others may run before t gets the lock. A lock of a gap waits for nobody,
// and comes with the one before.
func (s *State) pauses(t Trx, q *request) bool {
	x := &s.trxs[t]
	if !s.options.Points || !x.acted || q.kind == gapOnly || s.records[q.rec].supremum && q.kind != intention {
		return false
	}
	x.acted, x.paused = false, true
	return true
}

// grant appends a granted lock to the queue, and reports whether it is new.
func (s *State) grant(t Trx, r int, x bool, kind lockKind) bool {
	queued := false
	for i := range s.locks {
		l := &s.locks[i]
		if int(l.rec) != r {
			continue
		}
		if l.trx == t && l.x == x && l.kind == kind && !l.waiting {
			return false
		}
		queued = queued || l.waiting
	}
	s.locks = append(s.locks, lock{trx: t, rec: int32(r), x: x, kind: kind})
	s.count(t, s.groupOf(r, x, kind), queued)
	return true
}

// wait appends a waiting lock to the queue and looks for a deadlock.
func (s *State) wait(t Trx, q request) {
	s.traceWait()
	s.locks = append(s.locks, lock{trx: t, rec: int32(q.rec), x: q.x, kind: q.kind, waiting: true})
	s.trxs[t].structs++
	s.deadlock(t)
}

// unlock gives back a record lock.
func (s *State) unlock(t Trx, r int, x bool) {
	for i := range s.locks {
		l := &s.locks[i]
		if l.trx == t && int(l.rec) == r && l.x == x && l.kind == recordOnly && !l.waiting {
			s.locks = append(s.locks[:i], s.locks[i+1:]...)
			s.trxs[t].acted = true
			s.regrant(func(q int32) bool { return int(q) == r })
			return
		}
	}
}
