// Package itself sells products, and has calls that wait for themselves.
package itself

import (
	"context"
	"database/sql"
)

const Schema = `
CREATE TABLE product (id bigint PRIMARY KEY, stock int NOT NULL);
CREATE TABLE item (id bigserial PRIMARY KEY, product_id bigint NOT NULL REFERENCES product);`

type Store struct{ db *sql.DB }

func New(db *sql.DB) *Store { return &Store{db} }

// Order inserts on another connection, which waits for the row that the transaction has locked.
func (s *Store) Order(ctx context.Context, product int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var stock int
	if err := tx.QueryRowContext(ctx, `SELECT stock FROM product WHERE id = $1 FOR UPDATE`, product).Scan(&stock); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, `INSERT INTO item (product_id) VALUES ($1)`, product); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE product SET stock = stock - 1 WHERE id = $1`, product); err != nil {
		return err
	}
	return tx.Commit()
}

// Sell does so in the transaction.
func (s *Store) Sell(ctx context.Context, product int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var stock int
	if err := tx.QueryRowContext(ctx, `SELECT stock FROM product WHERE id = $1 FOR UPDATE`, product).Scan(&stock); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO item (product_id) VALUES ($1)`, product); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE product SET stock = stock - 1 WHERE id = $1`, product); err != nil {
		return err
	}
	return tx.Commit()
}

// Count has given its locks back before it writes on another connection.
func (s *Store) Count(ctx context.Context, product int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE product SET stock = stock + 1 WHERE id = $1`, product); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `UPDATE product SET stock = stock + 1 WHERE id = $1`, product)
	return err
}
