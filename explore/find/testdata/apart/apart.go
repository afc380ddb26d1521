// Package apart forgets transactions: its calls look, and then write, each by itself.
package apart

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
)

// Schema makes the tables.
//
//go:embed schema.sql
var Schema string

// Shop keeps units of items, and votes for these.
type Shop struct{ db *sql.DB }

// New returns a shop.
func New(db *sql.DB) *Shop { return &Shop{db} }

// Deliver adds units: those of another delivery are lost.
func (s *Shop) Deliver(ctx context.Context, item, more int) error {
	var units int
	if err := s.db.QueryRowContext(ctx, "SELECT units FROM stock WHERE item = $1", item).Scan(&units); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "UPDATE stock SET units = $1 WHERE item = $2", units+more, item)
	return err
}

// DeliverLocked adds them in a transaction that locks the item.
func (s *Shop) DeliverLocked(ctx context.Context, item, more int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var units int
	if err := tx.QueryRowContext(ctx, "SELECT units FROM stock WHERE item = $1 FOR UPDATE", item).Scan(&units); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE stock SET units = $1 WHERE item = $2", units+more, item); err != nil {
		return err
	}
	return tx.Commit()
}

// Vote counts somebody's votes in one transaction, and adds one in the next: at any level
// somebody votes twice.
func (s *Shop) Vote(ctx context.Context, item int, who string) error {
	var votes int
	look, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer look.Rollback()
	if err := look.QueryRowContext(ctx, "SELECT count(*) FROM vote WHERE item = $1 AND who = $2", item, who).Scan(&votes); err != nil {
		return err
	}
	if err := look.Commit(); err != nil {
		return err
	}
	if votes > 0 {
		return errors.New("has voted")
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO vote (item, who) VALUES ($1, $2)", item, who)
	return err
}

// Sell takes units by one statement.
func (s *Shop) Sell(ctx context.Context, item, n int) error {
	_, err := s.db.ExecContext(ctx, "UPDATE stock SET units = units - $1 WHERE item = $2 AND units >= $1", n, item)
	return err
}
