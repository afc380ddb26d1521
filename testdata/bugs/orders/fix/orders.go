// Package orders sells products.
package orders

import (
	"context"
	"database/sql"
	"errors"
)

const Schema = `
CREATE TABLE product (id bigint PRIMARY KEY, stock int NOT NULL);
CREATE TABLE item (id bigserial PRIMARY KEY, customer text NOT NULL, product_id bigint NOT NULL REFERENCES product);`

var ErrStock = errors.New("not enough in stock")

type Store struct{ db *sql.DB }

func New(db *sql.DB) *Store { return &Store{db} }

// Order sells one piece of each product, or nothing.
func (s *Store) Order(ctx context.Context, customer string, products ...int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, product := range products {
		res, err := tx.ExecContext(ctx, `UPDATE product SET stock = stock - 1 WHERE id = $1 AND stock > 0`, product)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(ErrStock, err)
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO item (customer, product_id) VALUES ($1, $2)`, customer, product); err != nil {
			return err
		}
	}
	return tx.Commit()
}
