package program

import (
	"slices"

	"github.com/txmc/txmc/program/behaviour"
)

// savepoint is a place in a transaction to which it can go back.
type savepoint struct {
	name string
	own  []behaviour.Write
}

// Savepoint marks a place in the transaction, as SAVEPOINT does.
func (tx *Tx) Savepoint(name string) {
	loc := tx.operation("Savepoint")
	if tx.failed != nil {
		return
	}
	if tx.onDatabase() {
		if _, ok := tx.statement(&behaviour.Node{Kind: behaviour.Save, Loc: loc}); !ok {
			return
		}
	}
	if !tx.undoable {
		tx.undoable, tx.settled = true, slices.Clone(tx.own)
	}
	tx.points = append(tx.points, savepoint{name, slices.Clone(tx.own)})
}

// RollbackTo undoes what the transaction has written since the latest savepoint of that
// name, and keeps the savepoint. A transaction in error goes on from there, unless the
// error has ended it, as a deadlock in InnoDB does: then RollbackTo returns that error.
// What has been read stays read. InnoDB and axiomatic levels keep the locks.
func (tx *Tx) RollbackTo(name string) error {
	loc := tx.operation("RollbackTo")
	depth := tx.depth("RollbackTo", name, loc)
	if tx.failed != nil && tx.failed.Ended() {
		return tx.failed
	}
	tx.failed = nil
	if tx.onDatabase() {
		if _, ok := tx.statement(&behaviour.Node{Kind: behaviour.BackTo, Operation: behaviour.Operation{Depth: int32(depth)}, Loc: loc}); !ok {
			return tx.failed
		}
	} else if !tx.apart {
		tx.run.happens(behaviour.Event{Kind: behaviour.UndoEvent, Loc: loc})
	}
	tx.points = tx.points[:depth]
	tx.own = slices.Clone(tx.points[depth-1].own)
	return nil
}

// Release forgets the latest savepoint of that name, and those after it, as RELEASE
// SAVEPOINT does.
func (tx *Tx) Release(name string) {
	loc := tx.operation("Release")
	depth := tx.depth("Release", name, loc)
	if tx.failed != nil {
		return
	}
	if tx.onDatabase() {
		if _, ok := tx.statement(&behaviour.Node{Kind: behaviour.Release, Operation: behaviour.Operation{Depth: int32(depth)}, Loc: loc}); !ok {
			return
		}
	}
	tx.points = tx.points[:depth-1]
}

// depth is the place of a savepoint, from 1.
func (tx *Tx) depth(what, name string, loc behaviour.Loc) int {
	for i := len(tx.points) - 1; i >= 0; i-- {
		if tx.points[i].name == name {
			return i + 1
		}
	}
	tx.run.misuse(loc, "%s: transaction %q has no savepoint %q: make it with Savepoint", what, tx.name, name)
	return 0
}

// settle records the writes that can no longer be undone.
func (tx *Tx) settle(loc behaviour.Loc) {
	for _, w := range tx.own {
		if !slices.Contains(tx.settled, w) {
			tx.run.happens(behaviour.Event{Kind: behaviour.WriteEvent, Var: w.Var, Val: w.Val, Loc: loc})
		}
	}
}
