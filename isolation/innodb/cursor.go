package innodb

import "slices"

// Cursors: scans of an index, one record a step.
//
// A locking scan reads the newest versions and locks what it passes: next-key
// locks on every record, also on deleted ones and on the one that ends the
// range, and on the supremum. An equality on all columns of a unique index
// locks the record alone; an equality that finds nothing locks the gap. READ
// COMMITTED locks records only, passes committed deletions by and gives back
// what the statement does not want, in the clustered index. A scan of a secondary index locks its
// record first, then the row's clustered record; between the two, a condition on the index's
// columns may leave the row out ("index condition pushdown"). What MySQL 8.4 does otherwise is in ends.go.
//
// Source: MySQL manual, "Locks Set by Different SQL Statements in InnoDB";
// InnoDB's row_search_mvcc.

// Wait is what a locking read does where it would wait.
type Wait uint8

// The policies.
const (
	WaitForLock Wait = iota
	NoWait
	SkipLocked
)

// Cursor is a scan of an index. It is a value: copy it with the state. A caller that has
// enough rows stops.
type Cursor struct {
	Index int
	Span
	Descending bool // the scan goes from High down to Low. It is not Exact.
	Among      bool // the range is one of several of its scan
	Acts       bool // a foreign key that does something looks for what references a row
	Mode       Mode
	Wait       Wait
	Semi       bool // UPDATE: semi-consistent reads at READ COMMITTED
	Lookup

	Met
	position
}

// Lookup is what a scan of a secondary index does before it looks a row up.
type Lookup struct {
	// Pushed: the end of the range is known before the row is looked up. Covering:
	// a shared scan does not look rows up; Row has the index's columns only.
	Pushed, Covering bool
	// Judges: the caller judges each entry of a secondary index before its row is looked up.
	Judges bool
}

// Span is the keys that a scan goes through.
type Span struct {
	Low  Tuple // the scan starts at the first key of at least Low
	High Tuple // and ends behind the last key that is, or begins with, at most High; nil: it goes on to the end
	// Exact: the scan ends behind the last key that Low begins.
	Exact bool
	// LowOpen and HighOpen leave out the keys that Low, or High, begins.
	LowOpen, HighOpen bool
}

// Met is what a scan has found.
type Met struct {
	// Found's row and its key in the clustered index.
	Row Row
	Key Tuple
	// Committed: the row is locked by somebody else; Row is its last committed
	// version. Again waits for the lock, Next leaves the row out.
	Committed bool
	// AtEntry: Found is an entry alone, whose row is not looked up yet. Admit does it, Next
	// passes the entry by.
	AtEntry bool
}

// position is where a scan stands.
type position struct {
	pos      Tuple // where the cursor stands
	started  bool
	met      bool // it has found a row
	standing bool // it stands on a row that Found has returned
	beyond   bool // it stands behind pos
	again    bool // the row has to be locked, even by waiting
	waited   bool // the record's lock came after a wait
	fresh    bool // the record's lock is this scan's, and has come at once
	admitted bool // the caller wants the row of the entry where the cursor stands
	entry    bool // fresh, of the record of a secondary index whose row is looked up
	ended    bool // it has locked the one record that is the end of the range
}

// Next goes to the next row.
func (s *State) Next(t Trx, c *Cursor) Answer {
	if s.trxs[t].victim {
		return s.die(t)
	}
	if c.standing {
		if s.unique(c) && !c.AtEntry {
			return End
		}
		c.pass(c.pos)
	}
	if c.Mode == Snapshot {
		return s.snapshotNext(t, c)
	}
	if !c.started {
		s.traceScan(c)
		s.lockAbove(t, c)
	}
	if x := &s.trxs[t]; x.lost {
		x.lost, c.waited, c.again, c.admitted = false, false, false, false
	}
	for {
		a := s.visit(t, c)
		if a != passOn {
			return a
		}
		c.pass(c.pos)
	}
}

// Again makes the next call of Next look at the same row, and wait for it.
func (c *Cursor) Again() { c.standing, c.Committed, c.again = false, false, true }

// Admit makes the next call of Next look up the row of the entry.
func (c *Cursor) Admit() { c.standing, c.AtEntry, c.admitted = false, false, true }

