package innodb

// The undo log.
//
// Every change of a record has an undo record. Rolling a statement or a
// transaction back takes the changes back in reverse order. An inserted record
// is removed; its locks become gap locks.
//
// Source: MySQL manual, "Undo Logs"; "InnoDB Error Handling".

type undoOp uint8

const (
	undoInsert undoOp = iota // clustered record inserted
	undoModify               // clustered record changed: a version more
	undoEntry                // secondary record inserted
	undoMark                 // secondary record marked
	undoUnmark               // secondary record used again
)

// undo is an undo record. Undo records are never changed.
type undo struct {
	op     undoOp
	rec    int32
	writer Trx // secondary: who had changed the record before
	prev   *undo
}

// Savepoint is a place in a transaction's undo log.
type Savepoint struct{ last *undo }

// Savepoint is the current end of the undo log.
func (s *State) Savepoint(t Trx) Savepoint { return Savepoint{s.trxs[t].undo} }

// RollbackTo undoes what the transaction wrote since. Locks stay. It may wake
// others, who waited for records that are removed.
func (s *State) RollbackTo(t Trx, to Savepoint) {
	s.traceUndone(t, to.last)
	s.undoTo(t, to.last)
}

func (s *State) log(t Trx, u undo) {
	x := &s.trxs[t]
	u.prev = x.undo
	x.undo = &u
}

func (s *State) undoTo(t Trx, last *undo) {
	for s.trxs[t].undo != last && s.trxs[t].undo != nil {
		u := s.trxs[t].undo
		s.trxs[t].undo = u.prev
		s.revert(u)
	}
}

func (s *State) revert(u *undo) {
	r := &s.records[u.rec]
	switch u.op {
	case undoInsert, undoEntry:
		s.removeRecord(int(u.rec))
	case undoModify:
		r.newest = r.newest.prev
		r.marked, r.writer = r.newest.deleted, r.newest.trx
	case undoMark:
		r.marked, r.writer = false, u.writer
	case undoUnmark:
		r.marked, r.writer = true, u.writer
	}
}
