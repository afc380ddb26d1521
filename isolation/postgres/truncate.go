package postgres

import "slices"

// TRUNCATE: documentation, SQL commands; ExecuteTruncateGuts of
// src/backend/commands/tablecmds.c. The table gets a new heap. The old one goes when the
// transaction commits, and with it its rows, for all snapshots, those too that were taken
// before. Until then ACCESS EXCLUSIVE keeps all others off the table, so that nobody but
// the transaction itself looks at it.

// truncation is the end of the versions that a table had.
type truncation struct {
	xid   int32
	upto  TID // the versions before this one
	table uint8
}

// Truncate empties a table, which the session's transaction has locked ACCESS EXCLUSIVE.
func (s *State) Truncate(sess, table int) Answer {
	if c := s.conflictInRows(sess, table); c != NoError {
		return failure(c)
	}
	s.ssi.promote(uint8(table))
	s.looks.LookAtOrder(uint8(table)) // a key counts the versions that the truncation has taken
	x := s.writer(sess)
	s.truncations = append(slices.Clip(s.truncations), truncation{x, s.versions(), uint8(table)})
	return answer(OK, none)
}

// conflictInRows is the check for the SIREAD locks of a table and its rows, whoever has them
// (CheckTableForSerializableConflictIn). Locks of indexes do not count.
func (s *State) conflictInRows(sess, table int) Code {
	me := s.sessions[sess].record
	if me == none {
		return NoError
	}
	s.ssi.records[me].wrote = true
	s.accessRecord(me)
	for _, l := range s.ssi.locks {
		if int(l.on.table) != table || l.on.kind >= onIndexPage || l.record == me || s.ssi.has(l.record, me) {
			continue
		}
		s.accessRecord(l.record)
		if !s.ssi.flag(me, l.record, me) {
			return SerializationFailure
		}
	}
	return NoError
}

// promote makes locks of the table of those that its indexes have: they are built anew
// (TransferPredicateLocksToHeapRelation).
func (q *ssi) promote(table uint8) {
	for i := 0; i < len(q.locks); {
		l := q.locks[i]
		if l.on.table != table || l.on.kind < onIndexPage {
			i++
			continue
		}
		q.locks = slices.Delete(q.locks, i, i+1)
		q.lock(l.record, target{kind: onTable, table: table})
		i = 0
	}
}

// swept reports whether a TRUNCATE of a transaction that has not been undone has taken the
// version away.
func (s *State) swept(table uint8, t TID) bool {
	for i := range s.truncations {
		if c := &s.truncations[i]; c.table == table && t < c.upto && s.xids[c.xid].status != aborted {
			return true
		}
	}
	return false
}

// restore forgets the truncations that have been undone.
func (s *State) restore() {
	if len(s.truncations) > 0 {
		s.truncations = slices.DeleteFunc(slices.Clone(s.truncations), func(c truncation) bool { return s.xids[c.xid].status == aborted })
	}
}

// lost reports whether a version has gone for ever by a TRUNCATE.
func (s *State) lost(table uint8, t TID) bool {
	for i := range s.truncations {
		if c := &s.truncations[i]; c.table == table && t < c.upto && s.xids[c.xid].status == committed {
			return true
		}
	}
	return false
}

// Emptied lists the versions of rows that the last TRUNCATE of an executor's table has taken away.
func (r *Rows) Emptied(table int) (list []TID) {
	s := &r.state
	n := len(s.truncations) - 1
	for n >= 0 && int(s.truncations[n].table) != table+r.first {
		n--
	}
	if n < 0 {
		return nil
	}
	last := s.truncations[n]
	before := *s
	before.truncations = s.truncations[:n]
	for t := range last.upto {
		v := s.at(t)
		if v.table == last.table && !before.swept(v.table, t) && s.live(v.xmin) && !s.live(v.xmax) {
			list = append(list, t)
		}
	}
	return list
}

// addTruncations adds the tables of the seed that have been emptied, and what running
// transactions have emptied: so many of the versions that matter.
func (k *Keyer) addTruncations() {
	s := k.s
	if len(s.truncations) == 0 {
		return
	}
	var emptied [4]uint64
	for _, c := range s.truncations {
		if s.xids[c.xid].status == committed {
			emptied[c.table>>6] |= 1 << (c.table & 63)
			continue
		}
		n := uint64(0)
		for _, t := range k.order {
			if s.at(t).table == c.table && t < c.upto {
				n++
			}
		}
		k.Add(k.xid(c.xid)<<32 | uint64(c.table)<<16 | n)
	}
	for _, set := range emptied {
		k.Add(set)
	}
}
