package storage

import (
	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/rows"
)

// Inserted notes a new version of a row, and claims its keys.
func (s *Session) Inserted(c *engine.Call, i engine.Insertion) {
	t := s.store.table(c, i.Table)
	s.begin(c)
	content, err := c.Row(engine.Version{Table: i.Table, TID: i.TID})
	if err != nil {
		c.Raise("XX000", "txmc: "+err.Error())
	}
	if _, err := s.store.entries.Learn(c, i.Table, content); err != nil {
		c.Raise("XX000", "txmc: "+err.Error())
	}
	r, before := s.successor(c, t, content, i)
	s.fits(c, t, r, content)
	shown := t.shown(c, content)
	news := t.rows.Add(r.id, content, t.shape(content), shown)
	if l := s.scanner(); l != nil {
		l.Appeared(t.name, t.contentVar(r.id)) // after Add: a scan of another session finds the row, or is told of
	}
	if news {
		s.check(c, s.log.Again(t.name, shown))
	}
	if i.Speculative {
		s.marks = append(s.marks, mark{0, len(s.own), len(s.written), len(s.placed), s.log.Mark()})
	}
	s.claim(c, t, r, content, before)
	s.add(&version{held{r, shown.Key()}, content}, i.TID)
	s.own = append(s.own, change{r, i.Command, i.TID})
	s.check(c, s.log.Write(t.contentVar(r.id), shown))
}

// fits ends the statement when a row is too large to be kept.
func (s *Session) fits(c *engine.Call, t *table, r rowVar, content engine.Row) {
	l, ok := s.log.(rows.Limiter)
	if !ok {
		return
	}
	bytes := 0
	for _, v := range content {
		bytes += len(v)
	}
	s.check(c, l.Fits(t.contentVar(r.id), bytes))
}

// successor is the row of a new version and, when it is an update, the content
// before. An update of the primary key is a delete and an insert.
func (s *Session) successor(c *engine.Call, t *table, content engine.Row, i engine.Insertion) (rowVar, engine.Row) {
	old := s.version(address{t.OID, i.Replaces})
	if i.Replaces == engine.NoTID || old == nil {
		return s.identity(c, t, content), nil
	}
	if t.primary == nil {
		return old.held.row, old.row
	}
	if id, _ := s.store.text(c, t, t.primary, content); id != old.held.row.id {
		s.release(c, t, old.held.row, old.row)
		s.own = append(s.own, change{old.held.row, i.Command, engine.NoTID})
		return rowVar{t.OID, id}, nil
	}
	return old.held.row, old.row
}

// Withdrawn takes a speculative insertion back.
func (s *Session) Withdrawn(c *engine.Call, _ engine.OID, _ engine.TID) {
	if n := len(s.marks); n > 0 && s.marks[n-1].id == 0 {
		s.undo(c)
	}
}

// Write answers as heap_update and heap_delete do, after a locking read.
func (s *Session) Write(c *engine.Call, w engine.Write) engine.Result {
	t := s.store.table(c, w.Table)
	v := s.version(address{w.Table, w.TID})
	if v == nil {
		return engine.Result{Code: engine.Invisible}
	}
	s.begin(c)
	if own := s.changed(v.held.row, anyCommand); own != nil {
		if own.tid != w.TID || own.command >= w.Command {
			return engine.Result{Code: engine.SelfModified, Command: own.command}
		}
	} else if res := s.current(c, t, v, w.TID, w.View); res.Code != engine.OK {
		return res
	}
	s.exclude(t, v.held.row, false)
	if w.Delete {
		s.release(c, t, v.held.row, v.row)
		s.own = append(s.own, change{v.held.row, w.Command, engine.NoTID})
	}
	return engine.Result{Code: engine.OK}
}

// current locks a row and reports whether the version at tid is its newest.
func (s *Session) current(c *engine.Call, t *table, v *version, tid engine.TID, w engine.View) engine.Result {
	l := s.locked[v.held.row]
	if l == nil {
		l = s.join(t, v.held.row, w.Number)
	}
	if l == nil {
		l = s.lockRow(c, t, v.held.row)
	}
	switch {
	case l.content == "":
		return engine.Result{Code: engine.Deleted}
	case l.content == v.content:
		return engine.Result{Code: engine.OK, Newest: tid}
	}
	return engine.Result{Code: engine.Updated, Newest: s.put(c, t, l.held)}
}

// lockRow reads the newest content of a row and keeps others from writing it.
func (s *Session) lockRow(c *engine.Call, t *table, r rowVar) *version {
	if l := s.locked[r]; l != nil {
		return l
	}
	l := &version{held: held{r, s.read(c, t, r, s.log.Lock)}}
	s.locked[r] = l
	return l
}

