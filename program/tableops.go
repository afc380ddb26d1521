package program

import "github.com/txmc/txmc/program/behaviour"

// Row is a row of a table.
type Row[K, T any] struct {
	Key   K
	Value T
}

// Name returns the table's name.
func (t *Table[K, T]) Name() string { return t.table.name }

// Get returns the row with that key, and whether there is one: SELECT … WHERE key = k,
// with a locking clause if the options have one. Where [behaviour.NoWait] fails or [behaviour.SkipLocked]
// leaves the row out there is none: see [Tx.Err]. A transaction with a snapshot that has
// inserted a key which another one has deleted since sees two rows: Get returns the first,
// and [Table.Select] both.
func (t *Table[K, T]) Get(tx *Tx, k K, options ...behaviour.ReadOption) (value T, ok bool) {
	loc := t.operation(tx, "Get")
	x, how := t.rowOf(tx, k, loc), together(options)
	if tx.onDatabase() {
		for _, i := range tx.items(&behaviour.Query{Verb: behaviour.SelectRows, Table: t.table.number, Var: x, ByKey: true, How: how}, loc) {
			return t.value(tx, i.Val), true
		}
		return value, false
	}
	return t.typed(tx.read(x, how, loc))
}

// GetForUpdate is Get with [behaviour.ForUpdate].
func (t *Table[K, T]) GetForUpdate(tx *Tx, k K, options ...behaviour.ReadOption) (value T, ok bool) {
	return t.Get(tx, k, append(options[:len(options):len(options)], behaviour.ForUpdate)...)
}

// Select returns the rows for which where holds, or all rows if where is nil. It is
// SELECT … WHERE, with a locking clause and a limit if the options have them.
// PostgreSQL returns them in the order in which they lie in the table. InnoDB and
// axiomatic levels return them by their keys. where gets rows, and must not use tx or
// change anything.
func (t *Table[K, T]) Select(tx *Tx, where func(k K, value T) bool, options ...behaviour.ReadOption) (rows []Row[K, T]) {
	loc := t.operation(tx, "Select")
	how := together(options)
	if !tx.onDatabase() {
		return t.scan(tx, where, how, loc)
	}
	tx.run.evaluate = func(x behaviour.VarID, v behaviour.ValueID) behaviour.Verdict {
		return behaviour.Verdict{Matches: where(t.keyOf(tx, x), t.value(tx, v))}
	}
	for _, i := range tx.items(&behaviour.Query{Verb: behaviour.SelectRows, Table: t.table.number, Judged: where != nil, How: how}, loc) {
		rows = append(rows, Row[K, T]{t.keyOf(tx, i.Var), t.value(tx, i.Val)})
	}
	return rows
}

// Insert inserts a row: INSERT. It returns a [*behaviour.DBError] when there is a row with that
// key, or another one with the same value in a unique column. The error is 23505 of
// PostgreSQL and of axiomatic levels, after which the transaction is in error; or 1062 of
// InnoDB, after which the transaction goes on.
func (t *Table[K, T]) Insert(tx *Tx, k K, value T) error {
	_, err := t.insert(tx, k, value, behaviour.FailOnConflict, nil, t.operation(tx, "Insert"))
	return err
}

// InsertOrIgnore inserts a row unless it, or another one with its unique columns,
// exists: INSERT … ON CONFLICT DO NOTHING, or INSERT IGNORE. It reports whether it has.
func (t *Table[K, T]) InsertOrIgnore(tx *Tx, k K, value T) bool {
	affected, _ := t.insert(tx, k, value, behaviour.IgnoreOnConflict, nil, t.operation(tx, "InsertOrIgnore"))
	return affected > 0
}

