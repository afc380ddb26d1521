package innodb

import "fmt"

// Check returns the first invariant that does not hold. Invariants hold between
// operations, in the manner of go/ssa's sanity.go. Tests call it.
func (s *State) Check() error {
	for _, holds := range []func() error{s.checkOrders, s.checkRecords, s.checkVersions, s.checkLocks, s.checkQueues, s.checkEnded} {
		if err := holds(); err != nil {
			return err
		}
	}
	return nil
}

// checkOrders: an index has its records once, in the order of their keys.
func (s *State) checkOrders() error {
	for i, order := range s.order {
		for at, r := range order {
			c := &s.records[r]
			if int(c.index) != i || c.gone || c.supremum {
				return fmt.Errorf("index %d has record %d, which is not its own", i, r)
			}
			if at > 0 && s.records[order[at-1]].key.Compare(c.key) >= 0 {
				return fmt.Errorf("index %d: record %v does not stand behind its predecessor", i, c.key)
			}
		}
	}
	return nil
}

// checkRecords: a record of the clustered index tells of its newest version; a
// secondary record that is not deleted belongs to one, unless its row is being
// written.
func (s *State) checkRecords() error {
	for i := range s.records {
		c := &s.records[i]
		if c.supremum || c.gone {
			continue
		}
		x := &s.catalog.indexes[c.index]
		if x.clustered {
			if c.newest == nil || c.writer != c.newest.trx || c.marked != c.newest.deleted {
				return fmt.Errorf("record %v and its newest version differ", c.key)
			}
			continue
		}
		row := s.exact(s.catalog.first[x.table], x.row(c.key))
		if c.marked || row == none || s.running(s.records[row].writer) {
			continue
		}
		if v := s.records[row].newest; v.deleted || x.entry(v.row).Compare(c.key) != 0 {
			return fmt.Errorf("secondary record %v has no row", c.key)
		}
	}
	return nil
}

// checkVersions: only the newest versions of a row are of a running transaction,
// and of one only.
func (s *State) checkVersions() error {
	for i := range s.records {
		c := &s.records[i]
		if c.newest == nil || c.gone {
			continue
		}
		first, ended := c.newest.trx, false
		for v := c.newest; v != nil; v = v.prev {
			switch {
			case s.trxs[v.trx].status == rolledBack:
				return fmt.Errorf("record %v has a version of a transaction that was rolled back", c.key)
			case !s.running(v.trx):
				ended = true
			case ended || v.trx != first:
				return fmt.Errorf("record %v has an older version of a running transaction", c.key)
			}
		}
	}
	return nil
}

// checkLocks: a lock stands on a record of an index and belongs to a running
// transaction, which waits for at most one.
func (s *State) checkLocks() error {
	waiting := map[Trx]bool{}
	for i := range s.locks {
		l := &s.locks[i]
		if s.records[l.rec].gone || !s.running(l.trx) {
			return fmt.Errorf("lock %+v stands on a removed record or outlives its transaction", *l)
		}
		if l.waiting && waiting[l.trx] {
			return fmt.Errorf("transaction %d waits twice", l.trx)
		}
		waiting[l.trx] = waiting[l.trx] || l.waiting
	}
	return nil
}

// checkQueues: a granted lock covers its record alone or with shared locks; a
// lock that waits has something to wait for.
func (s *State) checkQueues() error {
	for i := range s.locks {
		l := &s.locks[i]
		q := request{rec: int(l.rec), x: l.x, kind: l.kind}
		if l.waiting {
			if s.blocker(l.trx, &q, i) == none {
				return fmt.Errorf("lock %+v waits for nobody", *l)
			}
			continue
		}
		for j := range s.locks[:i] {
			o := &s.locks[j]
			if o.rec == l.rec && !o.waiting && l.kind != intention && o.kind != intention && s.conflicts(l.trx, &q, o) {
				return fmt.Errorf("locks %+v and %+v are both granted", *o, *l)
			}
		}
	}
	return nil
}

// checkEnded: an ended transaction has no undo log, and nobody waits for it.
func (s *State) checkEnded() error {
	for i := range s.trxs {
		x := &s.trxs[i]
		if x.status != active && (x.undo != nil || x.view || x.structs != 0) {
			return fmt.Errorf("transaction %d has ended and keeps something", i)
		}
	}
	return nil
}
