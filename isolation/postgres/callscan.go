package postgres

import (
	"slices"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/access"
)

// Scans of an executor. What a scan of a table or a look-up of a key finds is told at
// once, at its beginning: at its snapshot it does not depend on what comes later. At
// SERIALIZABLE a scan of an index that may end early tells the versions that it may
// meet. The scan then meets the versions that the executor reaches: only these count as
// read.

// scanned is the answer to a scan of the whole table.
func (r *Rows) scanned(sess, table int) model.Reply {
	list, code := r.state.ScanTable(sess, Read{Kind: ReadTable, Table: uint8(table)}, false)
	return r.found(sess, list, code)
}

func (r *Rows) found(sess int, list []TID, code Code) model.Reply {
	if code != NoError {
		return r.failed(sess, code)
	}
	var a access.Answer
	for _, t := range list {
		a.Versions = append(a.Versions, r.version(sess, t))
	}
	return r.reply(sess, a)
}

// scanIndex lists versions in the order in which an index has those with equal keys:
// by the place of the version that its entry leads to.
func (r *Rows) scanIndex(sess, table int, q *access.Request) model.Reply {
	s := &r.state
	each := s.reader(sess) != none
	if each {
		s.ReadIndex(sess, table, int(q.Index))
	}
	var list []TID
	add := func(t TID, v *version) {
		if each && s.canMeet(sess, v) || !each && s.visible(sess, v) {
			list = append(list, t)
		}
	}
	for _, t := range s.seededMatching(table, q.Text, q.Match) {
		add(t, s.at(t))
	}
	for t, v := range s.after(table) {
		if q.Match(v.row.Value) {
			add(t, v)
		}
	}
	slices.SortStableFunc(list, func(a, b TID) int { return int(s.root(a)) - int(s.root(b)) })
	a := access.Answer{Each: each}
	for _, t := range list {
		a.Versions = append(a.Versions, r.version(sess, t))
	}
	return r.reply(sess, a)
}

// canMeet reports whether it makes a difference that a scan meets the version.
func (s *State) canMeet(sess int, v *version) bool {
	if s.xids[v.xmin].status == aborted {
		return false
	}
	return s.visible(sess, v) || !s.live(v.xmax) || !s.sees(s.sessions[sess].current, v.xmin) || !s.sees(s.sessions[sess].current, v.xmax)
}

// root is the version that the index entry of a version leads to.
func (s *State) root(t TID) TID {
	for s.at(t).hot {
		before := s.predecessor(t)
		if before == none {
			break
		}
		t = before
	}
	return t
}

// predecessor is the version that was updated to t.
func (s *State) predecessor(t TID) TID {
	for i := range s.changed {
		if s.changed[i].next == t {
			return s.changed[i].tid
		}
	}
	for i := range s.heap {
		if s.heap[i].next == t {
			return s.seeds() + TID(i)
		}
	}
	return none
}

// meet is a version that a scan of an index comes upon. It does not come upon the
// versions that follow one that it sees in a chain of heap-only versions.
func (r *Rows) meet(sess int, t TID) model.Reply {
	s := &r.state
	for u := t; s.at(u).hot; {
		if u = s.predecessor(u); u == none {
			break
		}
		if s.visible(sess, s.at(u)) {
			return r.seen(sess, false)
		}
	}
	visible, code := s.Meet(sess, t)
	if code != NoError {
		return r.failed(sess, code)
	}
	if visible {
		s.ReadVersion(sess, t)
	}
	return r.seen(sess, visible)
}

func (r *Rows) seen(sess int, visible bool) model.Reply {
	if visible {
		return r.reply(sess, access.Answer{})
	}
	return r.reply(sess, access.Answer{Result: access.Invisible})
}
