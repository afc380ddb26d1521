package postgres

// Footprints: what a step of a session depends on and changes, for partial order
// reduction (Godefroid, "Partial-Order Methods for the Verification of
// Concurrent Systems", 1996). A step is what one session does, together with all
// that it wakes. Two steps of different sessions whose footprints do not
// conflict lead to the same state in both orders.

// Footprint is what a step depends on and changes.
type Footprint []Access

type accessKind uint8

const (
	reads      accessKind = iota // takes a snapshot in which these rows may be read
	uses                         // looks at, locks or writes the newest version under a key
	ends                         // ends a transaction that locked or wrote a row with this key
	startsWait                   // begins to wait: the order of waits decides who closes a cycle
	appends                      // appends a version to a table
	orders                       // SERIALIZABLE: takes a snapshot, gets an xid or ends
	siReads                      // SERIALIZABLE: takes an SIREAD lock
	siWrites                     // SERIALIZABLE: a write looks for SIREAD locks
	touches                      // SERIALIZABLE: reads or changes the conflicts of a transaction
)

// The keys of orders.
const (
	orderSnapshot = iota
	orderXid
	orderEnd
)

// Access is an entry of a footprint.
type Access struct {
	kind   accessKind
	read   ReadKind
	table  uint8
	index  int8 // the unique index, none for a table without one; SIREAD: the kind of target
	shared bool // uses, ends: in shared lock modes only
	wrote  bool // ends: it committed changes of the row
	key    int32
	v0, v1 int32 // ends: the row's values before and after
}

// ReadKind is the kind of a set of rows.
type ReadKind uint8

// The kinds of sets.
const (
	ReadKey   ReadKind = iota // the row with this key in an index
	ReadFrom                  // the rows with at least this value
	ReadTable                 // all rows of the table
	readAny                   // all rows of all tables
)

// Read is a set of rows that a statement or transaction may read.
type Read struct {
	Kind         ReadKind
	Table, Index uint8
	Value        int32 // ReadKey: the key; ReadFrom: the least value
}

// Footprint is what the last step of a session depends on and changes, if the
// state records it. The slice is valid until the state changes.
func (s *State) Footprint() Footprint { return s.footprint }

// ClearFootprint begins a new step.
func (s *State) ClearFootprint() { s.footprint = s.footprint[:0] }

func (s *State) access(a Access) {
	if !s.recording {
		return
	}
	for _, b := range s.footprint {
		if a == b {
			return
		}
	}
	s.footprint = append(s.footprint, a)
}

func (s *State) accessRead(r Read) {
	s.access(Access{kind: reads, read: r.Kind, table: r.Table, index: int8(r.Index), key: r.Value})
}

// accessSnapshot is the snapshot of a transaction: all that it may read in it
// later counts.
func (s *State) accessSnapshot(sess int) {
	ses := &s.sessions[sess]
	if ses.reads == nil {
		s.access(Access{kind: reads, read: readAny})
	}
	for _, r := range ses.reads {
		s.accessRead(r)
	}
	if ses.level == Serializable {
		s.access(Access{kind: orders, key: orderSnapshot})
	}
}

// accessKey is a look at, or a change of, what is under a key.
func (s *State) accessKey(table, index int, key int32, shared bool) {
	s.access(Access{kind: uses, table: uint8(table), index: int8(index), key: key, shared: shared})
}

// accessVersion is accessKey for all keys of a version.
func (s *State) accessVersion(t TID, shared bool) {
	if !s.recording {
		return
	}
	v := s.at(t)
	if len(v.row.Keys) == 0 {
		s.access(Access{kind: uses, table: v.table, index: none, shared: shared})
	}
	for i, k := range v.row.Keys {
		if k != 0 {
			s.accessKey(int(v.table), i, k, shared)
		}
	}
}