// InsertOrUpdate inserts a row, or changes the one that is there to what f makes of it.
// It is INSERT … ON CONFLICT (key) DO UPDATE, or ON DUPLICATE KEY UPDATE, which also
// meets unique columns. f is like that of [Table.Update]. It returns the number of
// affected rows, as the database counts: InnoDB counts a changed row as two.
func (t *Table[K, T]) InsertOrUpdate(tx *Tx, k K, value T, f func(old T) T) (affected int, err error) {
	loc := t.operation(tx, "InsertOrUpdate")
	if f == nil {
		tx.run.misuse(loc, "InsertOrUpdate of %q needs a function, got nil", t.table.name)
	}
	return t.insert(tx, k, value, behaviour.UpdateOnConflict, f, loc)
}

// Update is UPDATE … WHERE key = k: f gets the row and returns its new value, and
// whether there is one. It reports whether a row has changed. In InnoDB a row that gets
// the value that it has does not count.
func (t *Table[K, T]) Update(tx *Tx, k K, f func(old T) (T, bool)) (changed bool) {
	loc := t.operation(tx, "Update")
	if f == nil {
		tx.run.misuse(loc, "Update of %q needs a function, got nil", t.table.name)
	}
	x := t.rowOf(tx, k, loc)
	return t.update(tx, x, true, func(_ K, old T) (T, bool) { return f(old) }, loc) > 0
}

// UpdateAll is UPDATE … WHERE: f gets rows and returns the new value of those that it
// accepts. It returns how many have changed.
func (t *Table[K, T]) UpdateAll(tx *Tx, f func(k K, old T) (T, bool)) (changed int) {
	loc := t.operation(tx, "UpdateAll")
	if f == nil {
		tx.run.misuse(loc, "UpdateAll of %q needs a function, got nil", t.table.name)
	}
	return t.update(tx, 0, false, f, loc)
}

// Delete is DELETE … WHERE key = k. It reports whether there was such a row.
func (t *Table[K, T]) Delete(tx *Tx, k K) bool {
	loc := t.operation(tx, "Delete")
	return t.delete(tx, t.rowOf(tx, k, loc), true, nil, loc) > 0
}

// DeleteAll deletes the rows for which where holds, all of them if it is nil, and
// returns how many.
func (t *Table[K, T]) DeleteAll(tx *Tx, where func(k K, value T) bool) int {
	return t.delete(tx, 0, false, where, t.operation(tx, "DeleteAll"))
}

func (t *Table[K, T]) operation(tx *Tx, what string) behaviour.Loc {
	loc := tx.operation(what)
	if t == nil || t.client != tx.run.client {
		tx.run.misuse(loc, "the table was not declared in this program: make it with NewTable in the Explore function")
	}
	return loc
}

// insert inserts a row on a database; f is for [UpdateOnConflict].
func (t *Table[K, T]) insert(tx *Tx, k K, value T, c behaviour.Conflict, f func(old T) T, loc behaviour.Loc) (affected int, err error) {
	x := t.rowOf(tx, k, loc)
	q := &behaviour.Query{Verb: behaviour.InsertRow, Table: t.table.number, Var: x, ByKey: true, Conflict: c, Judged: c == behaviour.UpdateOnConflict}
	var unique []any
	q.Val, q.Columns, unique = t.contents(tx, x, value, loc)
	if !tx.onDatabase() {
		return t.add(tx, x, q.Val, q.Columns, unique, c, f, loc)
	}
	tx.run.evaluate = func(x behaviour.VarID, v behaviour.ValueID) behaviour.Verdict {
		return t.verdict(tx, x, f(t.value(tx, v)), loc)
	}
	answer, ok := tx.statement(&behaviour.Node{Kind: behaviour.Ask, Operation: behaviour.Operation{Query: q}, Loc: loc})
	if !ok {
		return 0, tx.Err()
	}
	affected, _ = tx.run.client.values.Get(answer).(int)
	return affected, nil
}