// Unwanted says that the statement does not want the row. A scan of the
// clustered index at READ COMMITTED gives its lock back, unless it was held
// before, or waited for, or the row is the transaction's own.
func (s *State) Unwanted(t Trx, c *Cursor) {
	x := &s.catalog.indexes[c.Index]
	if s.gapLocks(t) || c.Committed {
		return
	}
	if !x.clustered {
		s.unwantedEntry(t, c)
		return
	}
	if !c.fresh {
		return
	}
	c.fresh = false
	if r := s.exact(c.Index, c.pos); r != none && s.records[r].writer != t {
		s.unlock(t, r, c.Mode == Exclusive)
	}
}

// seek is the record at the cursor, or none before the first one.
func (s *State) seek(c *Cursor) int {
	if c.Descending {
		return s.seekDown(c)
	}
	if !c.started {
		c.started, c.pos, c.beyond = true, c.Low, c.LowOpen
	}
	if c.beyond {
		return s.after(c.Index, c.pos)
	}
	return s.find(c.Index, c.pos)
}

// outside reports whether a key is behind the range.
func (c *Cursor) outside(k Tuple) bool {
	if c.Exact {
		return !c.Low.begins(k)
	}
	if c.Descending {
		return k.Compare(c.Low) < 0 || c.LowOpen && c.Low.begins(k)
	}
	if c.High == nil {
		return false
	}
	if c.High.begins(k) {
		return c.HighOpen
	}
	return k.Compare(c.High) > 0
}

// pass moves behind a key.
func (c *Cursor) pass(k Tuple) {
	c.pos, c.beyond = k, true
	c.standing, c.again, c.waited, c.fresh, c.Committed = false, false, false, false, false
	c.AtEntry, c.admitted, c.entry = false, false, false
}

func (c *Cursor) found(key Tuple, row Row) {
	c.Key, c.Row, c.standing, c.met, c.Committed = key, row, true, true, false
}

// unique reports whether the cursor can find at most one row that is not deleted.
func (s *State) unique(c *Cursor) bool {
	x := &s.catalog.indexes[c.Index]
	return c.Exact && x.unique > 0 && len(c.Low) >= x.unique && (x.clustered || !c.Low.hasNull())
}

// visit looks at the record at the cursor.
func (s *State) visit(t Trx, c *Cursor) Answer {
	r := s.seek(c)
	if r == none {
		return End
	}
	rec := &s.records[r]
	switch {
	case rec.supremum:
		return s.lockEnd(t, c, r, nextKey)
	case (c.Exact || c.prefixed() && !c.met) && c.outside(rec.key):
		return s.lockEnd(t, c, r, gapOnly)
	case s.stops(t, c, rec.key):
		return s.lockStop(t, c, r)
	}
	c.pos, c.beyond = rec.key, false
	switch a := s.lockEntry(t, c, r); {
	case a != Found:
		return a
	case c.Committed:
		return s.within(t, c, rec.key)
	}
	s.reaches(c, rec.key)
	rec = &s.records[r]
	x := &s.catalog.indexes[c.Index]
	switch {
	case rec.marked && x.clustered && s.unique(c):
		return End
	case rec.marked:
		return passOn
	case !x.clustered && c.Covering && c.Mode == Shared:
		c.found(x.row(rec.key), x.partial(rec.key, s.catalog.columns[x.table]))
		return s.within(t, c, rec.key)
	case !x.clustered:
		return s.visitRow(t, c, rec.key)
	}
	c.found(rec.key, rec.newest.row)
	return s.within(t, c, rec.key)
}

// within ends the scan at a row behind the range: the SQL layer does not want it.
func (s *State) within(t Trx, c *Cursor, k Tuple) Answer {
	if !c.outside(k) {
		return Found
	}
	if !c.Descending {
		s.Unwanted(t, c)
	}
	return End
}

// lockEnd locks the gap before the record that ends the scan.
func (s *State) lockEnd(t Trx, c *Cursor, r int, kind lockKind) Answer {
	if s.gapLocks(t) {
		s.lock(t, request{rec: r, x: c.Mode == Exclusive && !c.Acts, kind: kind})
	}
	return End
}

