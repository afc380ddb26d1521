package program

import (
	"reflect"
	"slices"

	"github.com/txmc/txmc/program/behaviour"
)

// Tables at axiomatic levels. A row is a variable, whose value is nil where there is no
// row. Each value of a unique column is a variable too, with the key of the row that has
// it. A statement is a sequence of reads and writes of these:
//
//	Get          a read of the row, a locking one if it has a locking clause
//	Select       a read of every row that some transaction inserts, in order of keys;
//	             with a locking clause a locking read of those that match
//	Insert       a locking read of the row, and of its values in unique columns; then
//	             writes of these, if nothing is in the way
//	Update, Delete  a locking read of the row; if it is there and matches, writes of it,
//	             and of its values in unique columns that change
//	UpdateAll, DeleteAll  as Select without a locking clause, then as Update or Delete of
//	             each row that matches
//
// After the write of a row comes a locking read of each row that it refers to, unless it
// referred to that before. When a row goes, each row is read that some transaction inserts
// into a table that refers to it. The read is a locking one unless the row is seen to refer
// to another row. So none is missed that is inserted at the same time.
//
// Nothing waits. So NoWait never fails, and SkipLocked leaves no row out.
//
// Which rows some transaction inserts is found out by running. When a row becomes known
// that a Select has not read, the exploration begins again: see Client.Again.

// candidates are the rows that a statement looks at.
func (t *Table[K, T]) candidates(tx *Tx, x behaviour.VarID, byKey bool) []behaviour.VarID {
	if byKey {
		return []behaviour.VarID{x}
	}
	return t.known(tx)
}

// known are the rows that some transaction inserts.
func (t *Table[K, T]) known(tx *Tx) []behaviour.VarID { return t.table.known(tx) }

func (t *table) known(tx *Tx) []behaviour.VarID {
	c := tx.run.client
	c.varMu.Lock()
	defer c.varMu.Unlock()
	if tx.run.session >= 0 {
		t.scanned = true
	}
	return slices.Clone(t.rows)
}

// inserts makes a row known.
func (t *Table[K, T]) inserts(tx *Tx, x behaviour.VarID, loc behaviour.Loc) {
	c := tx.run.client
	c.varMu.Lock()
	defer c.varMu.Unlock()
	at, known := slices.BinarySearchFunc(t.table.rows, c.rows[x].order, func(y behaviour.VarID, order int) int { return c.rows[y].order - order })
	if known {
		return
	}
	t.table.rows = slices.Insert(t.table.rows, at, x)
	if t.table.scanned {
		c.anew.Store(&news{tx.run.name(), "insert " + c.keys[x], tx.run.here(loc)})
	}
}

// scan is Select.
func (t *Table[K, T]) scan(tx *Tx, where func(K, T) bool, how behaviour.ReadOption, loc behaviour.Loc) (rows []Row[K, T]) {
	for _, x := range t.known(tx) {
		if n := how.Limit(); n > 0 && len(rows) == n {
			break
		}
		value, ok := t.typed(tx.read(x, 0, loc))
		k := t.keyOf(tx, x)
		if ok = ok && (where == nil || where(k, value)); ok && how.Locks() {
			value, ok = t.typed(tx.read(x, how, loc))
			ok = ok && (where == nil || where(k, value))
		}
		if ok {
			rows = append(rows, Row[K, T]{k, value})
		}
	}
	return rows
}

// change is UPDATE and DELETE. f returns a row's new value, whether it goes instead, and
// whether it is meant.
func (t *Table[K, T]) change(tx *Tx, rows []behaviour.VarID, byKey bool, f func(K, T) (value T, gone, ok bool), loc behaviour.Loc) (changed int) {
	if tx.refuses() {
		return 0
	}
	for _, x := range rows {
		k := t.keyOf(tx, x)
		if !byKey {
			old, ok := t.typed(tx.read(x, 0, loc))
			if !ok {
				continue
			}
			if _, _, ok = f(k, old); !ok {
				continue
			}
		}
		old, ok := t.typed(tx.read(x, behaviour.ForUpdate, loc))
		if !ok {
			continue
		}
		value, gone, ok := f(k, old)
		if !ok || !t.replace(tx, x, old, value, gone, loc) {
			continue
		}
		changed++
	}
	return changed
}