// update changes rows on a database, or at an axiomatic level.
func (t *Table[K, T]) update(tx *Tx, x behaviour.VarID, byKey bool, f func(K, T) (T, bool), loc behaviour.Loc) int {
	if !tx.onDatabase() {
		return t.change(tx, t.candidates(tx, x, byKey), byKey, func(k K, old T) (T, bool, bool) {
			value, ok := f(k, old)
			return value, false, ok
		}, loc)
	}
	tx.run.evaluate = func(x behaviour.VarID, v behaviour.ValueID) behaviour.Verdict {
		value, ok := f(t.keyOf(tx, x), t.value(tx, v))
		if !ok {
			return behaviour.Verdict{}
		}
		return t.verdict(tx, x, value, loc)
	}
	list := tx.items(&behaviour.Query{Verb: behaviour.UpdateRows, Table: t.table.number, Var: x, ByKey: byKey, Judged: true}, loc)
	for _, i := range list { // what f leaves in variables of the client is of the rows that have changed
		f(t.keyOf(tx, i.Var), t.value(tx, i.Val))
	}
	return len(list)
}

// delete deletes rows on a database, or at an axiomatic level.
func (t *Table[K, T]) delete(tx *Tx, x behaviour.VarID, byKey bool, where func(K, T) bool, loc behaviour.Loc) int {
	if !tx.onDatabase() {
		return t.change(tx, t.candidates(tx, x, byKey), byKey, func(k K, old T) (T, bool, bool) {
			return old, true, where == nil || where(k, old)
		}, loc)
	}
	tx.run.evaluate = func(x behaviour.VarID, v behaviour.ValueID) behaviour.Verdict {
		return behaviour.Verdict{Matches: where(t.keyOf(tx, x), t.value(tx, v))}
	}
	answer, ok := tx.statement(&behaviour.Node{Kind: behaviour.Ask, Operation: behaviour.Operation{Query: &behaviour.Query{Verb: behaviour.DeleteRows, Table: t.table.number, Var: x, ByKey: byKey, Judged: where != nil}}, Loc: loc})
	if !ok {
		return 0
	}
	n, _ := tx.run.client.values.Get(answer).(int)
	return n
}

// items asks the database for rows.
func (tx *Tx) items(q *behaviour.Query, loc behaviour.Loc) []behaviour.Item {
	answer, ok := tx.statement(&behaviour.Node{Kind: behaviour.Ask, Operation: behaviour.Operation{Query: q}, Loc: loc})
	if !ok {
		return nil
	}
	return tx.run.client.Listed(answer)
}

// contents interns a row.
func (t *Table[K, T]) contents(tx *Tx, x behaviour.VarID, value T, loc behaviour.Loc) (behaviour.ValueID, []behaviour.Entry, []any) {
	val := tx.intern(x, any(value), loc)
	if val == 0 {
		tx.run.misuse(loc, "the row %q is nil, which stands for no row: store a value", tx.run.client.Key(x))
	}
	list, values, err := tx.run.client.entries(t.table, any(value))
	if err != nil {
		tx.run.misuse(loc, "the row %q: %v", tx.run.client.Key(x), err)
	}
	return val, list, values
}

func (t *Table[K, T]) verdict(tx *Tx, x behaviour.VarID, value T, loc behaviour.Loc) behaviour.Verdict {
	val, columns, _ := t.contents(tx, x, value, loc)
	return behaviour.Verdict{Matches: true, Val: val, Columns: columns}
}

func (t *Table[K, T]) value(tx *Tx, v behaviour.ValueID) T {
	value, _ := tx.run.client.values.Get(v).(T)
	return value
}

func (t *Table[K, T]) keyOf(tx *Tx, x behaviour.VarID) K {
	c := tx.run.client
	c.varMu.RLock()
	defer c.varMu.RUnlock()
	return c.rows[x].key.(K)
}

// typed is what was read of a row.
func (t *Table[K, T]) typed(got any) (value T, ok bool) {
	if got == nil {
		return value, false
	}
	return got.(T), true
}