// lockEntry locks the record of the cursor's index, and the gap before it where gaps are
// locked. The gap is left out before a record that is found by the whole key of the clustered
// index. MariaDB 10.11 locks it where the key is that of another unique index; MySQL documents
// otherwise (8.0 Reference Manual, 17.7.3).
func (s *State) lockEntry(t Trx, c *Cursor, r int) Answer {
	rec := &s.records[r]
	clustered := s.catalog.indexes[c.Index].clustered
	if c.Acts {
		return s.lockRow(t, c, c.referring(rec.marked, s.gapLocks(t), r), clustered)
	}
	if rec.marked && !s.gapLocks(t) && s.holder(r) == none && !s.wroteRow(t, r) {
		s.traceRecord(r, true)
		if clustered && s.unique(c) {
			return End
		}
		return passOn
	}
	q := request{rec: r, x: c.Mode == Exclusive, kind: nextKey}
	if !s.gapLocks(t) || clustered && s.unique(c) || s.starts(c, rec.key) || s.foundAlone(c, rec) {
		q.kind = recordOnly
	}
	semi := c.Semi && clustered && !s.gapLocks(t) && !c.again && !s.unique(c)
	q.try = semi || c.Wait != WaitForLock
	if a := s.lockRow(t, c, q, clustered); a != passOn || !semi {
		return a
	}
	return s.semiConsistent(c, r)
}

// wroteRow reports whether the transaction has written the row of a deleted record of a
// secondary index, and nothing in that index. MariaDB 10.11 does not pass such a record by.
func (s *State) wroteRow(t Trx, r int) bool {
	i := int(s.records[r].index)
	x := &s.catalog.indexes[i]
	if x.clustered || slices.ContainsFunc(s.order[i], func(o int32) bool { return s.records[o].writer == t }) {
		return false
	}
	row := s.exact(s.catalog.first[x.table], x.row(s.records[r].key))
	return row != none && s.holder(row) == t
}

// starts reports whether the record is where a scan of the clustered index by
// key >= Low begins, all columns given: no gap before it is in the range.
func (s *State) starts(c *Cursor, k Tuple) bool {
	x := &s.catalog.indexes[c.Index]
	return x.clustered && !c.Descending && !c.LowOpen && len(c.Low) == len(x.columns) && k.Compare(c.Low) == 0
}

// lockRow requests the lock of a record that the scan reads.
func (s *State) lockRow(t Trx, c *Cursor, q request, clustered bool) Answer {
	if clustered && s.changed(t, q.rec) && s.holder(q.rec) == none {
		return Changed // without waiting for whoever else has locked it
	}
	switch s.lock(t, q) {
	case waits:
		if s.trxs[t].paused {
			return Blocked
		}
		return s.refused(c, q.try)
	case granted:
		c.fresh = !c.waited
	case held:
		c.fresh = false
	}
	if clustered && s.changed(t, q.rec) {
		return Changed
	}
	return Found
}

// refused is the answer where a lock is not to be had at once.
func (s *State) refused(c *Cursor, try bool) Answer {
	switch {
	case !try:
		c.waited = true
		return Blocked
	case c.Wait == NoWait:
		return Timeout
	case c.Wait == SkipLocked && s.unique(c):
		return End
	}
	return passOn
}

// visitRow locks and reads the row of a secondary record.
func (s *State) visitRow(t Trx, c *Cursor, entry Tuple) Answer {
	x := &s.catalog.indexes[c.Index]
	if c.Pushed && c.outside(entry) {
		return End
	}
	r := s.exact(s.catalog.first[x.table], x.row(entry))
	if r == none {
		return passOn
	}
	if c.Judges && !c.admitted {
		c.found(s.records[r].key, nil)
		c.AtEntry = true
		return Found
	}
	q := request{rec: r, x: c.Mode == Exclusive, kind: recordOnly, try: c.Wait != WaitForLock}
	c.entry = c.entry || c.fresh
	if a := s.lockRow(t, c, q, true); a != Found {
		return a
	}
	rec := &s.records[r]
	if rec.marked {
		return passOn
	}
	c.found(rec.key, rec.newest.row)
	return s.within(t, c, entry)
}
