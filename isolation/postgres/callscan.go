package postgres

import (
	"cmp"
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
	s.sortEntries(sess, table, q, list)
	a := access.Answer{Each: each}
	for _, t := range list {
		a.Versions = append(a.Versions, r.version(sess, t))
	}
	return r.reply(sess, a)
}

// sortEntries sorts what a scan of an index finds. Where the keys of a unique index tell the rows
// apart, an executor that looks at the table once has them in the order of the index, and no other
// order says anything. Else those with equal keys come by the place of what their entries lead to.
func (s *State) sortEntries(sess, table int, q *access.Request, list []TID) {
	if q.Once && s.distinct(list, int(q.Index)) {
		slices.SortFunc(list, func(a, b TID) int {
			return cmp.Or(cmp.Compare(s.at(a).row.Keys[q.Index], s.at(b).row.Keys[q.Index]), cmp.Compare(a, b))
		})
		return
	}
	if n := len(list); n > 1 && list[n-1] >= s.seeds() { // the list ascends
		s.looks.LookAtEntries(uint8(table))
	}
	slices.SortStableFunc(list, func(a, b TID) int { return int(s.root(a)) - int(s.root(b)) })
}

// distinct reports whether all versions have keys in a unique index, which none but versions of
// one row can share.
func (s *State) distinct(list []TID, index int) bool {
	return !slices.ContainsFunc(list, func(t TID) bool {
		keys := s.at(t).row.Keys
		return index >= len(keys) || !unique(keys[index])
	})
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
