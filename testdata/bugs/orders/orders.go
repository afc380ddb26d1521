// Package orders is about a statement on the pool in the middle of a transaction.
//
// The order is inserted by db and not by tx: it is committed at once, and stays when the transaction is rolled back, as it
// is when the second item is sold out.
//
// Kind: statement outside its transaction
//
// Reported: kyma-incubator/reconciler#507
//
// Fix: the statement runs in the transaction
package orders

import (
	"context"
	"database/sql"
	"errors"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
	bug "github.com/txmc/txmc/testdata/bugs/orders/bug"
	fix "github.com/txmc/txmc/testdata/bugs/orders/fix"
)

type store interface {
	Order(ctx context.Context, customer string, products ...int64) error
}

func ExploreBug(p *txmc.Program) {
	shop(p, bug.ErrStock, func(db *sql.DB) store { return bug.New(db) })
}

func ExploreFix(p *txmc.Program) {
	shop(p, fix.ErrStock, func(db *sql.DB) store { return fix.New(db) })
}

// shop: there are two pieces of the first product, and one of the second.
func shop(p *txmc.Program, none error, open func(*sql.DB) store) {
	ctx := context.Background()
	db := pg.New(p, pg.Schema(bug.Schema), pg.Seed(`INSERT INTO product VALUES (1, 2), (2, 1)`))
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			err := open(db.Open(s)).Order(ctx, who, 1, 2)
			s.Assert(err == nil || errors.Is(err, none), err)
		})
	}
	db.Final("stock", func(ctx context.Context, db *sql.DB) error {
		var left, sold int
		if err := db.QueryRowContext(ctx, `SELECT (SELECT sum(stock) FROM product), (SELECT count(*) FROM item)`).Scan(&left, &sold); err != nil {
			return err
		}
		return txmc.Assertf(left+sold == 3, "%d in stock and %d sold, of 3", left, sold)
	})
}
