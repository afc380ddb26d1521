// Package sqlorder takes orders of goods in stock, in SQL: foreign keys, and a
// trigger that keeps an order's total.
//
// Order looks at the stock, writes its lines and takes what it found from the
// stock. At read committed two orders take the same piece; the foreign keys and the
// trigger's totals hold at every level. OrderGuarded takes from the stock where
// there is enough.
//
// Levels:
//
//	ExploreOrder: breaks at rc; holds at ra, cc, pc, si, ser
//	ExploreOrderGuarded: holds at all
package sqlorder

import (
	"context"
	"database/sql"
	"embed"
	"errors"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

//go:embed migrations
var migrations embed.FS

const seed = `INSERT INTO product VALUES ('lamp', 30, 1);`

var errOutOfStock = errors.New("out of stock")

// Shop takes orders.
type Shop struct{ db *sql.DB }

// Order orders a product.
func (s *Shop) Order(ctx context.Context, id int, product string) error {
	return s.order(ctx, id, product, func(tx *sql.Tx) error {
		var stock int
		if err := tx.QueryRowContext(ctx, `SELECT stock FROM product WHERE name = $1`, product).Scan(&stock); err != nil {
			return err
		}
		if stock == 0 {
			return errOutOfStock
		}
		_, err := tx.ExecContext(ctx, `UPDATE product SET stock = $2 WHERE name = $1`, product, stock-1)
		return err
	})
}

// OrderGuarded orders a product if there is enough of it when it is taken.
func (s *Shop) OrderGuarded(ctx context.Context, id int, product string) error {
	return s.order(ctx, id, product, func(tx *sql.Tx) error {
		var left int
		err := tx.QueryRowContext(ctx, `UPDATE product SET stock = stock - 1 WHERE name = $1 AND stock > 0 RETURNING stock`, product).Scan(&left)
		if errors.Is(err, sql.ErrNoRows) {
			return errOutOfStock
		}
		return err
	})
}

// order writes an order with one line.
func (s *Shop) order(ctx context.Context, id int, product string, take func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := take(tx); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO purchase (id) VALUES ($1)`, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO line VALUES ($1, $2, 1)`, id, product); err != nil {
		return err
	}
	return tx.Commit()
}

// ExploreOrder: two customers order the last lamp.
func ExploreOrder(p *txmc.Program) { orders(p, (*Shop).Order) }

// ExploreOrderGuarded: the statement looks whether there is one.
func ExploreOrderGuarded(p *txmc.Program) { orders(p, (*Shop).OrderGuarded) }

func orders(p *txmc.Program, order func(*Shop, context.Context, int, string) error) {
	db := pg.New(p, pg.SchemaFS(migrations, "migrations/*.up.sql"), pg.Seed(seed))
	for i, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			err := order(&Shop{db.Open(s)}, context.Background(), i+1, "lamp")
			s.Assert(err == nil || errors.Is(err, errOutOfStock), err)
		})
	}
	db.Final("one lamp", func(ctx context.Context, db *sql.DB) error {
		var sold, total int
		err := db.QueryRowContext(ctx, `SELECT (SELECT sum(pieces) FROM line), (SELECT sum(total) FROM purchase)`).Scan(&sold, &total)
		if err != nil {
			return err
		}
		return txmc.Assertf(sold == 1 && total == 30, "%d lamps sold for %d", sold, total)
	})
}
