// Package app has the ways in which code reaches the database.
package app

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/txmc/txmc"
)

//go:embed query.sql
var embedded string

const table = "t"

var columns = []string{"a", "b"}

// DBTX is what sqlc generates against.
type DBTX interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// Queries is like those of sqlc.
type Queries struct{ db DBTX }

// NewQueries makes queries.
func NewQueries(db DBTX) *Queries { return &Queries{db} }

// WithTx is as sqlc writes it.
func (q *Queries) WithTx(tx *sql.Tx) *Queries { return &Queries{tx} }

const get = "-- name: Get\nSELECT v FROM t WHERE id = $1"

// Get reads.
func (q *Queries) Get(ctx context.Context, id int) (v int, err error) {
	err = q.db.QueryRowContext(ctx, get, id).Scan(&v)
	return v, err
}

// PutParams are as sqlc writes them.
type PutParams struct{ ID, V int }

// Put writes.
func (q *Queries) Put(ctx context.Context, arg PutParams) error {
	_, err := q.db.ExecContext(ctx, "UPDATE t SET v = $2 WHERE id = $1", arg.ID, arg.V)
	return err
}

// Service has all of it.
type Service struct {
	db      *sql.DB
	queries *Queries
	find    *sql.Stmt
}

// NewService prepares a statement.
func NewService(db *sql.DB) (*Service, error) {
	find, err := db.Prepare("SELECT prepared FROM t WHERE id = $1")
	if err != nil {
		return nil, err
	}
	return &Service{db, NewQueries(db), find}, nil
}

// Prepared sends a prepared statement, in a transaction.
func (s *Service) Prepared(id int) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Stmt(s.find).Exec(id); err != nil {
		return err
	}
	return tx.Commit()
}

// Generated runs sqlc's queries in a transaction.
func (s *Service) Generated(ctx context.Context, id int) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	q := s.queries.WithTx(tx)
	v, err := q.Get(ctx, id)
	if err != nil {
		return err
	}
	if v > 3 {
		if err := q.Put(ctx, PutParams{ID: id, V: v + 1}); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Request is an argument with parts.
type Request struct {
	Item  struct{ ID int }
	Lines []int
}

// Texts makes its statements in several ways.
func (s *Service) Texts(r *Request, unknown string) error {
	if _, err := s.db.Exec(embedded, r.Item.ID); err != nil {
		return err
	}
	if _, err := s.db.Exec(fmt.Sprintf("SELECT %s FROM %s", "formatted", table)); err != nil {
		return err
	}
	if _, err := s.db.Exec("SELECT " + strings.Join([]string{"x", "y"}, ", ") + " FROM " + table); err != nil {
		return err
	}
	for _, line := range r.Lines {
		if _, err := s.db.Exec("DELETE FROM t WHERE id = $1", line); err != nil {
			return err
		}
	}
	_, err := s.db.Exec("SELECT " + unknown)
	return err
}

// Missing inserts what is not there.
func (s *Service) Missing(id int) error {
	var v int
	err := s.db.QueryRow("SELECT v FROM t WHERE id = $1", id).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = s.db.Exec("INSERT INTO t VALUES ($1, $2)", id, len(columns))
	}
	return err
}

// Nested counts down.
func (s *Service) Nested(n int) error {
	if n == 0 {
		return nil
	}
	if _, err := s.db.Exec("UPDATE t SET v = $1", n); err != nil {
		return err
	}
	return s.Nested(n - 1)
}

// InCallers needs a transaction of its caller's.
func InCallers(tx *sql.Tx) error {
	_, err := tx.Exec("DELETE FROM t")
	return err
}

// InvariantPositive is an invariant, and no call.
func InvariantPositive(ctx context.Context, db *sql.DB) error {
	return broken[int](ctx, db, "SELECT count(*) FROM t WHERE v < 0")
}

// broken is no part of a transaction: only an invariant leads to it.
func broken[T any](ctx context.Context, db *sql.DB, query string) error {
	var n T
	return func() error { return db.QueryRowContext(ctx, query).Scan(&n) }()
}

// Address opens the database itself.
func Address(ctx context.Context, dsn string, id int) error {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "DELETE FROM t WHERE id = $1", id)
	return err
}

// ExploreAddress is a program, and none of the application's functions.
func ExploreAddress(p *txmc.Program) {
	p.Session("one", func(*txmc.Session) { Address(context.Background(), "", 1) })
}

// Values are of a request, which are no rows.
type Values interface{ Get(key string) any }

// Handle reads a value of a request: no statement.
func Handle(r Values) any { return r.Get("user") }
