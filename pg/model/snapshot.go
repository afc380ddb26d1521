package model

import (
	"slices"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/access"
)

// Snapshots. The server takes more than it uses: one to analyse a statement, one to run
// it, one for each query of a trigger. All that it has taken since the last request are
// alike, as nothing has happened since, and the next request takes one for them.

// snapshot lets a request take the snapshots that the server has taken since the last
// one.
func (s *Session) snapshot(c *engine.Call, q *access.Request, w *engine.View) {
	if len(s.latest) > 0 && len(s.plain) > 0 {
		s.snapshotOnly(c, q, &s.plain, false)
	}
	if len(s.latest) > 0 && (w == nil || !slices.Contains(s.latest, w.Number)) {
		s.snapshotOnly(c, q, &s.latest, true)
	}
	if len(s.plain) > 0 && !reads[q.Kind] { // a lock that is tried later is another moment
		s.snapshotOnly(c, q, &s.plain, false)
	}
	switch {
	case len(s.latest) > 0:
		q.Snap, q.Latest = true, true
		s.assign(&s.latest)
	case len(s.plain) > 0:
		q.Snap = true
		s.assign(&s.plain)
	}
	if w == nil {
		return
	}
	v, ok := s.views[w.Number]
	if !ok && w.Number == s.number { // the transaction's
		q.Snap = true
		s.plain = append(s.plain, w.Number)
		v = s.taken
		s.assign(&s.plain)
	} else if !ok {
		s.refuse(c, "a snapshot of an earlier statement, such as a cursor has")
	}
	q.View = v
}

// reads are the requests that take their snapshot themselves: it is no moment of its own. LOCK
// TABLE has none.
var reads = map[access.Kind]bool{access.Nothing: true, access.ScanTable: true, access.ScanKey: true, access.ScanIndex: true, access.See: true, access.LockTables: true}

// snapshotOnly asks for nothing but a snapshot.
func (s *Session) snapshotOnly(c *engine.Call, q *access.Request, list *[]uint32, latest bool) {
	only := access.Request{
		Asker: access.Asker{Snap: true, Latest: latest, First: q.First, Begins: q.Begins, Keeps: q.Keeps, Level: q.Level, ReadOnly: q.ReadOnly,
			Deferrable: q.Deferrable},
		Locking: access.Locking{Locks: q.Locks, Expires: q.Expires, Whole: q.Whole},
	}
	q.First, q.Begins, q.Locks = false, false, nil
	s.assign(list)
	s.answer(c, &only, !only.Begins)
}

// assign makes one view of snapshots that are alike.
func (s *Session) assign(list *[]uint32) {
	for _, n := range *list {
		s.views[n] = s.taken
	}
	s.taken++
	*list = (*list)[:0]
}

// Snapshot notes a snapshot of the server's.
func (s *Session) Snapshot(c *engine.Call, number uint32, nested, latest bool) {
	if !nested {
		s.begins, s.explicit = true, false
	}
	if !latest && c.Isolation() > readCommitted {
		s.number = number
	}
	if _, known := s.views[number]; known && nested {
		return
	}
	list := &s.plain
	if latest && c.Isolation() > readCommitted {
		list = &s.latest
	}
	if !slices.Contains(*list, number) {
		*list = append(*list, number)
	}
}

// Executes takes the snapshot of a transaction that keeps it.
func (s *Session) Executes(c *engine.Call) {
	if c.Isolation() > readCommitted && s.first {
		s.ask(c, access.Request{}, 0, nil)
	}
}
