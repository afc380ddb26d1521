package postgres

import (
	"slices"
	"sync"

	"github.com/txmc/txmc/isolation/model"
)

// The seed: the rows of an executor's database before all transactions. All copies of a
// State share it. A State has of its own the versions of the seed that somebody has
// updated or deleted, and the versions that came later. So rows that nobody changes cost
// a state nothing.
//
// The TIDs of the seed are the first ones, and the same in all states. In the normal form
// of a state they stand for themselves.

// seed is the heap before all transactions. It is never changed.
type seed struct {
	versions []version
	tables   []seedTable
	matching sync.Map // by condition: the versions that satisfy it, []TID
}

// seedTable is a table of the seed.
type seedTable struct {
	tids []TID             // in physical order
	keys []map[int32][]TID // by unique index and key, in physical order
	left unordered         // of all contents: see LeftKey
}

// condition names a condition of a scan of a table by an index.
type condition struct {
	table int
	text  string
}

// change is a version of the seed as a state has it.
type change struct {
	tid TID
	version
}

// plant makes the rows that have been loaded so far the seed.
func (s *State) plant() {
	d := &seed{versions: slices.Clip(s.heap), tables: make([]seedTable, len(s.tables))}
	for i := range d.versions {
		v := &d.versions[i]
		t := &d.tables[v.table]
		t.tids = append(t.tids, TID(i))
		t.left.add(uint64(uint32(v.row.Value)))
		for x, key := range v.row.Keys {
			if len(t.keys) == x {
				t.keys = append(t.keys, map[int32][]TID{})
			}
			t.keys[x][key] = append(t.keys[x][key], TID(i))
		}
	}
	s.seed, s.heap = d, nil
}

// seeds is the number of versions of the seed.
func (s *State) seeds() TID {
	if s.seed == nil {
		return 0
	}
	return TID(len(s.seed.versions))
}

// seeded are the versions of the seed that a table has, in physical order.
func (s *State) seeded(table int) []TID {
	if s.seed == nil || s.swept(uint8(table), 0) {
		return nil
	}
	return s.seed.tables[table].tids
}

// seededKey are those with a key in a unique index.
func (s *State) seededKey(table, index int, key int32) []TID {
	if s.seed == nil || index >= len(s.seed.tables[table].keys) || s.swept(uint8(table), 0) {
		return nil
	}
	return s.seed.tables[table].keys[index][key]
}

// seededMatching are those whose contents satisfy a condition, which text tells from others.
func (s *State) seededMatching(table int, text string, match func(value int32) bool) (list []TID) {
	if s.seed == nil || s.swept(uint8(table), 0) {
		return nil
	}
	name := condition{table, text}
	if known, ok := s.seed.matching.Load(name); ok {
		return known.([]TID)
	}
	for _, t := range s.seed.tables[table].tids {
		if match(s.seed.versions[t].row.Value) {
			list = append(list, t)
		}
	}
	s.seed.matching.Store(name, list)
	return list
}

// at is a version, to be looked at.
func (s *State) at(t TID) *version {
	if s.seed == nil {
		return &s.heap[t]
	}
	return s.seededAt(t)
}

func (s *State) seededAt(t TID) *version {
	n := s.seeds()
	if t >= n {
		return &s.heap[t-n]
	}
	if i, changed := s.changedAt(t); changed {
		return &s.changed[i].version
	}
	return &s.seed.versions[t]
}

// changedAt is the place in State.changed that a version of the seed has or would have.
func (s *State) changedAt(t TID) (i int, changed bool) {
	for i < len(s.changed) && s.changed[i].tid < t {
		i++
	}
	return i, i < len(s.changed) && s.changed[i].tid == t
}

// own is a version, to be changed.
func (s *State) own(t TID) *version {
	n := s.seeds()
	if t >= n {
		return &s.heap[t-n]
	}
	i, changed := s.changedAt(t)
	if !changed {
		s.changed = slices.Insert(s.changed, i, change{t, s.seed.versions[t]})
	}
	return &s.changed[i].version
}

// versions is the number of versions.
func (s *State) versions() TID { return s.seeds() + TID(len(s.heap)) }

// after yields the versions that a table has beside the seed, in physical order, but for those of
// an old heap.
func (s *State) after(table int) func(func(TID, *version) bool) {
	return func(yield func(TID, *version) bool) {
		n := s.seeds()
		for i := range s.heap {
			if v := &s.heap[i]; int(v.table) == table && !s.swept(v.table, n+TID(i)) && !yield(n+TID(i), v) {
				return
			}
		}
	}
}

// LeftKey stands for the contents that a table of an executor is left with, whatever their
// order.
func (r *Rows) LeftKey(table int) model.Key {
	s := &r.state
	table += r.first
	var sum unordered
	emptied := s.lost(uint8(table), 0)
	if s.seed != nil && !emptied {
		sum = s.seed.tables[table].left
	}
	for i := range s.changed {
		if emptied {
			break
		}
		if c := &s.changed[i]; int(c.table) == table && !s.lasts(&c.version) {
			sum.subtract(uint64(uint32(c.row.Value)))
		}
	}
	for _, v := range s.after(table) {
		if s.lasts(v) {
			sum.add(uint64(uint32(v.row.Value)))
		}
	}
	return Key(sum)
}

// lasts reports whether a transaction that begins now would see the version.
func (s *State) lasts(v *version) bool {
	return s.xids[v.xmin].status == committed && (v.xmax == none || s.xids[v.xmax].status != committed)
}
