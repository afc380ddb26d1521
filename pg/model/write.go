package model

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/access"
)

// named is the version that lies at a place, which the transaction has met.
func (s *Session) named(c *engine.Call, t *table, tid engine.TID) int32 {
	name, ok := s.at[address{t.OID, tid}]
	if !ok {
		s.refuse(c, fmt.Sprintf("a row of table %s that the transaction has not read", t.name))
	}
	return name
}

// row is a row of the statement's as the model has it.
func (s *Session) row(c *engine.Call, t *table, tid engine.TID) access.Row {
	row, err := c.Row(engine.Version{Table: t.OID, TID: tid})
	var entries engine.Evaluated
	if err == nil {
		entries, err = s.cat.entries.Learn(c, t.OID, row)
	}
	if err == nil {
		var m access.Row
		if m, err = s.cat.intern(c, t, row, entries); err == nil {
			return m
		}
	}
	c.Raise("XX000", "txmc: "+err.Error())
	return access.Row{}
}

// Inserted puts a new version into the model's table, or into its indexes only when
// Write has made it.
func (s *Session) Inserted(c *engine.Call, i engine.Insertion) {
	t := s.table(c, i.Table)
	clear(s.dirty)
	s.wrote(i.Table, i.Command)
	if i.Replaces != engine.NoTID {
		s.born(t, s.update, i.TID)
		if s.replaced == nil {
			s.replaced = map[address]engine.TID{}
		}
		s.replaced[address{t.OID, i.Replaces}] = i.TID
		if s.enters {
			q := access.Request{Kind: access.Enter, Target: access.Target{Table: t.number, Version: s.update}}
			s.duplicate(c, t, s.ask(c, q, i.Command, nil))
		} else {
			s.show(c, t, s.update, s.clashes[s.at[address{t.OID, i.Replaces}]])
		}
		return
	}
	q := access.Request{Kind: access.Insert, Target: access.Target{Table: t.number}, Row: s.row(c, t, i.TID)}
	if i.Speculative && !s.begins {
		q.Arbiters = s.probed[t.OID]
		delete(s.probed, t.OID)
	}
	a := s.ask(c, q, i.Command, nil)
	s.born(t, a.Versions[0].Name, i.TID)
	s.duplicate(c, t, a)
}

// wrote forgets what views of later commands have found in a table: they see what this one
// writes. Such are those of triggers that run between the rows of a statement.
func (s *Session) wrote(table engine.OID, command uint32) {
	for k := range s.listings {
		if k.table == table && k.command > command {
			delete(s.listings, k)
		}
	}
}

// born notes where a version of the transaction's own lies.
func (s *Session) born(t *table, name int32, tid engine.TID) {
	s.names[name].own = true
	s.stand(t, name, tid)
	s.dirty[address{t.OID, tid}] = true
}

// duplicate lets the server's check come upon the row that has the key already.
func (s *Session) duplicate(c *engine.Call, t *table, a access.Answer) {
	clashes := 1
	if a.Result == access.Conflict {
		other := s.put(c, t, a.Versions[1].Name, engine.NoTID)
		s.dirty[address{t.OID, other}] = true
		clashes = 2
	}
	if len(a.Versions) > clashes {
		s.clashing(c, t, a.Versions[0].Name, a.Versions[clashes:])
	}
}

// probe looks for the row with which ON CONFLICT conflicts.
func (s *Session) probe(c *engine.Call, t *table, scan engine.Scan) {
	i := slices.IndexFunc(t.Indexes, func(x *engine.Index) bool { return x.OID == scan.Index })
	values, ok := engine.Row(nil), i >= 0
	if ok {
		values, ok = t.point(i, scan.Keys)
	}
	if !ok {
		s.refuse(c, "a check of an index that is no unique btree of table "+t.name)
	}
	key, err := t.keyOf(c, i, values)
	if err != nil {
		c.Raise("XX000", "txmc: "+err.Error())
	}
	keys := make([]int32, len(t.Indexes))
	keys[i] = key
	a := s.ask(c, access.Request{Kind: access.Probe, Target: access.Target{Table: t.number, Index: uint8(i)}, Row: access.Row{Keys: keys}}, 0, nil)
	clear(s.dirty)
	s.probed[t.OID] |= 1 << i
	if a.Result == access.Conflict {
		s.dirty[address{t.OID, s.put(c, t, a.Versions[0].Name, engine.NoTID)}] = true
	}
}

// Withdrawn takes a speculative insertion back.
func (s *Session) Withdrawn(c *engine.Call, table engine.OID, tid engine.TID) {
	t := s.table(c, table)
	s.ask(c, access.Request{Kind: access.Withdraw, Target: access.Target{Table: t.number, Version: s.named(c, t, tid)}}, 0, nil)
}

// Write answers as heap_update and heap_delete do.
func (s *Session) Write(c *engine.Call, w engine.Write) engine.Result {
	t := s.table(c, w.Table)
	name := s.named(c, t, w.TID)
	if w.Cross.Kind == engine.MVCC && w.Cross.Number != 0 && !s.see(c, name, w.Cross) {
		return engine.Result{Code: engine.Updated}
	}
	q := access.Request{Kind: access.Delete, Target: access.Target{Table: t.number, Version: name}, Moves: w.Moves}
	if !w.Delete {
		q.Kind, q.Row = access.Update, s.row(c, t, engine.NoTID)
	}
	a := s.ask(c, q, w.Command, nil)
	if a.Result != access.OK {
		return engine.Result{Code: code(a), Command: uint32(a.Command), Key: a.Key}
	}
	s.wrote(w.Table, w.Command)
	s.names[name].dead = true
	s.killed = append(s.killed, name)
	if !w.Delete {
		s.update, s.enters = a.Versions[0].Name, a.Enters
	}
	return engine.Result{Code: engine.OK}
}

// code is the result as the server has it.
func code(a access.Answer) engine.Code {
	switch a.Result {
	case access.OK:
		return engine.OK
	case access.SelfModified:
		return engine.SelfModified
	case access.Updated:
		return engine.Updated
	case access.Deleted:
		return engine.Deleted
	case access.WouldBlock:
		return engine.WouldBlock
	}
	return engine.Invisible
}

// Lock answers as heapam_tuple_lock does.
func (s *Session) Lock(c *engine.Call, l engine.Lock) engine.Result {
	t := s.table(c, l.Table)
	name := s.named(c, t, l.TID)
	q := access.Request{Kind: access.Lock, Target: access.Target{Table: t.number, Version: name},
		Locking: access.Locking{Mode: uint8(l.Mode), NoWait: l.Wait != engine.WaitBlock, Last: l.Follow, Newer: l.Newer}}
	a := s.ask(c, q, l.Command, nil)
	if a.Result != access.OK {
		return engine.Result{Code: code(a), Command: uint32(a.Command)}
	}
	s.locked = true
	newest := a.Versions[0].Name
	if newest == name {
		return engine.Result{Code: engine.OK, Newest: l.TID}
	}
	return engine.Result{Code: engine.OK, Newest: s.put(c, t, newest, engine.NoTID)}
}
