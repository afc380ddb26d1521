// Package sqlpayment takes payments with idempotency keys, in SQL: a client that
// gets no answer asks again with the same key, perhaps of another server.
//
// Pay looks for the key, charges, and notes the key without a constraint that it is
// new: two requests at the same time both charge. PayOnce notes the key first, with
// ON CONFLICT DO NOTHING, and charges when the row was not there.
//
// Levels:
//
//	ExplorePay: breaks at rc, ra, cc, pc, si; holds at ser
//	ExplorePayOnce: holds at all
package sqlpayment

import (
	"context"
	"database/sql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

const schema = `
CREATE TABLE request (key text NOT NULL);
CREATE TABLE request_once (key text PRIMARY KEY);
CREATE TABLE charge (id serial PRIMARY KEY, card text NOT NULL, cents int NOT NULL);`

// Pay charges a card unless the request is known.
func Pay(ctx context.Context, tx *sql.Tx, key, card string, cents int) error {
	var known bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM request WHERE key = $1)`, key).Scan(&known); err != nil || known {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO request VALUES ($1)`, key); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO charge (card, cents) VALUES ($1, $2)`, card, cents)
	return err
}

// PayOnce charges a card when the request is the first one.
func PayOnce(ctx context.Context, tx *sql.Tx, key, card string, cents int) error {
	res, err := tx.ExecContext(ctx, `INSERT INTO request_once VALUES ($1) ON CONFLICT DO NOTHING`, key)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO charge (card, cents) VALUES ($1, $2)`, card, cents)
	return err
}

// ExplorePay: a request and its repetition.
func ExplorePay(p *txmc.Program) { requests(p, Pay) }

// ExplorePayOnce: a request and its repetition.
func ExplorePayOnce(p *txmc.Program) { requests(p, PayOnce) }

func requests(p *txmc.Program, pay func(context.Context, *sql.Tx, string, string, int) error) {
	db := pg.New(p, pg.Schema(schema))
	for _, server := range []string{"first", "repeated"} {
		p.Session(server, func(s *txmc.Session) {
			err := handle(context.Background(), db.Open(s), pay)
			s.Assert(err == nil, err)
		})
	}
	db.Final("charged once", func(ctx context.Context, db *sql.DB) error {
		var cents int
		if err := db.QueryRowContext(ctx, `SELECT coalesce(sum(cents), 0) FROM charge`).Scan(&cents); err != nil {
			return err
		}
		return txmc.Assertf(cents == 500, "charged %d cents", cents)
	})
}

// handle handles a request.
func handle(ctx context.Context, db *sql.DB, pay func(context.Context, *sql.Tx, string, string, int) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := pay(ctx, tx, "order-7", "4242", 500); err != nil {
		return err
	}
	return tx.Commit()
}
