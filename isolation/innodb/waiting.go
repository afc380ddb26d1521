package innodb

// Waiting is what a blocked transaction waits for.
type Waiting struct {
	For       Trx   // the transaction whose lock is first in the way
	Index     int   // the index of the record
	Key       Tuple // the record's key; nil: the end of the index
	Exclusive bool  // the lock asked for
	// Insert: it waits to insert into the gap before the record.
	Insert bool
}

// Waiting says what a transaction waits for. It is false if the transaction
// does not wait.
func (s *State) Waiting(t Trx) (Waiting, bool) {
	for i := range s.locks {
		l := &s.locks[i]
		if l.trx != t || !l.waiting {
			continue
		}
		c := &s.records[l.rec]
		return Waiting{s.waitsFor(t), int(c.index), c.key, l.x, l.kind == intention}, true
	}
	return Waiting{}, false
}

// Waiting says what a session's statement waits for, and whose lock that is.
func (m *Machine) Waiting(i int) (w Waiting, session int, blocked bool) {
	if !m.runs[i].busy {
		return w, none, false
	}
	if w, blocked = m.state.Waiting(m.runs[i].trx); !blocked {
		return w, none, false
	}
	return w, m.state.Owner(w.For), true
}
