// Package versions looks for the version of a row that it has read.
package versions

import (
	"context"
	"database/sql"
	"errors"
)

// Schema makes the tables.
const Schema = `
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL, version int NOT NULL);
CREATE TABLE transfer (id serial PRIMARY KEY, account int NOT NULL, amount int NOT NULL);`

var errChanged = errors.New("changed meanwhile")

// Add fails where another one has come between, and leaves nothing: it has been refused.
func Add(ctx context.Context, db *sql.DB, id, amount int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := add(ctx, tx, id, amount); err != nil {
		return err
	}
	return tx.Commit()
}

// Boast tells its caller that it has added what it has not.
func Boast(ctx context.Context, db *sql.DB, id, amount int) (string, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	if err := add(ctx, tx, id, amount); err != nil && !errors.Is(err, errChanged) {
		return "", err
	}
	return "added", tx.Commit()
}

// Keep fails too, and leaves the transfer.
func Keep(ctx context.Context, db *sql.DB, id, amount int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	failed := add(ctx, tx, id, amount)
	if failed != nil && !errors.Is(failed, errChanged) {
		return failed
	}
	return errors.Join(failed, tx.Commit())
}

func add(ctx context.Context, tx *sql.Tx, id, amount int) error {
	var balance, version int
	if err := tx.QueryRowContext(ctx, "SELECT balance, version FROM account WHERE id = $1", id).Scan(&balance, &version); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO transfer (account, amount) VALUES ($1, $2)", id, amount); err != nil {
		return err
	}
	const update = "-- name: Update\nUPDATE account SET balance = $1, version = version + 1 WHERE id = $2 AND version = $3"
	r, err := tx.ExecContext(ctx, update, balance+amount, id, version)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errChanged)
	}
	return nil
}
