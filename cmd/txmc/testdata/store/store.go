// Package store sells what is in stock, by a pool of pgx, with its migrations in files. It is the example of the
// first page and of the tutorial.
//
// Two buyers may both see the last piece, and each buys it. The UPDATE needs the condition, or the SELECT a lock.
package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrSoldOut says that nothing is left.
var ErrSoldOut = errors.New("sold out")

// Store sells.
type Store struct{ pool *pgxpool.Pool }

// New returns a store on a pool.
func New(pool *pgxpool.Pool) *Store { return &Store{pool} }

// Buy sells a piece of a product.
func (s *Store) Buy(ctx context.Context, product int64) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var stock int
		if err := tx.QueryRow(ctx, `SELECT stock FROM product WHERE id = $1`, product).Scan(&stock); err != nil {
			return err
		}
		if stock == 0 {
			return ErrSoldOut
		}
		_, err := tx.Exec(ctx, `UPDATE product SET stock = $2 WHERE id = $1`, product, stock-1)
		return err
	})
}
