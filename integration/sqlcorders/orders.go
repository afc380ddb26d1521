// Package sqlcorders sells articles by queries that sqlc has generated, for database/sql
// (with prepared queries) and for pgx: see sqlc.yaml.
//
// Levels:
//
//	ExploreOrder:       breaks up to rc (lost update)
//	ExploreOrderLocked: holds from rc on
//	ExplorePay:         holds from rc on
package sqlcorders

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/integration/sqlcorders/db"
	"github.com/txmc/txmc/integration/sqlcorders/pgxdb"
	"github.com/txmc/txmc/pg"
)

//go:embed schema.sql
var schema string

var errSoldOut = errors.New("sold out")

// Order buys pieces of an article, in a transaction.
func Order(ctx context.Context, conn *sql.DB, buyer string, pieces int32) error {
	queries, err := db.Prepare(ctx, conn)
	if err != nil {
		return err
	}
	defer queries.Close()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	q := queries.WithTx(tx)
	article, err := q.GetArticle(ctx, "lamp")
	if err != nil {
		return err
	}
	if article.Stock < pieces {
		return errSoldOut
	}
	if err := q.SetStock(ctx, db.SetStockParams{ID: article.ID, Stock: article.Stock - pieces}); err != nil {
		return err
	}
	if _, err := q.CreateOrder(ctx, db.CreateOrderParams{Buyer: buyer, Article: article.ID, Pieces: pieces}); err != nil {
		return err
	}
	return tx.Commit()
}

// OrderLocked does so on a pgxpool, and locks the article.
func OrderLocked(ctx context.Context, pool *pgxpool.Pool, buyer string, pieces int32) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		q := pgxdb.New(pool).WithTx(tx)
		article, err := q.LockArticle(ctx, "lamp")
		if err != nil {
			return err
		}
		if article.Stock < pieces {
			return errSoldOut
		}
		if err := q.SetStock(ctx, pgxdb.SetStockParams{ID: article.ID, Stock: article.Stock - pieces}); err != nil {
			return err
		}
		_, err = q.CreateOrder(ctx, pgxdb.CreateOrderParams{Buyer: buyer, Article: article.ID, Pieces: pieces})
		return err
	})
}

// Pay pays orders in a batch.
func Pay(ctx context.Context, pool *pgxpool.Pool, orders ...int64) error {
	var errs []error
	pgxdb.New(pool).Pay(ctx, orders).Exec(func(_ int, err error) { errs = append(errs, err) })
	return errors.Join(errs...)
}

// buyers are two who want two lamps each, of three.
var buyers = []string{"ann", "bob"}

// ExploreOrder: the stock is read and then set.
func ExploreOrder(p *txmc.Program) {
	store := pg.New(p, pg.Schema(schema))
	for _, who := range buyers {
		p.Session(who, func(s *txmc.Session) {
			err := Order(context.Background(), store.Open(s), who, 2)
			s.Assert(err == nil || errors.Is(err, errSoldOut), err)
		})
	}
	store.Final("stock", sold)
}

// ExploreOrderLocked: the article is locked first.
func ExploreOrderLocked(p *txmc.Program) {
	store := pg.New(p, pg.Schema(schema))
	for _, who := range buyers {
		p.Session(who, func(s *txmc.Session) {
			withPool(s, store, func(ctx context.Context, pool *pgxpool.Pool) error {
				if err := OrderLocked(ctx, pool, who, 2); !errors.Is(err, errSoldOut) {
					return err
				}
				return nil
			})
		})
	}
	store.Final("stock", sold)
}

// ExplorePay: both pay the same orders, beside new articles.
func ExplorePay(p *txmc.Program) {
	store := pg.New(p, pg.Schema(schema), pg.Seed("INSERT INTO orders (buyer, article, pieces) VALUES ('ann', 1, 1), ('bob', 1, 1)"))
	for i, who := range buyers {
		p.Session(who, func(s *txmc.Session) {
			withPool(s, store, func(ctx context.Context, pool *pgxpool.Pool) error {
				n, err := pgxdb.New(pool).AddArticles(ctx, []pgxdb.AddArticlesParams{{Name: fmt.Sprint("table ", i), Stock: 1}, {Name: fmt.Sprint("chair ", i), Stock: 4}})
				if err != nil || n != 2 {
					return fmt.Errorf("%d articles: %w", n, err)
				}
				return Pay(ctx, pool, 1, 2)
			})
		})
	}
	store.Final("paid", func(ctx context.Context, conn *sql.DB) error {
		orders, err := db.New(conn).ListOrders(ctx)
		for _, o := range orders {
			err = errors.Join(err, txmc.Assertf(o.Status == db.StatusPaid, "order %d is %s", o.ID, o.Status))
		}
		return err
	})
}

// withPool calls f with a pool of the session's.
func withPool(s *txmc.Session, store *pg.DB, f func(context.Context, *pgxpool.Pool) error) {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, store.DSN(s))
	s.Assert(err == nil, err)
	defer pool.Close()
	err = f(ctx, pool)
	s.Assert(err == nil, err)
}

// sold asserts that no more is sold than there was.
func sold(ctx context.Context, conn *sql.DB) error {
	q := db.New(conn)
	article, err := q.GetArticle(ctx, "lamp")
	if err != nil {
		return err
	}
	orders, err := q.ListOrders(ctx)
	pieces := article.Stock
	for _, o := range orders {
		pieces += o.Pieces
	}
	return errors.Join(err, txmc.Assertf(pieces == 3, "%d lamps, sold and in stock", pieces))
}
