package postgres

import "slices"

// The normal form of a State. It rests on these facts.
//   - A version that an aborted transaction made, or whose end all snapshots in
//     use see, can only be met through references to it.
//   - A version that was there at the beginning says nothing while nobody has changed,
//     locked or read it. Those of the seed come before all others, and a change of one
//     says that it was there.
//   - What matters of a committed transaction is which snapshots in use see it,
//     and its record if one of them does not. What matters of a running one is its
//     session and savepoint depth.
//   - A command number matters only against that of the running statement.
//   - The physical order matters between the versions of a scanned table, between
//     those with the same key, and nowhere else. That of roots matters in a table
//     of an executor, whose indexes may have several entries with one key.
//   - The order of transaction ids matters only where a row can have several
//     holders: in tables with shared locks.

// AddState adds the state to the key.
func (k *Keyer) AddState() {
	s := k.s
	k.findSnapshots()
	k.placeRecords()
	k.placeVersions()
	k.rankSnapshots()
	k.Add(uint64(len(k.order))<<8 | uint64(len(k.snapshots)))
	k.addSeeds()
	for _, t := range k.order {
		k.addVersion(t)
	}
	k.addTruncations()
	k.addTwins()
	k.addEntries()
	// Sessions behind the last one that is open say nothing: so a state is the same whether or
	// not a client has opened another connection.
	last := len(s.sessions)
	for last > 0 && !s.sessions[last-1].open {
		last--
	}
	k.Add(uint64(last))
	for i := range last {
		k.addSession(i)
	}
	if s.ordersHolders() {
		for x := range s.xids {
			if s.xids[x].status == running {
				k.Add(k.xid(int32(x)))
			}
		}
	}
	for _, t := range s.woken {
		k.Add(uint64(uint8(t.session))<<40 | b2u(t.commit)<<32 | k.record(t.record)<<1 | 1)
	}
	for _, i := range s.fresh {
		k.Add(uint64(i)<<1 | 1<<50)
	}
	k.addAdvice()
	if len(s.ssi.records) > 0 {
		k.addSSI()
	}
}

// ordersHolders reports whether the order of transaction ids can matter.
func (s *State) ordersHolders() bool {
	if !s.looks.Holders() {
		return false
	}
	for _, t := range s.tables {
		if t.Shared {
			return true
		}
	}
	return false
}

// findSnapshots collects the snapshots in use: of transactions, and of
// statements in progress.
func (k *Keyer) findSnapshots() {
	k.snapshots = k.snapshots[:0]
	for _, v := range k.views {
		k.snapshots = insert(k.snapshots, v)
	}
	for i := range k.s.sessions {
		ses := &k.s.sessions[i]
		if ses.snapshot != none {
			k.snapshots = insert(k.snapshots, ses.snapshot)
		}
		if ses.op.kind != noOperation {
			k.snapshots = insert(k.snapshots, ses.current)
		}
		k.refer(ses)
	}
	if k.oldest = none; len(k.snapshots) > 0 {
		k.oldest = k.snapshots[0]
	}
	for _, r := range k.s.queue {
		k.Refer(r.tid)
	}
	for _, l := range k.s.lockers {
		k.referUntouched(l.tid)
	}
	for _, l := range k.s.ssi.locks {
		if l.on.kind == onVersion {
			k.referUntouched(l.on.n)
		}
	}
}

// referUntouched refers to a version that would be left out as untouched.
func (k *Keyer) referUntouched(t TID) {
	if k.s.untouched(k.s.at(t)) {
		k.Refer(t)
	}
}

// refer marks the versions that a session's operation uses.
func (k *Keyer) refer(ses *session) {
	k.Refer(ses.have)
	switch ses.op.kind {
	case noOperation, opProbe:
	case opAnswer:
		k.Refer(ses.op.saved.TID)
	default:
		k.Refer(ses.op.tid)
	}
}

// old reports whether all snapshots, in use and to come, see the transaction.
func (k *Keyer) old(x int32) bool {
	t := &k.s.xids[x]
	return t.status == committed && (k.oldest == none || t.commit <= k.oldest)
}

