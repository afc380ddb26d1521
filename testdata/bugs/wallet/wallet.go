// Package wallet is about a balance that is read, computed in the application, and written back.
//
// Two purchases at the same time both see 100 and both pay 70 of it: the last write wins, and the shop has given away
// more than the wallet held.
//
// Kind: lost update
//
// Reported: buggyblues/shadow#157, kenlasko/monize#99
//
// Fix: the UPDATE subtracts, and has the condition: it waits for the other one, and then looks again
package wallet

import (
	"context"
	"database/sql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
	bug "github.com/txmc/txmc/testdata/bugs/wallet/bug"
	fix "github.com/txmc/txmc/testdata/bugs/wallet/fix"
)

type store interface {
	Buy(context.Context, int64, int64) error
	TopUp(context.Context, int64, int64) error
}

func ExploreBug(p *txmc.Program) {
	shop(p, bug.ErrFunds, func(db *sql.DB) store { return bug.New(db) })
}
func ExploreFix(p *txmc.Program) {
	shop(p, fix.ErrFunds, func(db *sql.DB) store { return fix.New(db) })
}

func shop(p *txmc.Program, poor error, open func(*sql.DB) store) {
	ctx := context.Background()
	db := pg.New(p, pg.Schema(bug.Schema), pg.Seed(`INSERT INTO wallet VALUES (1, 100)`))
	for _, who := range []string{"tab1", "tab2"} {
		p.Session(who, func(s *txmc.Session) {
			err := open(db.Open(s)).Buy(ctx, 1, 70)
			s.Assert(err == nil || err == poor, err)
		})
	}
	p.Session("card", func(s *txmc.Session) {
		err := open(db.Open(s)).TopUp(ctx, 1, 10)
		s.Assert(err == nil, err)
	})
	db.Final("money", func(ctx context.Context, db *sql.DB) error {
		var balance, spent int64
		if err := db.QueryRowContext(ctx, `SELECT balance, (SELECT coalesce(sum(price), 0) FROM purchase) FROM wallet`).Scan(&balance, &spent); err != nil {
			return err
		}
		return txmc.Assertf(balance+spent == 110 && balance >= 0, "balance %d, spent %d", balance, spent)
	})
}
