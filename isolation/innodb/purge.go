package innodb

import "slices"

// Purge.
//
// Purge removes deleted records for good. It takes the transactions in the
// order of their commits, and stops before the first that some open read view
// does not see. It may run at any time, so that how far it has come is a choice.
//
// Source: MySQL manual, "InnoDB Multi-Versioning", "Purge Configuration".

// Purgeable is the number of transactions whose deleted records may be removed.
func (s *State) Purgeable() int { return len(s.purgeable()) }

// Purge removes the deleted records of the first n of them. It may wake those
// who waited for such a record.
func (s *State) Purge(n int) {
	if n == 0 {
		return
	}
	last := s.purgeable()[n-1]
	for r := len(s.records) - 1; r >= 0; r-- {
		if c := &s.records[r]; c.marked && !c.gone && s.trxs[c.writer].status == committed && s.trxs[c.writer].commit <= last {
			s.removeRecord(r)
		}
	}
}

// purgeable lists the commits that have deleted records which no view needs.
func (s *State) purgeable() []int32 {
	seen := s.commits
	for i := range s.trxs {
		if x := &s.trxs[i]; x.status == active && x.view {
			seen = min(seen, x.seen)
		}
	}
	commits := s.deleters()
	n, _ := slices.BinarySearch(commits, seen+1)
	return commits[:n]
}

// deleters lists the commits that have deleted records, in their order.
func (s *State) deleters() []int32 {
	var commits []int32
	for i := range s.records {
		c := &s.records[i]
		if !c.marked || c.gone {
			continue
		}
		if w := &s.trxs[c.writer]; w.status == committed && !slices.Contains(commits, w.commit) {
			commits = append(commits, w.commit)
		}
	}
	slices.Sort(commits)
	return commits
}
