package model

import (
	"slices"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/access"
)

// LockTable locks a table, which the model has for all sessions. The locks of most statements hinder nobody but LOCK
// TABLE: they go with the statement's next request. A stronger one is asked for at once.
func (s *Session) LockTable(c *engine.Call, relation engine.OID, mode engine.TableMode, try bool) {
	t := s.cat.tables[relation]
	if t == nil { // an index, a sequence, or a temporary table
		if s.truncates && mode == engine.AccessExclusive && slices.ContainsFunc(s.cat.sequences, func(q Sequence) bool { return q.OID == relation }) {
			s.refuse(c, "TRUNCATE … RESTART IDENTITY")
		}
		return
	}
	l := access.TableLock{Table: t.number, Mode: uint8(mode), Depth: uint8(len(s.saves))}
	if slices.ContainsFunc(s.locks, func(o access.TableLock) bool { return o.Table == l.Table && o.Mode == l.Mode }) {
		return
	}
	s.locks = append(s.locks, l)
	if mode <= engine.RowExclusive && !s.explicit {
		return
	}
	if a := s.ask(c, access.Request{Kind: access.LockTables, Locking: access.Locking{NoWait: try}}, 0, nil); a.Result == access.WouldBlock {
		s.locks = s.locks[:len(s.locks)-1]
		s.asked = len(s.locks)
		c.Raise("55P03", "could not obtain lock on relation \""+t.Name+"\"")
	}
}

// tableLocks are those that a request is to take before it does anything.
func (s *Session) tableLocks() []access.TableLock {
	list := slices.Clone(s.locks[s.asked:])
	s.asked = len(s.locks)
	return list
}

// unlock forgets the locks that have been taken since there were so many.
func (s *Session) unlock(n int) {
	s.locks = s.locks[:n]
	s.asked = min(s.asked, n)
}
