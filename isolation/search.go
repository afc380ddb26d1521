package isolation

import (
	"encoding/binary"

	"github.com/txmc/txmc/semantics"
)

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
	n     int

	read  semantics.Row // transactions that have read
	wrote semantics.Row // transactions that have written
	saved semantics.Rows
	dead  map[string]struct{}
	key   []byte
}

func (s *search) reset(h *semantics.Ordered, known *Known) {
	s.h, s.known, s.n = h, known, h.Len()
	if len(s.read) != h.Words() {
		s.read, s.wrote = make(semantics.Row, h.Words()), make(semantics.Row, h.Words())
	}
	clear(s.read)
	clear(s.wrote)
	s.read.Add(0)
	s.wrote.Add(0)
	s.saved.Reset(h.Words())
	clear(s.dead)
}

// save keeps the present sets; restore(n) brings them back.
func (s *search) save() int {
	n := s.saved.Len()
	copy(s.saved.Push(), s.read)
	copy(s.saved.Push(), s.wrote)
	return n
}

func (s *search) restore(n int) {
	copy(s.read, s.saved.Row(n))
	copy(s.wrote, s.saved.Row(n+1))
	s.saved.Truncate(n)
}

// hopeless reports whether the present sets are known to lead nowhere.
func (s *search) hopeless() bool {
	if len(s.dead) == 0 {
		return false
	}
	_, ok := s.dead[string(s.encode())]
	return ok
}

func (s *search) abandon() {
	if s.dead == nil {
		s.dead = map[string]struct{}{}
	}
	s.dead[string(s.encode())] = struct{}{}
}

func (s *search) encode() []byte {
	s.key = s.key[:0]
	for _, w := range s.read {
		s.key = binary.LittleEndian.AppendUint64(s.key, w)
	}
	for _, w := range s.wrote {
		s.key = binary.LittleEndian.AppendUint64(s.key, w)
	}
	return s.key
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
		for _, r := range s.h.Reads {
			if r.Var == w.Var && int(r.Txn) != t && s.wrote.Has(int(r.From)) && !s.read.Has(int(r.Txn)) {
				return false
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
