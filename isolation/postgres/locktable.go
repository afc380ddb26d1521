package postgres

// Locks on tables: documentation section 13.3.1. They are kept as advisory locks are, by
// keys of their own: a statement takes one for each table that it names, until the end of
// the transaction. Only those of LOCK TABLE make others wait.

// The modes of advisory locks.
const (
	share     = 5
	exclusive = 7
	strongest = 8
)

// tableConflicts are, by mode, the modes that conflict with it, as a set (LockConflicts of lock.c).
var tableConflicts = [strongest + 1]uint16{
	1: 1 << 8,
	2: 1<<7 | 1<<8,
	3: 1<<5 | 1<<6 | 1<<7 | 1<<8,
	4: 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<8,
	5: 1<<3 | 1<<4 | 1<<6 | 1<<7 | 1<<8,
	6: 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<8,
	7: 1<<2 | 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<8,
	8: 1<<1 | 1<<2 | 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<8,
}

// LockTable locks a table for the session's transaction, until its end or that of the savepoint
// of this depth. It answers Ready after a wait: then the operation begins again.
func (s *State) LockTable(sess, table int, mode uint8, depth int, wait bool) Answer {
	a := advice{key: int32(-1 - table), session: int8(sess), owned: true, mode: mode, level: int16(depth), shared: mode <= 3}
	return s.acquire(a, wait, Ready)
}