// rankSnapshots names the snapshots by what they tell apart: by how many of the commits that
// have made or ended versions that matter they see.
func (k *Keyer) rankSnapshots() {
	k.commits = k.commits[:0]
	for _, list := range [][]TID{k.seeds, k.order} {
		for _, t := range list {
			v := k.s.at(t)
			k.rankCommit(v.xmin)
			if v.xmax != none {
				k.rankCommit(v.xmax)
			}
		}
	}
	raw := k.snapshots
	k.snapshots = k.snapshots[:0]
	for _, n := range raw {
		if m := k.seen(n); len(k.snapshots) == 0 || k.snapshots[len(k.snapshots)-1] != m {
			k.snapshots = append(k.snapshots, m)
		}
	}
}

func (k *Keyer) rankCommit(x int32) {
	if t := &k.s.xids[x]; t.status == committed {
		k.commits = insert(k.commits, t.commit)
	}
}

// seen is how many of the commits that matter a snapshot sees.
func (k *Keyer) seen(snapshot int32) int32 { return int32(rank(k.commits, snapshot+1)) }

// snapshot is the name of a snapshot in use.
func (k *Keyer) snapshot(n int32) uint64 { return rank(k.snapshots, k.seen(n)) }

// placeVersions chooses the versions that matter and their order: by table and
// first key, and in physical order within these; a scanned table in physical
// order. Those of the seed keep their TIDs.
func (k *Keyer) placeVersions() {
	s := k.s
	k.placeSeeds()
	k.order = k.order[:0]
	n := s.seeds()
	for i := range s.heap {
		v := &s.heap[i]
		if (k.dead(v) || s.untouched(v) || s.lost(v.table, n+TID(i))) && k.place[i] != referred {
			continue
		}
		if s.live(v.xmax) {
			k.Refer(v.next)
		}
		t := n + TID(i)
		k.order = append(k.order, t)
		for j := len(k.order) - 1; j > 0 && s.before(t, k.order[j-1]); j-- {
			k.order[j], k.order[j-1] = k.order[j-1], k.order[j]
		}
	}
	for p, t := range k.order {
		k.place[t-n] = int32(p)
	}
}

// dead reports whether a version can only be met through references to it.
func (k *Keyer) dead(v *version) bool {
	return k.s.xids[v.xmin].status == aborted || v.xmax != none && k.old(v.xmax)
}

// placeSeeds collects the versions of the seed that are not as they were. For a dead
// version it tells only that it is dead.
func (k *Keyer) placeSeeds() {
	s := k.s
	k.seeds = k.seeds[:0]
	n := s.seeds()
	if n == 0 {
		return
	}
	for i := range s.changed {
		v := &s.changed[i]
		k.seeds = insert(k.seeds, v.tid)
		if s.live(v.xmax) && (!k.dead(&v.version) || slices.Contains(k.used, v.tid)) {
			k.Refer(v.next)
		}
	}
	for _, l := range s.lockers {
		if l.tid < n {
			k.seeds = insert(k.seeds, l.tid)
		}
	}
	for _, r := range s.queue {
		if r.tid < n {
			k.seeds = insert(k.seeds, r.tid)
		}
	}
}

// addSeeds adds these versions.
func (k *Keyer) addSeeds() {
	k.Add(uint64(len(k.seeds)))
	for _, t := range k.seeds {
		v := k.s.at(t)
		if k.dead(v) && !slices.Contains(k.used, t) {
			k.Add(uint64(t)<<1 | 1)
			continue
		}
		k.Add(uint64(t) << 1)
		k.addVersion(t)
	}
}

// xid is what matters of a transaction.
func (k *Keyer) xid(x int32) uint64 {
	if x == none {
		return 0
	}
	t := &k.s.xids[x]
	switch {
	case t.status == aborted:
		return 1
	case t.status == running:
		return 2 | uint64(t.session)<<4 | uint64(t.level)<<16
	case k.old(x):
		return 3
	}
	return 4 | k.snapshot(t.commit)<<4 | k.record(t.record)<<16
}

