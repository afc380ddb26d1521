// Package billing bills a month once.
package billing

import (
	"context"
	"database/sql"
	"errors"
)

const Schema = `
CREATE TABLE bill (id bigserial PRIMARY KEY, month text NOT NULL, amount int NOT NULL);`

var ErrBusy = errors.New("somebody else is billing")

type Store struct{ db *sql.DB }

func New(db *sql.DB) *Store { return &Store{db} }

func (s *Store) tryLock(ctx context.Context, key int64) (unlock func() error, err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1)`, key).Scan(&ok); err != nil {
		conn.Close()
		return nil, err
	}
	if !ok {
		conn.Close()
		return nil, ErrBusy
	}
	return func() error {
		defer conn.Close()
		_, err := conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, key)
		return err
	}, nil
}

// Bill writes the bill of a month, if it is not there.
func (s *Store) Bill(ctx context.Context, month string) error {
	unlock, err := s.tryLock(ctx, 42)
	if err != nil {
		return err
	}
	defer unlock()
	var n int
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM bill WHERE month = $1`, month).Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return nil
	}
	_, err = s.db.ExecContext(ctx, `INSERT INTO bill (month, amount) VALUES ($1, 10)`, month)
	return err
}
