// Package prepared has two ways for each statement, as generated code has: prepared and not.
package prepared

import (
	"context"
	"database/sql"
)

const (
	get = "SELECT v FROM t WHERE id = $1"
	put = "UPDATE t SET v = $2 WHERE id = $1"
	del = "DELETE FROM t WHERE id = $1"
	all = "DELETE FROM t"
)

// Queries is what is prepared: clear where somebody asks for it, all when it is needed.
type Queries struct {
	db         *sql.DB
	tx         *sql.Tx
	get, put   *sql.Stmt
	clear, all *sql.Stmt
}

// Prepare prepares.
func Prepare(db *sql.DB, eager bool, level int) (*Queries, error) {
	q := Queries{db: db}
	var err error
	if q.get, err = db.Prepare(get); err != nil {
		return nil, err
	}
	if level > 9 {
		level = 9
	}
	if q.put, err = db.Prepare(put); err != nil {
		return nil, err
	}
	if eager || level > 3 {
		if err := q.more(db); err != nil {
			return nil, err
		}
	}
	return &q, nil
}

func (q *Queries) more(db *sql.DB) (err error) {
	q.clear, err = db.Prepare(del)
	return err
}

func (q *Queries) within(tx *sql.Tx) *Queries {
	return &Queries{db: q.db, tx: tx, get: q.get, put: q.put, clear: q.clear}
}

func (q *Queries) exec(stmt *sql.Stmt, text string, args ...any) error {
	var err error
	switch {
	case stmt != nil && q.tx != nil:
		_, err = q.tx.Stmt(stmt).Exec(args...)
	case stmt != nil:
		_, err = stmt.Exec(args...)
	default:
		_, err = q.db.Exec(text, args...)
	}
	return err
}

func (q *Queries) read(id int) (v int, err error) {
	stmt := q.get
	if q.tx != nil {
		stmt = q.tx.Stmt(stmt)
	}
	return v, stmt.QueryRow(id).Scan(&v)
}

// Add has one way for each: both are prepared, and there is a transaction.
func (q *Queries) Add(ctx context.Context, id, n int) error {
	tx, err := q.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	in := q.within(tx)
	v, err := in.read(id)
	if err != nil {
		return err
	}
	if err := in.exec(in.put, put, id, v+n); err != nil {
		return err
	}
	return tx.Commit()
}

// Clear has two ways: it may be prepared.
func (q *Queries) Clear(id int) error {
	if q.clear == nil {
		_, err := q.db.Exec(del, id)
		return err
	}
	_, err := q.clear.Exec(id)
	return err
}

// All prepares when it is called first.
func (q *Queries) All() (err error) {
	if q.all == nil {
		if q.all, err = q.db.Prepare(all); err != nil {
			return err
		}
	}
	if q.all != nil {
		_, err = q.all.Exec()
		return err
	}
	_, err = q.db.Exec("DELETE FROM t WHERE true")
	return err
}
