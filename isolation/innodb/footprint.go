package innodb

// Footprints: what a step looks at and changes, for partial order reduction.
//
// Two steps of different sessions whose footprints do not conflict commute.
// They conflict in four cases. One makes a read view that may read a row, and the
// other commits a change of it. Both look at, lock or write the same record or
// unique value, not both in shared modes, or one ends a transaction that did. One
// scans a range of an index, and the other inserts into it, or takes that back. Both begin to wait: the
// order of waits decides who closes a cycle.
//
// Source: A. Mazurkiewicz, "Trace theory", 1987, for the equivalence; the
// relation is the one of the lock tables of MySQL's manual, "InnoDB Locking".

// Footprint is what a step looks at and changes.
type Footprint []Access

// AccessKind is the kind of an access.
type AccessKind uint8

// The kinds.
const (
	Reads   AccessKind = iota // a read view made now may read rows with Low <= Column <= High
	Looks                     // looks at, locks or writes a record or a value of an index
	Scans                     // locks the records of a range of an index
	Creates                   // adds a record to an index, or takes it back
	Ends                      // ends a transaction that locked or wrote the record
	Waits                     // begins to wait
)

// Access is an entry of a footprint.
type Access struct {
	Kind   AccessKind
	Shared bool
	Wrote  bool   // Ends: commits a change of the row from Old (nil: none) to New
	Index  int32  // Reads: the clustered index of the table
	Name   uint64 // Looks, Ends: the record's or value's name
	Column int32  // Reads: none for every row
	Low    int
	High   int
	Old    Row
	New    Row
	Range  *Cursor // Scans
	Key    Tuple   // Creates
}

// WholeTable is the access of a view that may read every row of a table.
func (s *State) WholeTable(table int) Access {
	return Access{Kind: Reads, Index: int32(s.catalog.first[table]), Column: none}
}

// Where is the access of a view that may read the rows whose column is between.
func (s *State) Where(table, column, low, high int) Access {
	return Access{Kind: Reads, Index: int32(s.catalog.first[table]), Column: int32(column), Low: low, High: high}
}

// Footprint is what has been looked at and changed since ClearFootprint.
func (s *State) Footprint() Footprint { return s.trace }

// ClearFootprint begins a new footprint.
func (s *State) ClearFootprint() { s.trace = s.trace[:0] }

// Conflicts reports whether two footprints conflict.
func (f Footprint) Conflicts(g Footprint) bool {
	for i := range f {
		for j := range g {
			if clash(&f[i], &g[j]) || clash(&g[j], &f[i]) {
				return true
			}
		}
	}
	return false
}

func clash(a, b *Access) bool {
	switch a.Kind {
	case Reads:
		return b.Kind == Ends && b.Wrote && a.Index == b.Index && (a.covers(b.Old) || a.covers(b.New))
	case Looks, Ends:
		return (b.Kind == Looks || b.Kind == Ends) && a.Name == b.Name && !(a.Shared && b.Shared)
	case Scans:
		return b.Kind == Creates && a.Index == b.Index && !a.Range.misses(b.Key)
	case Waits:
		return b.Kind == Waits
	}
	return false
}

// covers reports whether a view with this access may read the row.
func (a *Access) covers(r Row) bool {
	return r != nil && (a.Column == none || a.Low <= r[a.Column] && r[a.Column] <= a.High)
}

// misses reports whether the scan does not pass the key.
func (c *Cursor) misses(k Tuple) bool {
	return k.Compare(c.Low) < 0 && !c.Low.begins(k) || c.outside(k)
}

func (s *State) traceWait() {
	if s.options.Record {
		s.trace = append(s.trace, Access{Kind: Waits})
	}
}

func (s *State) traceRecord(r int, shared bool) {
	if s.options.Record {
		c := &s.records[r]
		s.trace = append(s.trace, Access{Kind: Looks, Index: c.index, Name: c.name(), Shared: shared})
	}
}

// traceScan records that a scan starts.
func (s *State) traceScan(c *Cursor) {
	if s.options.Record {
		scan := *c
		s.trace = append(s.trace, Access{Kind: Scans, Index: int32(c.Index), Range: &scan})
	}
}

// traceValue records that a value of a unique index comes or goes.
func (s *State) traceValue(index int, entry Tuple) {
	if n := s.catalog.indexes[index].unique; s.options.Record && n > 0 {
		a := Access{Kind: Looks, Index: int32(index), Name: valueName(index, entry[:n]), Shared: entry[:n].hasNull()}
		s.trace = append(s.trace, a)
	}
}

func (s *State) traceCreate(r int) {
	if s.options.Record {
		c := &s.records[r]
		s.trace = append(s.trace, Access{Kind: Creates, Index: c.index, Key: c.key})
		s.traceRecord(r, false)
	}
}

// traceEnd records what an ending transaction locked and wrote.
func (s *State) traceEnd(t Trx, commits bool) {
	if !s.options.Record {
		return
	}
	for i := range s.locks {
		if l := &s.locks[i]; l.trx == t {
			c := &s.records[l.rec]
			s.trace = append(s.trace, Access{Kind: Ends, Index: c.index, Name: c.name(), Shared: !l.x || l.kind == gapOnly})
		}
	}
	for u := s.trxs[t].undo; u != nil; u = u.prev {
		s.traceUndo(t, u, commits)
	}
}

func (s *State) traceUndo(t Trx, u *undo, commits bool) {
	c := &s.records[u.rec]
	x := &s.catalog.indexes[c.index]
	a := Access{Kind: Ends, Index: c.index, Name: c.name()}
	switch {
	case x.clustered:
		a.Wrote, a.New = commits, c.newest.row
		for v := c.newest; v != nil; v = v.prev {
			if v.trx != t {
				a.Old = v.row
				break
			}
		}
	case x.unique > 0:
		s.trace = append(s.trace, Access{Kind: Ends, Index: c.index, Name: valueName(int(c.index), c.key[:x.unique])})
	}
	s.trace = append(s.trace, a)
	if u.op == undoInsert || u.op == undoEntry {
		next := &s.records[s.successor(int(u.rec))]
		s.trace = append(s.trace, Access{Kind: Ends, Index: next.index, Name: next.name()})
	}
}

// traceUndone is what taking changes back does: at READ UNCOMMITTED others may have seen them.
func (s *State) traceUndone(t Trx, last *undo) {
	for u := s.trxs[t].undo; s.options.Record && u != last && u != nil; u = u.prev {
		c := &s.records[u.rec]
		s.traceRecord(int(u.rec), false)
		if u.op == undoInsert || u.op == undoEntry {
			s.trace = append(s.trace, Access{Kind: Creates, Index: c.index, Key: c.key})
		}
	}
}

// name hashes what a record is. Two names that are equal by chance make two
// steps dependent, which is safe.
func (c *record) name() uint64 {
	if c.supremum {
		return hash(uint64(c.index)<<2 | 1)
	}
	return keyName(uint64(c.index)<<2|2, c.key)
}

func valueName(index int, k Tuple) uint64 { return keyName(uint64(index)<<2|3, k) }

func keyName(n uint64, k Tuple) uint64 {
	n = hash(n)
	for _, v := range k {
		n = hash(n ^ uint64(v))
	}
	return n
}

// hash is the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
func hash(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
