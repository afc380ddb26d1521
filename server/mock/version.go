package mock

import "github.com/txmc/txmc/program/behaviour"

// version is what a transaction has written to a key, or what a key has had before
// all transactions that are remembered.
type version struct {
	id     int64 // unique; 0 for what nobody has written
	value  any   // nil where there is nothing
	writer *txn  // nil for what lies before the window
	// passed: transactions that begin from now on see a newer version.
	passed bool
	at     int64 // how many transactions had committed with its writer
	served int64
}

// item is a key with its versions: the oldest first, in the order of the writers'
// commits. There is always one.
type item struct {
	key      string
	versions []*version
	appeared *txn  // the last one that was about to write a row which nobody had known
	released int64 // how many transactions had committed when its last lock was given up
}

// gone reports whether there is nothing in the key, and nothing else can be read.
func (n *item) gone() bool { return len(n.versions) == 1 && n.versions[0].value == nil }

// items are the keys by number.
type items struct {
	numbers map[string]behaviour.VarID
	list    []*item
	free    []behaviour.VarID
	empty   map[behaviour.VarID]struct{} // keys that may have nothing
}

// number returns the number of a key, which is new if the store has never met it.
func (s *items) number(key string) behaviour.VarID {
	if x, ok := s.numbers[key]; ok {
		return x
	}
	n := &item{key: key, versions: []*version{{}}}
	x := behaviour.VarID(len(s.list))
	if last := len(s.free) - 1; last >= 0 {
		x, s.free = s.free[last], s.free[:last]
		s.list[x] = n
	} else {
		s.list = append(s.list, n)
	}
	s.numbers[key] = x
	s.empty[x] = struct{}{}
	return x
}

// drop forgets a key that has nothing and that nobody has written or read.
func (s *items) drop(x behaviour.VarID) {
	delete(s.numbers, s.list[x].key)
	s.list[x] = nil
	s.free = append(s.free, x)
}
