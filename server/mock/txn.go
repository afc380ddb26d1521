package mock

import (
	"github.com/txmc/txmc/program/behaviour"
)

// state is how a transaction stands.
type state uint8

const (
	open state = iota
	committed
	aborted
)

// txn is a transaction of the window.
type txn struct {
	session *Session
	number  int64 // counted from 1, by the order in which they begin
	state   state
	rank    int // in the witness
	reads   []read
	writes  []behaviour.Write // one for each key; Val is not used
	values  map[behaviour.VarID]*version
	span
	why error // it has failed, which its session does not know yet
	lockWait
	scans  map[string]bool // tables, of SQL
	events []Event         // what it did, when somebody wants to know
}

// lockWait is what a transaction waits for, and what waits for it.
type lockWait struct {
	waits   behaviour.VarID // the key whose lock it waits for, while waiting
	waiting bool
	locks   []behaviour.VarID
}

// read is an external read.
type read struct {
	x    behaviour.VarID
	from *version
	lock bool
}

// wrote returns the version that the transaction has written of x, or nil.
func (t *txn) wrote(x behaviour.VarID) *version { return t.values[x] }

// idle reports whether the transaction has done nothing that others could tell.
func (t *txn) idle() bool { return len(t.reads) == 0 && len(t.writes) == 0 }

// put notes a write. It returns what takes it back.
func (t *txn) put(x behaviour.VarID, v *version) (undo func()) {
	before := t.values[x]
	if t.values == nil {
		t.values = map[behaviour.VarID]*version{}
	}
	if before == nil {
		t.writes = append(t.writes, behaviour.Write{Var: x})
	}
	t.values[x] = v
	return func() {
		if before != nil {
			t.values[x] = before
			return
		}
		delete(t.values, x)
		for i := range t.writes {
			if t.writes[i].Var == x {
				t.writes = append(t.writes[:i:i], t.writes[i+1:]...)
				break
			}
		}
	}
}
