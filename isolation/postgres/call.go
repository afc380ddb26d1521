package postgres

import (
	"slices"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/access"
)

// Requests of an executor that evaluates statements itself: PostgreSQL's own, which
// asks for what table and index access methods do. A call is a request that has not
// been answered. The executor's condition on a row, its expressions and the order in
// which it goes through rows are its own; so are its command numbers.

// call is a session's request and the names that the executor has for what it has
// met.
type call struct {
	request *access.Request // nil when none is under way
	locked  uint8           // so many of its locks on tables have been taken, or waited for
	made    TID             // Insert, Enter: the version
	index   uint8           // the index that it enters
	clashes []TID           // what may have its keys in deferred indexes; never changed in place
	names   []TID           // by version name; never changed in place
	views   []int32         // by view; never changed in place
	keeps   bool            // a cursor may use views and versions when the request has been answered
	within  bool            // the statement has not ended, and others may run before it goes on
}

// planted is the key of the seed of a database whose first table has that number.
type planted int

// LoadTables adds the tables of an executor's database, and their rows.
func (r *Rows) LoadTables(db *access.Database) {
	s := &r.state
	s.tables = slices.Clip(s.tables)
	r.first, r.calls = len(s.tables), make([]call, len(s.sessions))
	r.runs = nil // of clients without an executor
	for _, t := range db.Tables {
		unkeyed := ^t.Keys & (1<<t.Indexes - 1)
		s.tables = append(s.tables, Table{Unique: t.Indexes, Scanned: true, Repeats: true, Shared: true, Unkeyed: unkeyed, Deferred: t.Deferred})
	}
	r.taken = make([]taken, db.Sequences)
	if known, ok := db.Kept.Load(planted(r.first)); ok {
		s.seed = known.(*seed)
		return
	}
	for _, i := range db.Rows {
		s.Load(int(i.Table)+r.first, rowAs(i.Row))
	}
	s.plant()
	db.Kept.Store(planted(r.first), s.seed)
}

// Learn lets the statements of executors say what they look at.
func (r *Rows) Learn(l *model.Looks) { r.state.looks = l }

// forget forgets what the session's executor has met.
func (r *Rows) forget(sess int) {
	if len(r.calls) > 0 {
		r.calls[sess] = call{}
	}
}

func rowAs(r access.Row) Row { return Row{Keys: r.Keys, Indexed: r.Indexed, Value: r.Value} }

// Leave ends the session: it holds no lock of its own any more.
func (r *Rows) Leave(sess int) { r.state.UnadviseAll(sess) }

// Left lists the contents that a table of an executor is left with, ascending.
func (r *Rows) Left(table int) (values []int32) {
	for _, t := range r.state.Committed(table + r.first) {
		values = append(values, r.state.Row(t).Value)
	}
	slices.Sort(values)
	return values
}

// Tables is the number of tables of an executor.
func (r *Rows) Tables() int {
	if len(r.calls) == 0 {
		return 0
	}
	return len(r.state.tables) - r.first
}

// Serve is a request of the session's executor.
func (r *Rows) Serve(sess int, q *access.Request) model.Reply {
	s, c := &r.state, &r.calls[sess]
	if !s.Open(sess) {
		s.Begin(sess, Level(q.Level), q.ReadOnly, nil)
		r.auto &^= 1 << sess
	}
	ses := &s.sessions[sess]
	if ses.snapshot == none { // until then SET TRANSACTION may change it
		if ses.readOnly = q.ReadOnly; q.Deferrable {
			s.Defer(sess)
		}
	}
	if q.First {
		c.names = nil
	}
	if c.keeps = q.Keeps; q.Begins && !q.Keeps || q.First {
		c.views = nil
	}
	c.request, c.made, c.index, c.clashes, c.within = q, none, 0, nil, false
	if ses.level != ReadCommitted && q.Snap && s.Snapshot(sess) == Blocked { // it is taken before the locks
		return model.Reply{Kind: model.Waits}
	}
	if a := r.lockTables(sess, q); a.Result != OK {
		return r.goOnCall(sess, a)
	}
	if q.Snap {
		if s.Snapshot(sess) == Blocked {
			return model.Reply{Kind: model.Waits}
		}
		if q.Latest {
			ses.current = s.commits
		}
		c.views = append(slices.Clip(c.views), ses.current)
	}
	if int(q.View) < len(c.views) {
		ses.current = c.views[q.View]
	}
	ses.cid = q.Command
	return r.begin(sess, q)
}

// lockTables takes the locks of a request that are left.
func (r *Rows) lockTables(sess int, q *access.Request) Answer {
	c := &r.calls[sess]
	for int(c.locked) < len(q.Locks) {
		l := q.Locks[c.locked]
		c.locked++
		wait := q.Kind != access.LockTables || !q.NoWait || int(c.locked) < len(q.Locks)
		if a := r.state.LockTable(sess, int(l.Table)+r.first, l.Mode, int(l.Depth), wait); a.Result != OK {
			if a.Result != Blocked {
				c.locked = 0
			}
			return a
		}
	}
	c.locked = 0
	return answer(OK, none)
}

