// Package letters numbers letters and sends them. Two writers take one number; it takes a third
// call, which sends in between, to leave a letter in the outbox that is sent.
package letters

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
)

// Schema makes the tables.
//
//go:embed schema.sql
var Schema string

// Desk has letters.
type Desk struct{ db *sql.DB }

// New returns a desk.
func New(db *sql.DB) *Desk { return &Desk{db} }

func (d *Desk) run(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Write puts a letter into the outbox.
func (d *Desk) Write(ctx context.Context) error {
	return d.run(ctx, func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT n FROM last WHERE id = 1").Scan(&n); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE last SET n = $1 WHERE id = 1", n+1); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO letter VALUES ($1, false) ON CONFLICT (n) DO UPDATE SET sent = false", n+1); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO outbox (n) VALUES ($1)", n+1)
		return err
	})
}

// Send sends a letter.
func (d *Desk) Send(ctx context.Context) error {
	return d.run(ctx, func(tx *sql.Tx) error {
		var id, n int
		err := tx.QueryRowContext(ctx, "SELECT id, n FROM outbox ORDER BY id LIMIT 1").Scan(&id, &n)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM outbox WHERE id = $1", id); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE letter SET sent = true WHERE n = $1", n)
		return err
	})
}

// InvariantOutbox: a letter that is sent is not in the outbox.
func InvariantOutbox(ctx context.Context, db *sql.DB) error {
	return none(ctx, db, "SELECT count(*) FROM letter JOIN outbox USING (n) WHERE sent")
}

// InvariantOnce: a letter is in the outbox once.
func InvariantOnce(ctx context.Context, db *sql.DB) error {
	return none(ctx, db, "SELECT count(*) FROM outbox a, outbox b WHERE a.n = b.n AND a.id < b.id")
}

func none(ctx context.Context, db *sql.DB, query string) error {
	var n int
	if err := db.QueryRowContext(ctx, query).Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return fmt.Errorf("does not hold in %d places", n)
	}
	return nil
}
