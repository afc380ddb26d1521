package innodb

import "slices"

// A State is everything that the transactions of an InnoDB share. Copying it
// copies a few slices of small structs: versions, undo records and the orders
// of indexes are never changed in place.

const none = -1

// maxIndexes bounds the indexes of a schema: a transaction's lock structures
// are a bit set.
const maxIndexes = 64

// State is a state of the storage engine.
type State struct {
	catalog *catalog
	// records has the suprema of the indexes first. A record that is removed
	// keeps its place.
	records []record
	// order has the records of each index in order of their keys, without the
	// supremum.
	order   [][]int32
	locks   []lock // of all records; of one record in the order of its queue
	trxs    []trx
	commits int32 // how many transactions have committed
	woken   []Trx // they have something to do
	cycle   []Trx // a deadlock whose victim is to be chosen
	recheck []Trx // then look whether these wait in a cycle
	options Options
	trace   []Access // the footprint
}

// NewState returns the state with these rows, which are committed.
func NewState(schema Schema, rows [][]Row, o Options) (*State, error) {
	c, err := newCatalog(schema)
	if err != nil {
		return nil, err
	}
	s := &State{catalog: c, options: o}
	s.trxs = []trx{{owner: none, status: committed, commit: 0}}
	s.order = make([][]int32, len(c.indexes))
	for i := range c.indexes {
		s.records = append(s.records, record{index: int32(i), supremum: true})
	}
	for table, all := range rows {
		for _, r := range all {
			s.load(table, r)
		}
	}
	return s, nil
}

func (s *State) load(table int, r Row) {
	for i := range s.catalog.indexes {
		x := &s.catalog.indexes[i]
		if x.table != table {
			continue
		}
		n := record{index: int32(i), key: x.entry(r)}
		if x.clustered {
			n.newest = &version{row: r}
		}
		s.enter(n)
	}
}

// CopyFrom makes s a copy of o. It uses the memory that s has.
func (s *State) CopyFrom(o *State) {
	s.catalog, s.commits, s.options = o.catalog, o.commits, o.options
	s.records = append(s.records[:0], o.records...)
	s.order = append(s.order[:0], o.order...)
	s.locks = append(s.locks[:0], o.locks...)
	s.trxs = append(s.trxs[:0], o.trxs...)
	s.woken = append(s.woken[:0], o.woken...)
	s.cycle = append(s.cycle[:0], o.cycle...)
	s.recheck = append(s.recheck[:0], o.recheck...)
	s.trace = append(s.trace[:0], o.trace...)
}

// Clone returns a copy.
func (s *State) Clone() *State {
	c := &State{}
	c.CopyFrom(s)
	return c
}

// Rows lists a table's rows as all transactions together have left them, in
// the order of the clustered index.
func (s *State) Rows(table int) []Row {
	var out []Row
	for _, r := range s.order[s.catalog.first[table]] {
		if c := &s.records[r]; !c.marked {
			out = append(out, c.newest.row)
		}
	}
	return out
}

// Committed lists the rows of a table that committed transactions have left, in the order of the
// clustered index.
func (s *State) Committed(table int) (list []Row) {
	for _, r := range s.order[s.catalog.first[table]] {
		v := s.records[r].newest
		for v != nil && s.running(v.trx) {
			v = v.prev
		}
		if v != nil && !v.deleted {
			list = append(list, v.row)
		}
	}
	return list
}

// Woken lists the transactions that can go on: each calls again the operation
// in which it blocked. The order in which they run is a race.
func (s *State) Woken() []Trx { return s.woken }

// Resume takes a transaction off the list.
func (s *State) Resume(t Trx) {
	if i := slices.Index(s.woken, t); i >= 0 {
		s.woken = append(s.woken[:i], s.woken[i+1:]...)
	}
}

// wake lets a blocked transaction run. At most one operation of a transaction
// is blocked.
func (s *State) wake(t Trx) {
	if !slices.Contains(s.woken, t) {
		s.woken = append(s.woken, t)
	}
}

// pending appends the choices that the last step has left open: the victim of a
// deadlock, or the order in which woken statements go on.
func (s *State) pending(to []Choice) []Choice {
	for _, t := range s.cycle {
		to = append(to, Choice{Kind: FailVictim, N: int8(s.Owner(t))})
	}
	if len(s.cycle) > 0 {
		return to
	}
	for _, t := range s.woken {
		to = append(to, Choice{Kind: RunTask, N: int8(s.Owner(t))})
	}
	return to
}
