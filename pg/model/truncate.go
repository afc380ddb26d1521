package model

import (
	"maps"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/access"
)

// TRUNCATE gives the instance's table a new heap, and a rollback the old one again. What the
// session knows of places in the old heap is put aside meanwhile.

// heapBefore is what lay in a table's heap before a TRUNCATE.
type heapBefore struct {
	table   engine.OID
	level   int // open savepoints
	at      map[address]int32
	where   map[int32][]engine.TID
	spots   map[int32][]engine.TID
	emptied bool // the heap was not that of before the session
}

// Truncated empties a table of the model's.
func (s *Session) Truncated(c *engine.Call, oid engine.OID) {
	t := s.table(c, oid)
	s.ask(c, access.Request{Kind: access.Truncate, Target: access.Target{Table: t.number}}, 0, nil)
	old := heapBefore{oid, len(s.saves), map[address]int32{}, map[int32][]engine.TID{}, map[int32][]engine.TID{}, s.emptied[oid]}
	for p, name := range s.at {
		if p.table == oid {
			old.at[p], old.where[name] = name, s.where[name]
			delete(s.where, name)
			delete(s.dirty, p)
		}
	}
	for value, tids := range s.spots {
		if s.cat.of(value) == t {
			old.spots[value] = tids
		}
	}
	s.heaps = append(s.heaps, old)
	s.vacate(&old)
	s.emptied[oid] = true
	for k := range s.listings {
		if k.table == oid {
			delete(s.listings, k)
		}
	}
}

// vacate forgets what lies in the heap that the table has now.
func (s *Session) vacate(old *heapBefore) {
	t := s.cat.tables[old.table]
	maps.DeleteFunc(s.at, func(p address, name int32) bool {
		if p.table == old.table {
			delete(s.where, name)
		}
		return p.table == old.table
	})
	maps.DeleteFunc(s.spots, func(value int32, _ []engine.TID) bool { return s.cat.of(value) == t })
}

// restore brings back the heaps that tables had before what is undone of the transaction: all
// that came in this number of savepoints, and deeper.
func (s *Session) restore(level int) {
	for n := len(s.heaps) - 1; n >= 0 && s.heaps[n].level >= level; n-- {
		old := &s.heaps[n]
		s.vacate(old)
		maps.Copy(s.at, old.at)
		maps.Copy(s.where, old.where)
		maps.Copy(s.spots, old.spots)
		s.emptied[old.table] = old.emptied
		s.heaps = s.heaps[:n]
	}
}

// rise notes that a savepoint has been released: what came in it belongs to the one around it.
func (s *Session) rise(level int) {
	for i := range s.heaps {
		s.heaps[i].level = min(s.heaps[i].level, level)
	}
}

// of is the table of a content.
func (cat *Catalog) of(value int32) *table {
	cat.mu.RLock()
	defer cat.mu.RUnlock()
	return cat.contents[value].table
}
