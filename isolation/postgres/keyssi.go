package postgres

// The normal form of what serializable transactions share. Records are named by
// session and age. Numbers of preparations and commits matter against each
// other; the end of a finished transaction matters only against the xmins of running
// records, and against running transactions, which are the xmins to come.
//
// The order of the SIREAD locks on a target is left out, although a write flags its
// conflicts in this order, and a COMMIT dooms in the order of the conflicts (addConflicts
// has it). It matters only where two running readers of what a third one writes have
// conflicts with each other. Then either of them is also doomed in another execution: the
// write comes before the reads, as the writer's lock does not hinder them. So both
// outcomes are found without the order, which would double the states. Two states may
// differ in the order alone. Then the one that is met first is visited. So the number of
// states of three sessions at SERIALIZABLE can depend on the order of the visits.

// placeRecords names the records that are kept.
func (k *Keyer) placeRecords() {
	records := k.s.ssi.records
	k.records, k.placed = k.records[:0], k.placed[:0]
	for id := range records {
		k.records = append(k.records, none)
		if !records[id].used {
			continue
		}
		k.placed = append(k.placed, int32(id))
		for j := len(k.placed) - 1; j > 0 && records[id].session < records[k.placed[j-1]].session; j-- {
			k.placed[j], k.placed[j-1] = k.placed[j-1], k.placed[j]
		}
	}
	for place, id := range k.placed {
		k.records[id] = int32(place)
	}
}

// record is the place of a record, 0 for none and for those that are gone.
func (k *Keyer) record(r int32) uint64 {
	if r == none {
		return 0
	}
	return uint64(k.records[r] + 1)
}

func (k *Keyer) addSSI() {
	k.rankNumbers()
	k.rankEnds()
	q := &k.s.ssi
	k.Add(rank(k.numbers, q.last)<<32 | rank(k.numbers, q.canClear)<<16 | rank(k.numbers, q.haveCleared))
	k.Add(uint64(len(k.placed)))
	for _, id := range k.placed {
		k.addRecord(id)
	}
	k.addConflicts()
	var locks unordered
	for _, l := range q.locks {
		n := uint64(uint32(l.on.n))
		if l.on.kind == onVersion {
			n = k.tid(l.on.n)
		}
		locks.add(n<<24 | k.record(l.record)<<16 | uint64(l.on.kind)<<8 | uint64(l.on.table))
	}
	k.addUnordered(locks)
	for x := range k.s.xids {
		if t := &k.s.xids[x]; t.status == running {
			locks.add(k.xid(int32(x))<<8 | k.xmin(int32(x)))
		}
	}
	k.addUnordered(locks)
	k.addIndexes()
}

// rankNumbers collects the numbers that are compared.
func (k *Keyer) rankNumbers() {
	q := &k.s.ssi
	k.xmins, k.numbers = k.xmins[:0], insert(k.numbers[:0], q.last)
	k.numbers = insert(insert(k.numbers, q.canClear), q.haveCleared)
	for _, id := range k.placed {
		r := &q.records[id]
		k.numbers = insert(k.numbers, r.lastCommit)
		if r.conflictOut {
			k.numbers = insert(k.numbers, r.earliestOut)
		}
		if r.prepared {
			k.numbers = insert(k.numbers, r.prepareSeq)
		}
		if r.committed {
			k.numbers = insert(k.numbers, r.commitSeq)
			continue
		}
		k.xmins = insert(k.xmins, r.xmin)
	}
	for x := range k.s.xids {
		if k.s.xids[x].status == running {
			k.xmins = insert(k.xmins, int32(x))
		}
	}
}

// rankEnds makes one of the ends of finished transactions that no xmin lies between.
func (k *Keyer) rankEnds() {
	k.ends = k.ends[:0]
	for _, id := range k.placed {
		if r := &k.s.ssi.records[id]; r.committed {
			k.ends = insert(k.ends, int32(rank(k.xmins, r.finishedBefore)))
		}
	}
}

// end is the name of an end, and xmin is how many ends an xmin is not less than.
func (k *Keyer) end(n int32) uint64 { return rank(k.ends, int32(rank(k.xmins, n))) }

func (k *Keyer) xmin(n int32) uint64 { return rank(k.ends, int32(rank(k.xmins, n))+1) }

// addRecord adds a record.
func (k *Keyer) addRecord(id int32) {
	r := &k.s.ssi.records[id]
	flags := pack(r.committed, r.prepared, r.doomed, r.readOnly, r.declared, r.wrote, r.safe, r.conflictOut,
		!r.committed && int(r.xmin) == len(k.s.xids))
	xmin := uint64(0)
	if !r.committed {
		xmin = k.xmin(r.xmin)
	}
	k.Add(flags<<32 | xmin<<16 | rank(k.numbers, r.lastCommit))
	numbers := uint64(0)
	if r.conflictOut {
		numbers |= rank(k.numbers, r.earliestOut)
	}
	if r.prepared {
		numbers |= rank(k.numbers, r.prepareSeq) << 10
	}
	if r.committed {
		numbers |= rank(k.numbers, r.commitSeq)<<20 | k.end(r.finishedBefore)<<30
	}
	k.Add(numbers)
}

// addConflicts adds the conflicts. The order of those to one writer matters until
// it commits: preCommit dooms in this order.
func (k *Keyer) addConflicts() {
	q := &k.s.ssi
	var sum unordered
	for i, c := range q.conflicts {
		place := uint64(0)
		for _, d := range q.conflicts[:i] {
			if d.writer == c.writer && !q.records[c.writer].committed && q.records[c.reader].mayDoom() && q.records[d.reader].mayDoom() {
				place++
			}
		}
		sum.add(place<<32 | k.record(c.reader)<<16 | k.record(c.writer))
	}
	k.addUnordered(sum)
	for _, c := range q.watches {
		sum.add(k.record(c.reader)<<16 | k.record(c.writer))
	}
	k.addUnordered(sum)
}

// addIndexes adds how many unique indexes of each table have ever had an entry.
func (k *Keyer) addIndexes() {
	for table := range k.s.tables {
		k.Add(uint64(k.s.entered(table)))
	}
}

// mayDoom reports whether the record's conflict to a committing writer can decide which of
// several records is doomed.
func (r *record) mayDoom() bool { return !r.committed && !r.doomed && !r.readOnly }