// addVersion adds a version. Its first number says which ones follow.
func (k *Keyer) addVersion(t TID) {
	s := k.s
	v := s.at(t)
	indexed := uint64(v.indexed)
	if v.hot {
		indexed = uint64(s.tables[v.table].Unique)
	}
	fresh := s.xids[v.xmin].status == running && v.cmin >= s.sessions[s.xids[v.xmin].session].cid
	ended := s.live(v.xmax)
	var holders unordered
	held := false
	for _, l := range s.lockers {
		if l.tid == t {
			held = true
			holders.add(k.xid(l.xid)<<2 | uint64(l.mode))
		}
	}
	k.Add(k.xid(v.xmin)<<20 | pack(fresh, ended, held)<<16 | indexed<<8 | uint64(v.table))
	if t >= s.seeds() {
		k.addRow(v.row)
	}
	if ended {
		last := s.xids[v.xmax].status == running && v.cmax >= s.sessions[s.xids[v.xmax].session].cid
		k.Add(k.xid(v.xmax)<<3 | pack(last, v.key, v.moved))
		k.AddTID(v.next)
	}
	if held {
		k.addUnordered(holders)
	}
	for _, r := range s.queue {
		if r.tid == t {
			k.Add(uint64(r.session)<<8 | uint64(r.mode)<<4 | b2u(r.granted)<<3 | 7)
		}
	}
}

func (k *Keyer) addRow(r Row) {
	for i := 0; i < len(r.Keys); i += 2 {
		pair := uint64(uint32(r.Keys[i]))
		if i+1 < len(r.Keys) {
			pair |= uint64(uint32(r.Keys[i+1])) << 32
		}
		k.Add(pair)
	}
	k.Add(uint64(uint32(r.Value))<<32 | uint64(uint32(r.Indexed)))
}

// addTwins adds the physical order of versions that share a key of another index
// than the first.
func (k *Keyer) addTwins() {
	s := k.s
	for i, a := range k.order {
		v := s.at(a)
		if s.ordered(v.table) || len(v.row.Keys) < 2 {
			continue
		}
		for _, b := range k.order[i+1:] {
			w := s.at(b)
			if w.table != v.table {
				break
			}
			for x := 1; x < len(v.row.Keys); x++ {
				if key := v.row.Keys[x]; unique(key) && key == w.row.Keys[x] {
					k.Add(b2u(a < b) + 11)
				}
			}
		}
	}
}

func (k *Keyer) addSession(i int) {
	ses := &k.s.sessions[i]
	if !ses.open {
		k.Add(0)
		return
	}
	k.Add(1 | pack(ses.readOnly, ses.failed, ses.xid != none, ses.op.kind != noOperation, ses.snapshot != none, ses.deferred)<<1 |
		uint64(ses.level)<<8 | k.record(ses.record)<<16 | uint64(len(ses.saves))<<40)
	if ses.snapshot != none {
		k.Add(k.snapshot(ses.snapshot))
	}
	for _, x := range ses.saves {
		k.Add(b2u(x != none))
	}
	if ses.op.kind != noOperation {
		k.addOperation(i)
	}
}

func (k *Keyer) addOperation(i int) {
	ses := &k.s.sessions[i]
	op, w := &ses.op, ses.wait
	k.Add(uint64(op.kind) | uint64(op.mode)<<8 | uint64(op.flags)<<16 | uint64(op.table)<<24 | uint64(op.index)<<32 |
		pack(op.chase, op.looked, op.alone, op.slept, op.check, op.chase && k.s.mine(i, op.prior), op.moves)<<40)
	k.Add(k.snapshot(ses.current)<<32 | uint64(op.mask))
	k.Add(k.tid(ses.have)<<32 | uint64(w.kind)<<8 | uint64(w.mode))
	switch w.kind {
	case forXid:
		k.Add(k.xid(w.on))
	case forTuple:
		k.AddTID(w.on)
	}
	switch op.kind {
	case opAnswer:
		k.Add(k.tid(op.saved.TID)<<32 | uint64(op.saved.Result)<<16 | uint64(op.saved.Code)<<8 | uint64(op.saved.Mode))
		return
	case opProbe:
		k.addRow(op.row)
		return
	case opUpdate:
		k.addRow(op.row)
	}
	k.AddTID(op.tid)
}