// begin calls what the request asks for.
func (r *Rows) begin(sess int, q *access.Request) model.Reply {
	s := &r.state
	table, at := int(q.Table)+r.first, TID(none)
	if int(q.Version) < len(r.calls[sess].names) {
		at = r.calls[sess].names[q.Version]
	}
	switch q.Kind {
	case access.ScanTable:
		return r.scanned(sess, table)
	case access.ScanKey:
		list, code := s.ScanKey(sess, table, int(q.Index), q.Row.Keys[q.Index])
		return r.found(sess, list, code)
	case access.ScanIndex:
		return r.scanIndex(sess, table, q)
	case access.Meet:
		return r.meet(sess, at)
	case access.See:
		return r.seen(sess, s.Sees(sess, at))
	case access.Insert:
		return r.goOnCall(sess, s.Insert(sess, table, rowAs(q.Row)))
	case access.Enter:
		r.calls[sess].made = at
		return r.enter(sess)
	case access.Update:
		return r.goOnCall(sess, s.Update(sess, at, rowAs(q.Row)))
	case access.Delete:
		if q.Moves {
			return r.goOnCall(sess, s.Move(sess, at))
		}
		return r.goOnCall(sess, s.Delete(sess, at))
	case access.Lock:
		return r.goOnCall(sess, s.Lock(sess, at, Mode(q.Mode), lockFlags(q)))
	case access.Probe:
		return r.goOnCall(sess, s.Probe(sess, table, rowAs(q.Row), 1<<q.Index))
	case access.Next:
		n, many := &r.taken[q.Sequence], max(q.Many, 1)
		n.numbers += many
		return r.reply(sess, access.Answer{Count: n.numbers - many, Command: n.setting})
	case access.Renumber:
		r.taken[q.Sequence] = taken{setting: q.Floor}
	case access.Advise:
		return r.goOnCall(sess, s.Advise(sess, q.Advisory, q.Shared, q.Owned, !q.NoWait))
	case access.Unadvise:
		if q.Advisory != 0 {
			return r.seen(sess, s.Unadvise(sess, q.Advisory, q.Shared))
		}
		s.UnadviseAll(sess)
	case access.Withdraw:
		s.withdraw(at)
	case access.Recheck:
		r.calls[sess].made, r.calls[sess].index = at, q.Index
		return r.goOnCall(sess, s.Recheck(sess, at, int(q.Index)))
	case access.Truncate:
		return r.goOnCall(sess, s.Truncate(sess, table))
	default:
		r.savepoint(sess, q)
	}
	return r.reply(sess, access.Answer{})
}

func lockFlags(q *access.Request) (f LockFlags) {
	if q.NoWait {
		f |= NoWait
	}
	if q.Last {
		f |= FindLast
	}
	if q.Newer {
		f |= LockNewer
	}
	return f
}

// savepoint opens or closes savepoints.
func (r *Rows) savepoint(sess int, q *access.Request) {
	s := &r.state
	switch q.Kind {
	case access.Save:
		s.Savepoint(sess)
	case access.Release:
		s.Release(sess, q.Depth)
	case access.Back:
		s.stop(sess)
		if a := s.RollbackTo(sess, q.Depth); a.Result == OK {
			saves := s.sessions[sess].saves
			s.sessions[sess].saves = saves[: q.Depth-1 : q.Depth-1]
		}
	}
}

// withdraw makes a version dead that its inserter takes back
// (heap_abort_speculative).
func (s *State) withdraw(t TID) {
	v := s.own(t)
	s.xids = append(s.xids, xid{session: s.xids[v.xmin].session, status: aborted, record: none})
	v.xmin = int32(len(s.xids) - 1)
}

// goOnCall goes on with the session's request after an answer of its operation.
func (r *Rows) goOnCall(sess int, a Answer) model.Reply {
	c := &r.calls[sess]
	switch kind := c.request.Kind; {
	case a.Result == Blocked:
		return model.Reply{Kind: model.Waits}
	case a.Result == Failed && a.Code == UniqueViolation:
		return r.duplicate(sess)
	case a.Result == Failed:
		return r.failed(sess, a.Code)
	case kind == access.Insert && c.made == none:
		c.made = a.TID
		return r.enter(sess)
	case kind == access.Insert || kind == access.Enter:
		c.index++
		return r.enter(sess)
	}
	return r.changed(sess, a)
}

