package postgres

// Row locks: documentation section 13.3.2, README.tuplock, heap_lock_tuple,
// heap_lock_updated_tuple and heapam_tuple_lock.

// Mode is a row lock mode. Two modes conflict when their numbers add up to 3 or
// more (documentation, table 13.3).
type Mode uint8

// The modes, weakest first.
const (
	KeyShare Mode = iota
	Share
	NoKeyUpdate
	ForUpdate
)

func conflicts(a, b Mode) bool { return a+b >= 3 }

// locker is a running transaction that has locked a version. Lockers whose
// transaction has ended are removed.
type locker struct {
	tid  TID
	xid  int32
	mode Mode
}

// updaterMode is the lock that the version's xmax holds.
func (v *version) updaterMode() Mode {
	if v.key {
		return ForUpdate
	}
	return NoKeyUpdate
}

// holdings is what stands on a version: its running lockers and its running
// xmax, seen by a session that wants a mode.
type holdings struct {
	foe    int32 // the first in xid order that conflicts, none if none
	count  int
	member bool  // the session itself is among them
	mine   Mode  // member: its strongest mode
	own    int32 // member: its first in xid order
}

func (s *State) holders(sess int, t TID, m Mode) holdings {
	h := holdings{foe: none}
	add := func(x int32, held Mode) {
		h.count++
		if s.mine(sess, x) {
			if !h.member || held > h.mine {
				h.mine = held
			}
			if !h.member || x < h.own {
				h.own = x
			}
			h.member = true
		} else if conflicts(held, m) {
			if h.foe != none && h.foe != x {
				s.looks.LookAtHolders()
			}
			if h.foe == none || x < h.foe {
				h.foe = x
			}
		}
	}
	for _, l := range s.lockers {
		if l.tid == t {
			add(l.xid, l.mode)
		}
	}
	v := s.at(t)
	if v.xmax != none && s.xids[v.xmax].status == running {
		add(v.xmax, v.updaterMode())
	}
	return h
}

// addLocker makes the session's transaction a locker of the version.
func (s *State) addLocker(sess int, t TID, m Mode) {
	x := s.writer(sess)
	for i := range s.lockers {
		if l := &s.lockers[i]; l.tid == t && l.xid == x {
			l.mode = max(l.mode, m)
			return
		}
	}
	s.lockers = append(s.lockers, locker{t, x, m})
}

// LockFlags say how Lock treats a version that is not free.
type LockFlags uint8

// The flags. Without NoWait, Lock waits.
const (
	NoWait    LockFlags = 1 << iota // answer WouldBlock instead of waiting
	FindLast                        // READ COMMITTED: follow the chain to the newest version (TUPLE_LOCK_FLAG_FIND_LAST_VERSION)
	LockNewer                       // lock the newer versions as well (TUPLE_LOCK_FLAG_LOCK_UPDATE_IN_PROGRESS)
)

// Lock locks a version, as table_tuple_lock does. It answers OK with the
// version that was locked, or Invisible, SelfModified, Updated, Deleted,
// WouldBlock.
func (s *State) Lock(sess int, t TID, m Mode, f LockFlags) Answer {
	s.sessions[sess].op = operation{kind: opLock, tid: t, mode: m, lockRequest: lockRequest{flags: f, prior: none}}
	return s.lock(sess)
}

// lock is heapam_tuple_lock. With FindLast it follows the chain of updates.
func (s *State) lock(sess int) Answer {
	ses := &s.sessions[sess]
	for {
		op := &ses.op
		if !op.chase {
			r := s.lockVersion(sess)
			if r == Blocked {
				return answer(r, op.tid)
			}
			s.unqueue(sess)
			if r != Updated || op.flags&FindLast == 0 || ses.level != ReadCommitted {
				return answer(r, op.tid)
			}
			v := s.at(op.tid)
			op.chase, op.prior, op.tid = true, v.xmax, v.next
			if s.yield(sess) {
				return answer(Blocked, none)
			}
		}
		if r := s.follow(sess); r != OK {
			return answer(r, op.tid)
		}
	}
}

