package isolation

import "github.com/txmc/txmc/semantics"

// search looks for a commit order by placing transactions one after another.
// What may come next depends on the set of those placed only, not on their
// order: a transaction that writes x may be placed only when every other
// transaction that reads x from a placed one has read. Sets that lead nowhere
// are remembered.
//
// The levels differ in what is placed: SER places whole transactions (ser.go);
// SI and PC place the point at which a transaction reads and the point at which
// it writes (si.go).
type search struct {
	h     *semantics.Ordered
	known *Known
	n     int // transactions to place

	read  semantics.Row // transactions that have read
	wrote semantics.Row // transactions that have written
	order []int32       // transactions with writes, in the order placed; all for SER
	saved semantics.Rows
	dead  sets

	slot    []int32        // by transaction: where its writes begin in readers
	readers semantics.Rows // by write: the transactions that read it
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
	s.indexReaders()
}

// decide reports whether the first n transactions of h, which satisfy CC with
// the forced edges known, satisfy l, one of PC, SI and SER. Afterwards s.order is
// a commit order that shows it.
func (s *search) decide(h *semantics.Ordered, known *Known, n int, l Level) bool {
	s.reset(h, known, n)
	switch l {
	case SER:
		return s.serial()
	case SI:
		return s.snapshot(true)
	default:
		return s.snapshot(false)
	}
}

// indexReaders finds the readers of every write. The initial transaction, which
// writes everything, has a row for each variable, before those of the others.
func (s *search) indexReaders() {
	s.readers.Reset(s.h.Words())
	for range s.h.Variables() {
		s.readers.Push()
	}
	s.slot = append(s.slot[:0], 0)
	for t := 1; t < s.n; t++ {
		s.slot = append(s.slot, int32(s.readers.Len()))
		for range s.h.Txns[t].Writes {
			s.readers.Push()
		}
	}
	for i := range s.h.Reads {
		r := &s.h.Reads[i]
		if int(r.Txn) >= s.n {
			break
		}
		s.readersOf(int(r.From), int(r.Var)).Add(int(r.Txn))
	}
}

// readersOf returns the transactions that read x from t, which writes x.
func (s *search) readersOf(t, x int) semantics.Row {
	if t == 0 {
		return s.readers.Row(x)
	}
	i := int(s.slot[t])
	for _, w := range s.h.Txns[t].Writes {
		if int(w.Var) == x {
			break
		}
		i++
	}
	return s.readers.Row(i)
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
		writers := s.h.Writers(w.Var)
		for u := writers.Next(0); u >= 0 && u < s.n; u = writers.Next(u + 1) {
			if !s.wrote.Has(u) {
				continue
			}
			for i, b := range s.readersOf(u, int(w.Var)) {
				b &^= s.read[i]
				if i == t>>6 {
					b &^= 1 << (t & 63)
				}
				if b != 0 {
					return false
				}
			}
		}
	}
	return true
}

// unwritten returns the least transaction from t on that has not written, or n.
func (s *search) unwritten(t int) int {
	for t < s.n && s.wrote.Has(t) {
		t++
	}
	return t
}
