package storage

import "github.com/dolthub/go-mysql-server/sql"

// Locks reports whether the statement asks for locks of the rows of the table that it looks at.
func (t *Table) Locks() bool {
	_, ok := t.asked()
	return ok
}

// Defer makes scans return rows without locking them. Whoever asks for it locks those
// that fulfil the statement's conditions, by LockLast.
func (t *Table) Defer() { t.deferred = true }

// LockLast locks the row that a scan has returned last, and returns its newest version.
// It returns nil when the row is gone, when it is not in the scan's range any more, or
// when it is locked and the statement skips such rows.
func (t *Table) LockLast(ctx *sql.Context) (sql.Row, error) {
	lock, _ := t.asked()
	row, err := t.lockThere(ctx, t.last.row, lock)
	if err != nil || row == nil {
		return nil, err
	}
	return t.last.inside(ctx, row, t.lookup)
}

// lockFound locks a row, if there is one.
func (t *Table) lockFound(ctx *sql.Context, v rowVar, lock Lock) (sql.Row, error) {
	run := runOf(ctx)
	if _, ok := run.known(v, false); !ok {
		there, err := run.readValue(v.def.keyVar(v.id))
		if err != nil || there == nil {
			return nil, err
		}
	}
	return t.lockThere(ctx, v, lock)
}

func (t *Table) lockThere(ctx *sql.Context, v rowVar, lock Lock) (sql.Row, error) {
	run := runOf(ctx)
	if !run.exclude(v, lock.Shared) {
		switch {
		case lock.SkipLocked:
			return nil, nil
		case lock.NoWait:
			return nil, ErrLocked
		}
	}
	return run.lock(v, false)
}

// parent returns a row to which a foreign key refers: of a row found by its key only
// the key counts.
func (t *Table) parent(ctx *sql.Context, f found, x *Index) (sql.Row, error) {
	run := runOf(ctx)
	if row, ok := run.known(f.row, true); ok {
		return row, nil
	}
	if !x.unique {
		return run.lock(f.row, true)
	}
	if x.name == primaryName {
		if there, err := run.lockValue(t.def.keyVar(f.row.id)); err != nil || there == nil {
			return nil, err
		}
	}
	for _, shape := range t.def.rows.Named(f.row.id).Shapes() {
		if ok, err := x.within(ctx, f.within, shape); err != nil || ok {
			return shape, err
		}
	}
	return nil, nil
}
