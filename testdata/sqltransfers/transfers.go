// Package sqltransfers moves money between accounts, with queries that sqlc writes.
//
// Transfer reads both balances and sets what it has computed: a lost update, which
// read committed allows. From read atomic on, what a transaction reads and what
// its update finds have to be of one state of the database, so that one of two
// transfers waits and starts again. Add lets the statements compute.
//
// Levels:
//
//	ExploreTransfer: breaks at rc; holds at ra, cc, pc, si, ser
//	ExploreAdd: holds at all
package sqltransfers

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

//go:embed schema.sql
var schema string

// Bank is the application.
type Bank struct {
	db *sql.DB
	q  *Queries
}

// NewBank returns the bank on a database.
func NewBank(db *sql.DB) *Bank { return &Bank{db, New(db)} }

// Transfer moves an amount.
func (b *Bank) Transfer(ctx context.Context, from, to, amount int64) error {
	return b.inTx(ctx, func(q *Queries) error {
		payer, err := q.GetAccount(ctx, from)
		if err != nil {
			return err
		}
		payee, err := q.GetAccount(ctx, to)
		if err != nil {
			return err
		}
		if err := q.SetBalance(ctx, SetBalanceParams{ID: from, Balance: payer.Balance - amount}); err != nil {
			return err
		}
		return q.SetBalance(ctx, SetBalanceParams{ID: to, Balance: payee.Balance + amount})
	})
}

// Add moves an amount by statements that add.
func (b *Bank) Add(ctx context.Context, from, to, amount int64) error {
	return b.inTx(ctx, func(q *Queries) error {
		if err := q.AddBalance(ctx, AddBalanceParams{ID: from, Amount: -amount}); err != nil {
			return err
		}
		return q.AddBalance(ctx, AddBalanceParams{ID: to, Amount: amount})
	})
}

func (b *Bank) inTx(ctx context.Context, do func(*Queries) error) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(b.q.WithTx(tx)); err != nil {
		return err
	}
	return tx.Commit()
}

// ExploreTransfer: two tellers move money between the same two accounts.
func ExploreTransfer(p *txmc.Program) { tellers(p, (*Bank).Transfer) }

// ExploreAdd: the statements add.
func ExploreAdd(p *txmc.Program) { tellers(p, (*Bank).Add) }

func tellers(p *txmc.Program, transfer func(b *Bank, ctx context.Context, from, to, amount int64) error) {
	db := pg.New(p, pg.Schema(schema), pg.Seed(`INSERT INTO account VALUES (1, 'ann', 100), (2, 'bob', 0)`))
	for _, amount := range []int64{70, 20} {
		p.Session(fmt.Sprint("teller of ", amount), func(s *txmc.Session) {
			err := transfer(NewBank(db.Open(s)), context.Background(), 1, 2, amount)
			s.Assert(err == nil, err)
		})
	}
	db.Final("money is conserved", func(ctx context.Context, db *sql.DB) error {
		var sum, paid int64
		if err := db.QueryRowContext(ctx, "SELECT sum(balance), min(balance) FROM account").Scan(&sum, &paid); err != nil {
			return err
		}
		return txmc.Assertf(sum == 100 && paid == 10, "%d in all, the payer has %d", sum, paid)
	})
}
