// Package waits moves money and books rooms: calls that wait for each other, and calls that do not.
package waits

import (
	"context"
	"database/sql"
	"slices"
	"strings"
)

const Schema = `
CREATE TABLE acct (id bigint PRIMARY KEY, bal bigint NOT NULL);
CREATE TABLE room (id bigint PRIMARY KEY, free bigint NOT NULL);`

type Store struct{ db *sql.DB }

func New(db *sql.DB) *Store { return &Store{db} }

func (s *Store) tx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Transfer locks the payer's row first.
func (s *Store) Transfer(ctx context.Context, from, to, n int64) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE acct SET bal = bal - $2 WHERE id = $1`, from, n); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE acct SET bal = bal + $2 WHERE id = $1`, to, n)
		return err
	})
}

// Pay makes a transfer again that has met a deadlock.
func (s *Store) Pay(ctx context.Context, from, to, n int64) (err error) {
	for range 5 {
		if err = s.Transfer(ctx, from, to, n); err == nil || !strings.Contains(err.Error(), "40P01") {
			return err
		}
	}
	return err
}

// Book takes a place in each room, in the order of the guest's list.
func (s *Store) Book(ctx context.Context, rooms []int64) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		for _, id := range rooms {
			if _, err := tx.ExecContext(ctx, `UPDATE room SET free = free - 1 WHERE id = $1`, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// Sorted takes the places in the order of the rooms.
func (s *Store) Sorted(ctx context.Context, rooms []int64) error {
	slices.Sort(rooms)
	return s.tx(ctx, func(tx *sql.Tx) error {
		for _, id := range rooms {
			if _, err := tx.ExecContext(ctx, `UPDATE room SET free = free - 1 WHERE id = $1`, id); err != nil {
				return err
			}
		}
		return nil
	})
}
