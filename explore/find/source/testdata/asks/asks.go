// Package asks has functions that ask whether a row is there, and go on by the answer.
package asks

import (
	"context"
	"database/sql"
	"errors"
)

var errTaken = errors.New("taken")

// missing reports whether a row is missing.
func missing(row *sql.Row) (bool, error) {
	var id int
	err := row.Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	return false, err
}

// odd returns true in two places.
func odd(n int) bool {
	if n == 1 {
		return true
	}
	if n%2 == 0 {
		return false
	}
	return true
}

// Take takes what is free.
func Take(ctx context.Context, db *sql.DB, id int) error {
	free, err := missing(db.QueryRowContext(ctx, "SELECT id FROM t WHERE id = $1", id))
	if err != nil {
		return err
	}
	if !free {
		_, err = db.ExecContext(ctx, "UPDATE t SET n = n + 1 WHERE id = $1", id)
		return errors.Join(err, errTaken)
	}
	_, err = db.ExecContext(ctx, "INSERT INTO t VALUES ($1)", id)
	return err
}

// Odd goes on by what more than one place may say.
func Odd(ctx context.Context, db *sql.DB, n int) error {
	if odd(n) {
		_, err := db.ExecContext(ctx, "DELETE FROM t")
		return err
	}
	return nil
}