// enter enters the version into the indexes that are left, in order. In an index
// that arbitrates nothing is waited for.
func (r *Rows) enter(sess int) model.Reply {
	s, c := &r.state, &r.calls[sess]
	v := s.at(c.made)
	if int(c.index) == s.tables[v.table].Unique {
		return r.entered(sess, access.Answer{Versions: []access.Version{r.version(sess, c.made)}})
	}
	if s.tables[v.table].Deferred>>c.index&1 == 1 {
		c.clashes = append(slices.Clip(c.clashes), s.clashes(sess, c.made, int(c.index))...)
	}
	arbiter := c.request.Arbiters>>c.index&1 == 1
	if key := v.row.Keys[c.index]; arbiter && key != 0 && key != Absent {
		if hit, _ := s.findDirty(sess, int(v.table), int(c.index), key, c.made); hit != none {
			return r.duplicate(sess)
		}
	}
	return r.goOnCall(sess, s.Enter(sess, c.made, int(c.index), !arbiter))
}

// duplicate is the row that has the key already.
func (r *Rows) duplicate(sess int) model.Reply {
	s, c := &r.state, &r.calls[sess]
	v := s.at(c.made)
	hit, _ := s.findDirty(sess, int(v.table), int(c.index), v.row.Keys[c.index], c.made)
	return r.entered(sess, access.Answer{Result: access.Conflict, Versions: []access.Version{r.version(sess, c.made), r.version(sess, hit)}})
}

// entered is an answer with what had the version's keys in deferred indexes, and is there still.
func (r *Rows) entered(sess int, a access.Answer) model.Reply {
	for _, t := range r.calls[sess].clashes {
		if exists, _ := r.state.dirty(sess, r.state.at(t)); exists {
			a.Versions = append(a.Versions, r.version(sess, t))
		}
	}
	return r.reply(sess, a)
}

// changed is the answer of an operation on a version.
func (r *Rows) changed(sess int, a Answer) model.Reply {
	s, q := &r.state, r.calls[sess].request
	out := access.Answer{Result: results[a.Result]}
	switch {
	case a.Result == Deleted && s.at(a.TID).moved && q.Last: // heapam_tuple_lock does not follow it
		return r.failed(sess, SerializationFailure)
	case a.Result == Deleted && s.at(a.TID).moved:
		out.Result = access.Updated
	case a.Result == SelfModified:
		out.Command = s.modifier(sess, a.TID)
	case a.Result == Updated:
		out.Key = a.Mode == ForUpdate
	case q.Kind == access.Advise, q.Kind == access.Truncate, q.Kind == access.Recheck:
	case a.Result == Conflict, a.Result == OK && q.Kind != access.Delete && q.Kind != access.Probe:
		out.Versions = []access.Version{r.version(sess, a.TID)}
		out.Enters = q.Kind == access.Update && s.NeedsIndexes(a.TID)
	}
	return r.reply(sess, out)
}

var results = [...]access.Result{OK: access.OK, Invisible: access.Invisible, SelfModified: access.SelfModified,
	Updated: access.Updated, Deleted: access.Deleted, WouldBlock: access.WouldBlock, Conflict: access.Conflict}

// failed is the answer that the statement fails. What it has waited for, or
// queued for, it gives up.
func (r *Rows) failed(sess int, c Code) model.Reply {
	r.state.stop(sess)
	r.calls[sess].locked = 0
	return r.reply(sess, access.Answer{Result: access.Failed, Code: c.String()})
}

func (r *Rows) reply(sess int, a access.Answer) model.Reply {
	r.calls[sess].request = nil
	r.state.sessions[sess].op = operation{}
	return model.Reply{Kind: model.Answered, Found: a}
}

// version names a version for the executor.
func (r *Rows) version(sess int, t TID) access.Version {
	c := &r.calls[sess]
	i := slices.Index(c.names, t)
	if i < 0 {
		i = len(c.names)
		c.names = append(slices.Clip(c.names), t)
	}
	return access.Version{Name: int32(i), Value: r.state.Row(t).Value}
}

// refer says which versions and snapshots the session's executor may use when its
// request has been answered.
func (c *call) refer(k *Keyer) {
	if c.request == nil && !c.keeps && !c.within {
		return
	}
	k.Refer(c.made)
	for _, t := range c.clashes {
		k.Refer(t)
	}
	for _, t := range c.names {
		k.Refer(t)
	}
	for _, v := range c.views {
		k.keep(v)
	}
}

// addTo adds a call to a key. The node of the session says which request it is.
func (c *call) addTo(k *Keyer) {
	for _, t := range c.names {
		k.Add(k.tid(t)<<2 | 1)
	}
	if c.request == nil && !c.keeps && !c.within {
		return
	}
	k.Add(uint64(c.index)<<2 | uint64(c.locked)<<16 | 2)
	k.AddTID(c.made)
	for _, t := range c.clashes {
		k.AddTID(t)
	}
	for _, v := range c.views {
		k.Add(k.snapshot(v))
	}
}
