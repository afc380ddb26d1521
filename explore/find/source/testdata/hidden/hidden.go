// Package hidden has transactions in methods of types that are not exported.
package hidden

import (
	"context"
	"database/sql"
)

// Store is what others see.
type Store interface {
	Get(ctx context.Context, id int) (int, error)
	Put(ctx context.Context, id, v int) error
}

type base struct{ db *sql.DB }

func (b *base) Get(ctx context.Context, id int) (v int, err error) {
	err = b.db.QueryRowContext(ctx, "SELECT v FROM t WHERE id = $1", id).Scan(&v)
	return v, err
}

type store struct {
	*base
	log func(string)
}

// Open makes a Store.
func Open(db *sql.DB, log func(string)) (Store, error) {
	if err := db.Ping(); err != nil {
		return nil, err
	}
	return &store{&base{db}, log}, nil
}

func (s *store) Put(ctx context.Context, id, v int) error {
	u, err := s.begin(ctx)
	if err != nil {
		return err
	}
	u.id = id
	if err := u.set(v); err != nil {
		return err
	}
	return u.tx.Commit()
}

// Close is no method of Store.
func (s *store) Close() error {
	_, err := s.db.Exec("DELETE FROM t")
	return err
}

// unit is a transaction with what it is about.
type unit struct {
	tx *sql.Tx
	id int
}

func (s *store) begin(ctx context.Context) (*unit, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &unit{tx: tx}, nil
}

func (u *unit) set(v int) error {
	_, err := u.tx.Exec("UPDATE t SET v = $2 WHERE id = $1", u.id, v)
	return err
}

func (u *unit) clear() error {
	_, err := u.tx.Exec("UPDATE t SET v = 0 WHERE id = $1", u.id)
	return err
}

type counter struct{ db *sql.DB }

// NewCounter makes what is not exported.
func NewCounter(db *sql.DB) *counter { return &counter{db} }

func (c *counter) Count(ctx context.Context) (n int, err error) {
	return n, c.db.QueryRowContext(ctx, "SELECT count(*) FROM t").Scan(&n)
}

func (c *counter) first(ctx context.Context) (int, error) {
	var id int
	return id, c.db.QueryRowContext(ctx, "SELECT min(id) FROM t").Scan(&id)
}

func (c *counter) Note(ctx context.Context) error {
	n, _ := c.Count(ctx)
	id, _ := c.first(ctx)
	_, err := c.db.ExecContext(ctx, "INSERT INTO t VALUES ($1, $2)", id-1, n)
	return err
}

// Table is generic.
type Table[T any] struct{ db *sql.DB }

// All is called by nobody.
func (t *Table[T]) All() error {
	_, err := t.db.Exec("SELECT 1")
	return err
}

// Each runs a function that is not known.
func Each(f func(func(*sql.DB) error) error) error {
	return f(func(db *sql.DB) error {
		_, err := db.Exec("SELECT 2")
		return err
	})
}

var hooks = map[string]func(*sql.DB) error{
	"clean": func(db *sql.DB) error {
		_, err := db.Exec("DELETE FROM t")
		return err
	},
}

var _ = (*unit).clear

type closer interface{ CloseAll() error }

// Shut asks what it is given whether it can be closed: a *sql.DB cannot.
func (c *counter) Shut() error {
	var any any = c.db
	if all, ok := any.(closer); ok {
		return all.CloseAll()
	}
	_, err := c.db.Exec("SELECT 3")
	return err
}
