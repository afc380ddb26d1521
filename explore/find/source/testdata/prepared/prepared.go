// Package prepared has two ways for each statement, as generated code has: prepared and not.
package prepared

import (
	"context"
	"database/sql"
	"fmt"
	"os"
)

const (
	get = "SELECT v FROM t WHERE id = $1"
	put = "UPDATE t SET v = $2 WHERE id = $1"
	del = "DELETE FROM t WHERE id = $1"
	all = "DELETE FROM t"
	one = "INSERT INTO t VALUES ($1, 1)"
)

// Queries is what is prepared: clear where somebody asks for it, all when it is needed.
type Queries struct {
	db         *sql.DB
	tx         *sql.Tx
	get, put   *sql.Stmt
	one        *sql.Stmt // where a file is
	clear, all *sql.Stmt
}

// Prepare prepares.
func Prepare(db *sql.DB, eager bool, level int) (*Queries, error) {
	q := Queries{db: db}
	var err error
	if q.get, err = db.Prepare(get); err != nil {
		return nil, fmt.Errorf("get: %w", err)
	}
	if level > 9 {
		level = 9
	}
	if q.put, err = db.Prepare(put); err != nil {
		return nil, err
	}
	if _, err := os.Stat("prepared"); err == nil {
		q.one, _ = db.Prepare(one)
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

// One has two ways: the file may not be there.
func (q *Queries) One(id int) error {
	if q.one != nil {
		_, err := q.one.Exec(id)
		return err
	}
	_, err := q.db.Exec("INSERT INTO t VALUES ($1, 2)", id)
	return err
}

// Store has queries of the one kind or the other.
type Store struct{ q *Queries }

// NewStore is for prepared queries if it is asked to.
func NewStore(db *sql.DB, prepares bool) (*Store, error) {
	q, err := Prepare(db, false, 0)
	if err != nil {
		return nil, err
	}
	fast, plain := &Store{q}, &Store{&Queries{db: db}}
	if prepares {
		return fast, nil
	}
	return plain, nil
}

// Set has two ways.
func (s *Store) Set(id int) error {
	if s.q.put == nil {
		_, err := s.q.db.Exec("UPDATE t SET v = 0 WHERE id = $1", id)
		return err
	}
	_, err := s.q.put.Exec(id, 0)
	return err
}
