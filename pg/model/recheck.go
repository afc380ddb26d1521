package model

import (
	"slices"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/access"
)

// Deferrable unique constraints. What the model has found under the key of a new version is shown to the server's
// check, which then looks again at the end of the statement or of the transaction.

// clashing shows the server what may have the keys of a new version, and keeps it for versions that take its place
// without new entries in the indexes.
func (s *Session) clashing(c *engine.Call, t *table, name int32, found []access.Version) {
	var others []int32
	for _, v := range found {
		others = append(others, v.Name)
	}
	s.show(c, t, name, others)
}

func (s *Session) show(c *engine.Call, t *table, name int32, others []int32) {
	if len(others) == 0 {
		return
	}
	if s.clashes == nil {
		s.clashes = map[int32][]int32{}
	}
	s.clashes[name] = others
	for _, other := range others {
		s.dirty[address{t.OID, s.put(c, t, other, engine.NoTID)}] = true
	}
}

// Recheck looks for a row that has the key of a version of the transaction's own, and waits for who may have one.
func (s *Session) Recheck(c *engine.Call, table engine.OID, tid engine.TID, index engine.OID) {
	t := s.table(c, table)
	name := s.named(c, t, tid)
	if s.names[name].dead {
		return
	}
	i := slices.IndexFunc(t.Indexes, func(x *engine.Index) bool { return x.OID == index })
	a := s.ask(c, access.Request{Kind: access.Recheck, Target: access.Target{Table: t.number, Index: uint8(i), Version: name}}, 0, nil)
	clear(s.dirty)
	s.duplicate(c, t, a)
}