// accessEnd is the end of a transaction: all rows that it locked or wrote.
func (s *State) accessEnd(x int32, st status) {
	if !s.recording {
		return
	}
	for i := range s.versions() {
		v := s.at(i)
		wrote := v.xmin == x || v.xmax == x
		a := Access{kind: ends, table: v.table, index: none, shared: !wrote, wrote: wrote && st == committed,
			v0: v.row.Value, v1: v.row.Value}
		locked := false
		for _, l := range s.lockers {
			if l.tid == TID(i) && l.xid == x {
				locked = true
				a.shared = a.shared && l.mode <= Share
			}
		}
		if !wrote && !locked {
			continue
		}
		if wrote && st == aborted && s.xids[x].record != none {
			// Scans that come later meet no conflict here.
			s.accessTarget(target{onVersion, v.table, TID(i)}, true)
		}
		if v.xmax == x && v.next != none {
			a.v1 = s.at(v.next).row.Value
		}
		if len(v.row.Keys) == 0 {
			s.access(a)
		}
		for k, key := range v.row.Keys {
			if a.index, a.key = int8(k), key; key != 0 {
				s.access(a)
			}
		}
	}
}

// accessTarget is an SIREAD lock, or a search for them. A lock on a version
// stands for its row: writers look for it at any version.
func (s *State) accessTarget(t target, write bool) {
	if !s.recording {
		return
	}
	a := Access{kind: siReads, table: t.table, index: int8(t.kind), key: t.n}
	if t.kind == onVersion {
		a.key = none
		if keys := s.at(t.n).row.Keys; len(keys) > 0 {
			a.key = keys[0]
		}
	}
	if write {
		a.kind = siWrites
	}
	s.access(a)
}

// accessRecord is a look at, or a change of, a transaction's conflicts and those
// of its neighbours.
func (s *State) accessRecord(me int32) {
	if !s.recording {
		return
	}
	s.touch(me)
	near := func(o int32) {
		s.touch(o)
		for _, c := range s.ssi.conflicts {
			if c.writer == o {
				s.touch(c.reader)
			}
		}
	}
	for _, c := range s.ssi.conflicts {
		if c.reader == me {
			near(c.writer)
		} else if c.writer == me {
			near(c.reader)
		}
	}
	for _, c := range s.ssi.watches {
		if c.reader == me {
			near(c.writer)
		} else if c.writer == me {
			near(c.reader)
		}
	}
}

// touch names a record by its session and its place there, which no other
// session changes.
func (s *State) touch(id int32) {
	r := &s.ssi.records[id]
	s.access(Access{kind: touches, index: r.session, key: r.ordinal})
}

// Conflicts reports whether two footprints conflict. tables says which tables
// have a physical order that can be seen.
func (f Footprint) Conflicts(g Footprint, tables []Table) bool {
	for i := range f {
		for j := range g {
			a, b := &f[i], &g[j]
			if a.kind > b.kind {
				a, b = b, a
			}
			if a.clashes(b, tables) {
				return true
			}
		}
	}
	return false
}

// clashes reports whether two entries conflict; a's kind is the smaller one.
func (a *Access) clashes(b *Access, tables []Table) bool {
	switch {
	case a.kind == reads:
		return b.kind == ends && b.wrote && a.readsRow(b)
	case a.kind == uses:
		return b.kind <= ends && a.sameRow(b)
	case a.kind == siReads:
		return b.kind == siWrites && a.table == b.table && a.index == b.index && a.key == b.key
	case a.kind != b.kind:
		return false
	}
	switch a.kind {
	case ends:
		return a.sameRow(b)
	case startsWait:
		return true
	case appends:
		return a.table == b.table && tables[a.table].Scanned
	case orders:
		return a.key != b.key || a.key == orderEnd
	case touches:
		return a.index == b.index && a.key == b.key
	}
	return false
}

// sameRow reports whether both entries are about a row with the same key, and
// not both in shared modes.
func (a *Access) sameRow(b *Access) bool {
	return a.table == b.table && a.index == b.index && a.key == b.key && !(a.shared && b.shared)
}

// readsRow reports whether a may read the row whose change b has committed.
func (a *Access) readsRow(b *Access) bool {
	switch {
	case a.read == readAny:
		return true
	case a.table != b.table:
		return false
	case a.read == ReadKey:
		return a.index == b.index && a.key == b.key
	case a.read == ReadFrom:
		return b.v0 >= a.key || b.v1 >= a.key
	}
	return true
}
