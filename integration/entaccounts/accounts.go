// Package entaccounts moves money with ent: its schema, its generated code, its
// transactions, and its errors.
//
// Transfer reads a balance and sets what it computes. TransferAdded lets the
// statement add.
//
// Levels:
//
//	ExploreTransfer: breaks at rc; holds at ra, cc, pc, si, ser
//	ExploreTransferAdded: holds at all
//	ExploreOpen: holds at all
package entaccounts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/integration/entaccounts/ent"
	"github.com/txmc/txmc/integration/entaccounts/ent/account"
	"github.com/txmc/txmc/pg"
)

func open(db *sql.DB) *ent.Client {
	return ent.NewClient(ent.Driver(entsql.OpenDB(dialect.Postgres, db)))
}

// Migrate makes the tables.
func Migrate(ctx context.Context, db *sql.DB) error { return open(db).Schema.Create(ctx) }

// Fill makes the first accounts.
func Fill(ctx context.Context, db *sql.DB) error {
	c := open(db)
	return c.Account.CreateBulk(c.Account.Create().SetOwner("ann").SetBalance(100), c.Account.Create().SetOwner("bob")).Exec(ctx)
}

// inTx is as ent's documentation has it.
func inTx(ctx context.Context, c *ent.Client, do func(*ent.Tx) error) error {
	tx, err := c.Tx(ctx)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Transfer moves an amount.
func Transfer(ctx context.Context, c *ent.Client, from, to string, amount int) error {
	return inTx(ctx, c, func(tx *ent.Tx) error {
		for owner, change := range map[string]int{from: -amount, to: amount} {
			a, err := tx.Account.Query().Where(account.Owner(owner)).Only(ctx)
			if err != nil {
				return err
			}
			if err := a.Update().SetBalance(a.Balance + change).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// TransferAdded moves an amount by statements that add.
func TransferAdded(ctx context.Context, c *ent.Client, from, to string, amount int) error {
	return inTx(ctx, c, func(tx *ent.Tx) error {
		for owner, change := range map[string]int{from: -amount, to: amount} {
			n, err := tx.Account.Update().Where(account.Owner(owner)).AddBalance(change).Save(ctx)
			if err != nil {
				return err
			}
			if n != 1 {
				return fmt.Errorf("no account of %s", owner)
			}
		}
		return nil
	})
}

func declare(p *txmc.Program) *pg.DB {
	return pg.New(p, pg.SchemaFunc(Migrate), pg.SeedFunc(Fill))
}

// ExploreTransfer: two tellers.
func ExploreTransfer(p *txmc.Program) { tellers(p, Transfer) }

// ExploreTransferAdded: their statements add.
func ExploreTransferAdded(p *txmc.Program) { tellers(p, TransferAdded) }

func tellers(p *txmc.Program, transfer func(ctx context.Context, c *ent.Client, from, to string, amount int) error) {
	db := declare(p)
	for i, amount := range []int{70, 20} {
		p.Session(fmt.Sprint("teller", i+1), func(s *txmc.Session) {
			err := transfer(context.Background(), open(db.Open(s)), "ann", "bob", amount)
			s.Assert(err == nil, err)
		})
	}
	db.Final("balances", func(ctx context.Context, db *sql.DB) error {
		all, err := open(db).Account.Query().Order(account.ByOwner()).All(ctx)
		if err != nil {
			return err
		}
		return txmc.Assertf(all[0].Balance == 10 && all[1].Balance == 90, "%v", all)
	})
}

// ExploreOpen: two sessions open an account for the same owner.
func ExploreOpen(p *txmc.Program) {
	db := declare(p)
	for _, who := range []string{"s1", "s2"} {
		p.Session(who, func(s *txmc.Session) {
			ctx, c := context.Background(), open(db.Open(s))
			err := c.Account.Create().SetOwner("cid").Exec(ctx)
			if e := (*pgconn.PgError)(nil); err != nil {
				s.Assert(ent.IsConstraintError(err) && errors.As(err, &e) && e.Code == "23505" && e.ConstraintName == "accounts_owner_key" && e.TableName == "accounts", err)
			}
			_, err = c.Account.Get(ctx, 77)
			s.Assert(ent.IsNotFound(err), err)
		})
	}
	db.Final("one account", func(ctx context.Context, db *sql.DB) error {
		n, err := open(db).Account.Query().Where(account.Owner("cid")).Count(ctx)
		if err != nil {
			return err
		}
		return txmc.Assertf(n == 1, "%d accounts", n)
	})
}