// Lock answers as heap_lock_tuple does. A foreign key's check depends on the
// row's key only.
func (s *Session) Lock(c *engine.Call, l engine.Lock) engine.Result {
	t := s.store.table(c, l.Table)
	v := s.version(address{l.Table, l.TID})
	if v == nil {
		return engine.Result{Code: engine.Invisible}
	}
	s.begin(c)
	if own := s.changed(v.held.row, anyCommand); own != nil {
		switch {
		case own.tid == engine.NoTID:
			return engine.Result{Code: engine.SelfModified, Command: own.command}
		case own.command >= l.Command && own.tid != l.TID:
			return engine.Result{Code: engine.SelfModified, Command: own.command}
		case own.command >= l.Command: // this command has made the version (heap_lock_tuple)
			return engine.Result{Code: engine.Invisible}
		}
		return engine.Result{Code: engine.OK, Newest: own.tid}
	}
	if l.Mode == engine.LockKeyShare && t.primary != nil && s.locked[v.held.row] == nil {
		return s.lockKey(c, t, v.held.row, l.TID)
	}
	if !s.exclude(t, v.held.row, l.Mode <= engine.LockShare) && l.Wait != engine.WaitBlock {
		return engine.Result{Code: engine.WouldBlock}
	}
	res := s.current(c, t, v, l.TID, l.View)
	if res.Code == engine.Updated && l.Follow {
		res.Code = engine.OK
	}
	return res
}

// lockKey locks the key of a row, which does not depend on the version.
func (s *Session) lockKey(c *engine.Call, t *table, r rowVar, tid engine.TID) engine.Result {
	if s.lockValue(c, t.keyVar(r.id)) == nil {
		return engine.Result{Code: engine.Deleted}
	}
	return engine.Result{Code: engine.OK, Newest: tid}
}

// exclude locks a row where transactions exclude each other, and reports whether it
// could.
func (s *Session) exclude(t *table, r rowVar, shared bool) bool {
	l, ok := s.log.(Locker)
	return !ok || l.Take(t.contentVar(r.id), shared)
}

// Truncated deletes all rows of a table.
func (s *Session) Truncated(c *engine.Call, oid engine.OID) {
	t := s.store.table(c, oid)
	for _, r := range t.rows.All() {
		s.begin(c)
		id := rowVar{oid, r.ID}
		if own := s.changed(id, anyCommand); own != nil {
			if own.tid != engine.NoTID {
				s.release(c, t, id, s.version(address{oid, own.tid}).row)
				s.own = append(s.own, change{id, 0, engine.NoTID})
			}
			continue
		}
		if l := s.lockRow(c, t, id); l.content != "" {
			content, _ := t.rows.Content(l.content)
			s.release(c, t, id, content)
			s.own = append(s.own, change{id, 0, engine.NoTID})
		}
	}
	s.forget(oid)
}

// Transaction ends the log's transaction with the instance's.
func (s *Session) Transaction(c *engine.Call, e engine.End) {
	switch e {
	case engine.PreCommit:
		if s.log.Open() {
			s.check(c, s.log.Commit())
		}
		s.ended()
	case engine.Abort:
		if s.log.Open() {
			_ = s.log.Abort("rollback") // the transaction has ended: an error has nowhere to go
		}
		s.displace(0)
		s.ended()
	}
}

// ended forgets what belongs to a transaction.
func (s *Session) ended() {
	s.txn++
	s.inserts = 0
	s.own, s.written, s.marks = s.own[:0], s.written[:0], s.marks[:0]
	s.placed = s.placed[:0]
	clear(s.locked)
	clear(s.values)
	clear(s.views)
	clear(s.scanned)
	clear(s.joined)
	s.sole = sight{}
	clear(s.live)
}

// Subtransaction undoes what a savepoint or an exception block has written when
// it is rolled back. What it has locked stays locked.
func (s *Session) Subtransaction(c *engine.Call, e engine.End, id, _ uint32) {
	switch e {
	case engine.Begin:
		s.begin(c)
		s.marks = append(s.marks, mark{id, len(s.own), len(s.written), len(s.placed), s.log.Mark()})
	case engine.Commit:
		for n := len(s.marks); n > 0 && s.marks[n-1].id != id; n = len(s.marks) {
			s.marks = s.marks[:n-1]
		}
		if n := len(s.marks); n > 0 {
			s.marks = s.marks[:n-1]
		}
	case engine.Abort:
		for n := len(s.marks); n > 0; n = len(s.marks) {
			last := s.marks[n-1].id == id
			s.undo(c)
			if last {
				return
			}
		}
	}
}

// undo goes back to the last mark.
func (s *Session) undo(c *engine.Call) {
	m := s.marks[len(s.marks)-1]
	s.marks = s.marks[:len(s.marks)-1]
	s.own, s.written = s.own[:m.own], s.written[:m.keys]
	s.displace(m.puts)
	_ = m.undo() // an error ends the run, which notices by itself
}