// replace writes a row and its unique columns, and reports whether it could.
func (t *Table[K, T]) replace(tx *Tx, x behaviour.VarID, old, value T, gone bool, loc behaviour.Loc) bool {
	_, was, before := t.contents(tx, x, old, loc)
	val, is, after := behaviour.ValueID(0), []behaviour.Entry(nil), make([]any, len(before))
	if !gone {
		val, is, after = t.contents(tx, x, value, loc)
	}
	for i, v := range after {
		if v != nil && v != before[i] && t.taken(tx, i, v, loc) {
			tx.meet(behaviour.ErrorWith("23505"))
			return false
		}
	}
	for i := range before {
		if before[i] != after[i] {
			t.enter(tx, x, i, before[i], false, loc)
			t.enter(tx, x, i, after[i], true, loc)
		}
	}
	tx.put(x, val, loc)
	if gone {
		return !t.table.referredTo(tx, x, loc)
	}
	return t.table.refers(tx, was, is, loc)
}

// refers looks for the rows to which a row refers that was written, unless it did so before.
// It reports whether all are there, and fails the transaction if not.
func (t *table) refers(tx *Tx, was, is []behaviour.Entry, loc behaviour.Loc) bool {
	for i := len(t.columns); i < len(is); i++ {
		if is[i].ID == 0 || was != nil && was[i] == is[i] {
			continue
		}
		if tx.read(behaviour.VarID(is[i].ID-1), behaviour.ForUpdate, loc) == nil {
			tx.meet(behaviour.ErrorWith("23503"))
			return false
		}
	}
	return true
}

// referredTo reports whether a row of another table refers to one that goes, and fails the
// transaction if so.
func (t *table) referredTo(tx *Tx, x behaviour.VarID, loc behaviour.Loc) bool {
	for _, child := range t.children {
		for _, y := range child.table.known(tx) {
			if row := tx.read(y, 0, loc); row != nil && !child.to(tx, row, x, loc) {
				continue
			}
			if child.to(tx, tx.read(y, behaviour.ForUpdate, loc), x, loc) {
				tx.meet(behaviour.ErrorWith("23503"))
				return true
			}
		}
	}
	return false
}

// to reports whether a row of the child refers to a row.
func (r reference) to(tx *Tx, row any, x behaviour.VarID, loc behaviour.Loc) bool {
	if row == nil {
		return false
	}
	e, err := tx.run.client.referred(r.table, r.at, row)
	if err != nil {
		tx.run.misuse(loc, "table %q: %v", r.table.name, err)
	}
	return e.ID == int32(x)+1
}

// add is INSERT.
func (t *Table[K, T]) add(tx *Tx, x behaviour.VarID, val behaviour.ValueID, columns []behaviour.Entry, unique []any, c behaviour.Conflict, f func(T) T, loc behaviour.Loc) (affected int, err error) {
	if tx.refuses() {
		return 0, tx.failed
	}
	t.inserts(tx, x, loc)
	old, exists := t.typed(tx.read(x, behaviour.ForUpdate, loc))
	if tx.failed != nil {
		return 0, tx.failed
	}
	if exists && c == behaviour.UpdateOnConflict {
		t.replace(tx, x, old, f(old), false, loc)
		return 1, tx.Err()
	}
	for i, v := range unique {
		exists = exists || v != nil && t.taken(tx, i, v, loc)
	}
	switch {
	case exists && c == behaviour.IgnoreOnConflict:
		return 0, nil
	case exists:
		tx.meet(behaviour.ErrorWith("23505"))
		return 0, tx.failed
	}
	for i, v := range unique {
		t.enter(tx, x, i, v, true, loc)
	}
	tx.put(x, val, loc)
	if !t.table.refers(tx, nil, columns, loc) {
		return 0, tx.failed
	}
	return 1, nil
}

// taken reports whether a row has the value in a unique column.
func (t *Table[K, T]) taken(tx *Tx, column int, value any, loc behaviour.Loc) bool {
	return tx.read(t.entry(tx, column, value), behaviour.ForUpdate, loc) != nil
}

// entry is the variable that says which row has a value in a unique column.
func (t *Table[K, T]) entry(tx *Tx, column int, value any) behaviour.VarID {
	return tx.run.client.placed(t.table.name+"("+t.table.columns[column]+")/"+keyText(reflect.ValueOf(value)), row{})
}

// enter notes whether a row has a value in a unique column.
func (t *Table[K, T]) enter(tx *Tx, x behaviour.VarID, column int, value any, has bool, loc behaviour.Loc) {
	if value == nil {
		return
	}
	entry := t.entry(tx, column, value)
	val := behaviour.ValueID(0)
	if has {
		val = tx.intern(entry, any(t.keyOf(tx, x)), loc)
	}
	tx.put(entry, val, loc)
}
