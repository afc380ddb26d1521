package isolation

import (
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// search looks for a commit order by placing transactions one after another. What may
// come next depends on the set of placed transactions only, not on their order. A
// transaction that writes x may be placed only when no read of x is open: every other
// transaction that reads x from a placed one has read. Sets that lead nowhere are
// remembered.
//
// The levels differ in what is placed. SER places whole transactions (ser.go). So do
// RC, RA and CC: there the forced edges say all but that a locking read is of the
// latest version, and only locking reads are looked at. SI and PC place two points of a
// transaction: at one it reads, at the other it writes (si.go).
type search struct {
	h     *semantics.Ordered
	known *Known
	n     int // transactions to place

	read  semantics.Row // transactions that have read
	wrote semantics.Row // transactions that have written
	order []int32       // transactions with writes, in the order placed; all for SER
	saved semantics.Rows
	dead  sets

	reads []int32 // by variable: the last read of it, -1 if none
	prior []int32 // by read: the read of the same variable before, -1 if none

	snapshots
	work Work
}

// snapshots is how a search places the reads of transactions that read from snapshots.
type snapshots struct {
	exclusive bool // SI: writers of the same variable do not overlap
	late      bool // of PC and SI: a transaction that writes reads as late as it can
}

// Work counts what searches for commit orders do. It does not depend on the machine: two
// versions of the search compare by it.
type Work struct {
	Searches int64 // histories for which an order was searched
	States   int64 // sets of placed transactions, with repetitions
	Tries    int64 // transactions that were tried next
}

// reset prepares the search for the first n transactions of h.
func (s *search) reset(h *semantics.Ordered, known *Known, n int) {
	s.h, s.known, s.n = h, known, n
	if len(s.read) != h.Words() {
		s.read, s.wrote = make(semantics.Row, h.Words()), make(semantics.Row, h.Words())
	}
	clear(s.read)
	clear(s.wrote)
	s.read.Add(0)
	s.wrote.Add(0)
	s.order = append(s.order[:0], 0)
	s.saved.Reset(h.Words())
	s.dead.reset(2 * h.Words())
}

// decide reports whether the first n transactions of h, which satisfy l.Base()
// with the forced edges known, satisfy l with their locking reads. Afterwards
// s.order is a commit order that shows it.
func (s *search) decide(h *semantics.Ordered, known *Known, n int, l Level) bool {
	s.work.Searches++
	if l == PC {
		if ok, sure := s.firstFit(h, known, n); sure {
			return ok
		}
	}
	s.reset(h, known, n)
	switch l {
	case SER:
		s.indexReads(false)
		return s.serial()
	case PC, SI:
		s.exclusive = l == SI
		s.late = s.exclusive || locking(h, n)
		s.indexReads(false)
		return s.snapshot()
	default:
		s.indexReads(true)
		return s.serial()
	}
}

// firstFit decides PC, where it can, without a search. sure is false where it cannot.
func (s *search) firstFit(h *semantics.Ordered, known *Known, n int) (ok, sure bool) {
	if h.Words() > 1 || n > h.Ended() || locking(h, n) {
		return false, false
	}
	f := firstFit{h: h, known: known}
	s.order, ok = f.arrange(n, append(s.order[:0], 0))
	s.work.States += f.states
	s.work.Tries += f.tries
	return ok, ok || !f.undecided
}

// locking reports whether there is a locking read among those of the first n
// transactions of h.
func locking(h *semantics.Ordered, n int) bool {
	for i := range h.Reads {
		if r := &h.Reads[i]; r.Lock && int(r.Txn) < n {
			return true
		}
	}
	return false
}

// indexReads chains the reads of each variable, or the locking ones only.
func (s *search) indexReads(lockingOnly bool) {
	s.reads, s.prior = s.reads[:0], s.prior[:0]
	for range s.h.Variables() {
		s.reads = append(s.reads, -1)
	}
	for i := range s.h.Reads {
		r := &s.h.Reads[i]
		if int(r.Txn) >= s.n {
			break
		}
		s.prior = append(s.prior, s.reads[r.Var])
		if r.Lock || !lockingOnly {
			s.reads[r.Var] = int32(i)
		}
	}
}

// save keeps the present state; restore brings it back.
func (s *search) save() (rows, order int) {
	rows, order = s.saved.Len(), len(s.order)
	copy(s.saved.Push(), s.read)
	copy(s.saved.Push(), s.wrote)
	return rows, order
}

func (s *search) restore(rows, order int) {
	copy(s.read, s.saved.Row(rows))
	copy(s.wrote, s.saved.Row(rows+1))
	s.saved.Truncate(rows)
	s.order = s.order[:order]
}

func (s *search) writes(t int) bool { return len(s.h.Txns[t].Writes) > 0 }

// follows reports whether all that must precede t's writes has been written.
func (s *search) follows(t int) bool {
	if t >= s.h.Ended() {
		return s.wrote.Contains(s.h.Past(t))
	}
	return s.wrote.Contains(s.known.Before(t))
}

// mayOverwrite reports whether everybody else who reads what t overwrites has
// read.
func (s *search) mayOverwrite(t int) bool {
	for _, w := range s.h.Txns[t].Writes {
		for i := s.reads[w.Var]; i >= 0; i = s.prior[i] {
			r := &s.h.Reads[i]
			if int(r.Txn) != t && !s.read.Has(int(r.Txn)) && s.wrote.Has(int(r.From)) {
				return false
			}
		}
	}
	return true
}

// delaysNobody reports whether t, which may write now, holds nobody up by that, now or later.
// For each variable that t writes, one of two things holds. All transactions that read it
// from t have read, or nobody else is left who writes it. If there is an order from here,
// there is one in which t comes next. So nothing else has to be tried.
func (s *search) delaysNobody(t int) bool {
	for _, w := range s.h.Txns[t].Writes {
		if s.hasRival(t, w.Var) && s.hasReader(t, w.Var) {
			return false
		}
	}
	return true
}

// hasRival reports whether another transaction that has not written writes x.
func (s *search) hasRival(t int, x behaviour.VarID) bool {
	for w, b := range s.h.Writers(x) {
		if b &^= s.wrote[w]; w == t>>6 {
			b &^= 1 << (t & 63)
		}
		if b != 0 {
			return true
		}
	}
	return false
}

// hasReader reports whether somebody reads x from t.
func (s *search) hasReader(t int, x behaviour.VarID) bool {
	for i := s.reads[x]; i >= 0; i = s.prior[i] {
		if int(s.h.Reads[i].From) == t {
			return true
		}
	}
	return false
}

// unwritten returns the least transaction from t on that has not written, or n.
func (s *search) unwritten(t int) int {
	for t < s.n && s.wrote.Has(t) {
		t++
	}
	return t
}
