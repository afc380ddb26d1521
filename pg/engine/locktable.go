// Locks on tables (storage/lmgr/lmgr.c): the server has one session, whose locks nobody disputes. Hooks that share
// them among instances are told of each before it is taken: by a statement that names the table, and by LOCK TABLE.

package engine

import "github.com/txmc/txmc/pg/engine/emscripten"

// TableMode is the mode of a lock on a table, with PostgreSQL's numbers (storage/lockdefs.h).
type TableMode uint8

// The modes, weakest first. The first three do not conflict with each other.
const (
	AccessShare TableMode = 1 + iota
	RowShare
	RowExclusive
	ShareUpdateExclusive
	Share
	ShareRowExclusive
	Exclusive
	AccessExclusive
)

// onLockTable is told of LockRelationOid(table, mode).
func onLockTable(p *emscripten.Process, st []uint64) { lockTable(p, st, false) }

// onTryTable is told of ConditionalLockRelationOid(table, mode), as NOWAIT calls it.
func onTryTable(p *emscripten.Process, st []uint64) { lockTable(p, st, true) }

func lockTable(p *emscripten.Process, st []uint64, try bool) {
	x, ok := p.Owner.(*Instance)
	if !ok || x.injecting > 0 {
		return
	}
	if h, ok := x.hooks.(StatementHooks); ok {
		h.LockTable(&x.call, OID(st[0]), TableMode(st[1]), try)
	}
}
