package postgres

import (
	"fmt"
	"slices"
)

// Invariants of a State, in the manner of go/ssa's sanity.go. Tests call Check
// after every step.

// Check returns the first invariant that does not hold.
func (s *State) Check() error {
	for _, check := range []func() error{s.checkVersions, s.checkKeys, s.checkLockers, s.checkQueue,
		s.checkSessions, s.checkXids, s.checkRecords, s.checkConflicts} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// Check returns the first invariant that does not hold: of the state, or between
// it and the statements in progress.
func (m *Machine) Check() error {
	for i := range m.runs {
		blocked := m.state.Blocked(i) && m.state.sessions[i].wait.kind != forSafety
		if e := &m.runs[i].exec; e.active != blocked {
			return fmt.Errorf("session %d: a statement is in progress: %v, blocked: %v", i, e.active, m.state.Blocked(i))
		}
	}
	return m.state.Check()
}

// checkVersions: chains lead forward, within a table, and are made by the
// transaction that ended the older version. Heap-only versions change no key.
func (s *State) checkVersions() error {
	for i := range s.versions() {
		v := s.at(i)
		if int(v.indexed) > s.tables[v.table].Unique || v.hot && v.indexed > 0 {
			return fmt.Errorf("version %d has entries in %d indexes; heap-only: %v", i, v.indexed, v.hot)
		}
		if v.next == none {
			continue
		}
		n := s.at(v.next)
		switch {
		case v.next <= i || n.table != v.table:
			return fmt.Errorf("version %d has the successor %d", i, v.next)
		case n.xmin != v.xmax:
			return fmt.Errorf("version %d ends with transaction %d, its successor begins with %d", i, v.xmax, n.xmin)
		case n.hot && !equalKeys(v.row.Keys, n.row.Keys):
			return fmt.Errorf("version %d is heap-only and has other keys than its predecessor", v.next)
		}
	}
	return nil
}

// checkKeys: no two live rows have the same key in a unique index.
func (s *State) checkKeys() error {
	type entry struct {
		table uint8
		index int
		key   int32
	}
	seen := map[entry]TID{}
	for i := range s.versions() {
		v := s.at(i)
		if s.swept(v.table, i) || s.xids[v.xmin].status != committed || v.xmax != none && s.xids[v.xmax].status == committed {
			continue
		}
		for x, key := range v.row.Keys {
			e := entry{v.table, x, key}
			if other, twice := seen[e]; twice && key != 0 && s.tables[v.table].Deferred>>x&1 == 0 {
				return fmt.Errorf("versions %d and %d both have key %d in index %d of table %d", other, i, key, x, v.table)
			}
			seen[e] = i
		}
	}
	return nil
}

// checkLockers: who holds a version is running, and holders of different sessions
// do not conflict.
func (s *State) checkLockers() error {
	for i, l := range s.lockers {
		if s.xids[l.xid].status != running {
			return fmt.Errorf("transaction %d has ended and locks version %d", l.xid, l.tid)
		}
		rest := s.lockers[i+1:]
		if v := s.at(l.tid); v.xmax != none && s.xids[v.xmax].status == running {
			rest = append(slices.Clone(rest), locker{l.tid, v.xmax, v.updaterMode()})
		}
		for _, o := range rest {
			if o.tid == l.tid && s.xids[o.xid].session != s.xids[l.xid].session && conflicts(o.mode, l.mode) {
				return fmt.Errorf("transactions %d and %d hold version %d in modes %d and %d", l.xid, o.xid, l.tid, l.mode, o.mode)
			}
		}
	}
	return nil
}

// checkQueue: a session has one request at most. It holds the tuple lock if the
// request is granted, and waits for it if not. Granted requests do not conflict,
// and a waiting one is hindered.
func (s *State) checkQueue() error {
	for i, r := range s.queue {
		ses := &s.sessions[r.session]
		waits := ses.wait.kind == forTuple && ses.wait.on == r.tid && ses.wait.mode == r.mode
		if r.granted != (ses.have == r.tid) || r.granted == waits {
			return fmt.Errorf("session %d: request for version %d granted: %v, held: %d, waiting: %v", r.session, r.tid, r.granted, ses.have, waits)
		}
		if r.granted != s.grantable(i) {
			return fmt.Errorf("session %d: request for version %d granted: %v", r.session, r.tid, r.granted)
		}
		if slices.ContainsFunc(s.queue[i+1:], func(o request) bool { return o.session == r.session }) {
			return fmt.Errorf("session %d has two requests", r.session)
		}
	}
	return nil
}

// checkSessions: who waits, waits for a running transaction of another session or
// in a queue; when nobody is left to run, nobody waits for himself.
func (s *State) checkSessions() error {
	for i := range s.sessions {
		ses := &s.sessions[i]
		if ses.wait.kind != notWaiting && (!ses.open || ses.op.kind == noOperation) {
			return fmt.Errorf("session %d waits without an operation", i)
		}
		switch w := ses.wait; {
		case w.kind == forXid && (s.xids[w.on].status != running || s.mine(i, w.on)):
			return fmt.Errorf("session %d waits for transaction %d", i, w.on)
		case w.kind == forTuple && !slices.ContainsFunc(s.queue, func(r request) bool { return int(r.session) == i }):
			return fmt.Errorf("session %d waits for version %d and is not in its queue", i, w.on)
		case w.kind == forTurn && len(s.woken) == 0:
			return fmt.Errorf("session %d waits for its turn, and nobody else runs", i)
		}
		if len(s.woken) == 0 && len(s.fresh) == 0 && s.onCycle(i) {
			return fmt.Errorf("session %d waits for itself", i)
		}
		if ses.snapshot > s.commits || ses.current > s.commits {
			return fmt.Errorf("session %d has a snapshot of the future", i)
		}
	}
	return nil
}

// checkXids: a running xid belongs to an open transaction and to one of its
// savepoint levels.
func (s *State) checkXids() error {
	for x := range s.xids {
		t := &s.xids[x]
		switch {
		case t.status == committed && t.commit > s.commits:
			return fmt.Errorf("transaction %d committed as number %d of %d", x, t.commit, s.commits)
		case t.status == running && (!s.sessions[t.session].open || int(t.level) > len(s.sessions[t.session].saves)):
			return fmt.Errorf("transaction %d runs at level %d, which its session does not have", x, t.level)
		}
	}
	return nil
}

// checkRecords: the counts of package-wide state fit the records.
func (s *State) checkRecords() error {
	q := &s.ssi
	writable, xmin, count := int32(0), int32(none), int32(0)
	for i := range q.records {
		r := &q.records[i]
		ended := r.committed || r.rolledBack
		if !r.used || ended {
			continue
		}
		if !r.declared {
			writable++
		}
		if xmin == none || r.xmin < xmin {
			xmin, count = r.xmin, 0
		}
		if r.xmin == xmin {
			count++
		}
	}
	if writable != q.writable || xmin != q.globalXmin || count != q.globalCount {
		return fmt.Errorf("%d writers, xmin %d of %d records; counted %d, %d of %d", q.writable, q.globalXmin, q.globalCount, writable, xmin, count)
	}
	last := int32(0)
	for _, id := range q.finished {
		r := &q.records[id]
		if !r.used || !r.committed || r.commitSeq <= last || r.prepareSeq >= r.commitSeq {
			return fmt.Errorf("finished record %d: %+v", id, *r)
		}
		last = r.commitSeq
	}
	for i := range s.sessions {
		id := s.sessions[i].record
		if id != none && (!q.records[id].used || int(q.records[id].session) != i || s.sessions[i].level != Serializable) {
			return fmt.Errorf("session %d has record %d", i, id)
		}
	}
	return nil
}

// checkConflicts: conflicts and locks belong to records that are kept, each once.
func (s *State) checkConflicts() error {
	q := &s.ssi
	for i, c := range q.conflicts {
		if !q.records[c.reader].used || !q.records[c.writer].used || c.reader == c.writer || slices.Contains(q.conflicts[:i], c) {
			return fmt.Errorf("conflict from record %d to %d", c.reader, c.writer)
		}
	}
	for i, l := range q.locks {
		if !q.records[l.record].used || slices.Contains(q.locks[:i], l) {
			return fmt.Errorf("record %d has the lock %+v", l.record, l.on)
		}
		if l.on.kind == onVersion && q.covered(l.record, l.on) {
			return fmt.Errorf("record %d locks version %d and what covers it", l.record, l.on.n)
		}
	}
	return nil
}