// follow goes along the chain to the newest version: OK means that this one is
// to be locked next. A running updater is waited for without queueing, whatever
// the modes.
func (s *State) follow(sess int) Result {
	op := &s.sessions[sess].op
	for {
		v := s.at(op.tid)
		s.accessVersion(op.tid, false)
		exists, wait := s.dirty(sess, v)
		switch {
		case exists && wait != none && op.flags&NoWait != 0:
			return WouldBlock
		case exists && wait != none:
			return s.waitFor(sess, wait)
		case exists && s.mine(sess, op.prior) && v.cmin >= s.sessions[sess].cid:
			return SelfModified
		case exists:
			op.chase, op.looked, op.alone, op.slept = false, false, false, false
			return OK
		case s.xids[v.xmin].status == aborted || v.next == none:
			return Deleted
		}
		op.prior, op.tid = v.xmax, v.next
	}
}

// lockVersion is heap_lock_tuple on the operation's version.
func (s *State) lockVersion(sess int) Result {
	op := &s.sessions[sess].op
	s.accessVersion(op.tid, op.mode <= Share)
	r := s.fate(sess, op.tid)
	switch r {
	case Invisible, SelfModified:
		return r
	case OK:
		s.addLocker(sess, op.tid, op.mode)
		return OK
	}
	h := s.holders(sess, op.tid, op.mode)
	if !op.looked {
		op.looked = true
		if h.member && h.mine >= op.mode {
			return OK
		}
		// Who holds a weaker lock beside others does not queue: those in the
		// queue may wait for it.
		op.alone = h.member && h.count > 1
	}
	v := s.at(op.tid)
	free := h.foe == none
	if gone := v.settled(s); free && gone != OK {
		r = gone
	}
	if op.mode == KeyShare {
		// An update that leaves the keys alone does not hinder KEY SHARE.
		free = free && !(v.key && s.live(v.xmax))
		if free && v.next != none && s.live(v.xmax) {
			if n := s.lockNewer(sess, v.next); n != OK {
				return n
			}
			r = OK
		}
	}
	if r == Updated && op.slept && op.flags&LockNewer != 0 {
		if s.lockNewer(sess, v.next) == Blocked {
			return Blocked
		}
	}
	if (r == Updated || r == Deleted) && !(op.mode == KeyShare && free) {
		return r
	}
	if free {
		s.addLocker(sess, op.tid, op.mode)
		return OK
	}
	return s.waitForHolder(sess, h.foe)
}

// waitForHolder takes the version's tuple lock and waits for a holder with it.
func (s *State) waitForHolder(sess int, foe int32) Result {
	op := &s.sessions[sess].op
	if !op.alone {
		if r := s.enqueue(sess, op.tid, op.mode, op.flags&NoWait == 0); r != OK {
			return r
		}
	}
	if op.flags&NoWait != 0 {
		return WouldBlock
	}
	op.slept = s.live(s.at(op.tid).xmax)
	return s.waitFor(sess, foe)
}

// lockNewer is heap_lock_updated_tuple: it locks this version and all newer
// ones. It waits for conflicting holders without queueing.
func (s *State) lockNewer(sess int, t TID) Result {
	m := s.sessions[sess].op.mode
	for ; t != none; t = s.at(t).next {
		v := s.at(t)
		if s.xids[v.xmin].status == aborted {
			return OK
		}
		h := s.holders(sess, t, m)
		if h.member && h.foe != none {
			s.looks.LookAtHolders()
		}
		if h.member && (h.foe == none || h.own < h.foe) {
			continue
		}
		if h.foe != none {
			return s.waitFor(sess, h.foe)
		}
		if v.xmax != none && s.xids[v.xmax].status == committed && conflicts(v.updaterMode(), m) {
			if v.moved { // it goes on elsewhere (test_lockmode_for_conflict)
				return Updated
			}
			return v.settled(s)
		}
		s.accessVersion(t, m <= Share)
		s.addLocker(sess, t, m)
	}
	return OK
}
