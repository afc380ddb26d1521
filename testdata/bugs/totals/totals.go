// Package totals is about a function in PL/pgSQL with two queries.
//
// At READ COMMITTED each query of a function has a snapshot of its own: a transfer that commits between them is seen by
// half.
//
// Kind: non-repeatable read
//
// Fix: one query has one snapshot
package totals

import (
	"context"
	"database/sql"
	"errors"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
	bug "github.com/txmc/txmc/testdata/bugs/totals/bug"
	fix "github.com/txmc/txmc/testdata/bugs/totals/fix"
)

func ExploreBug(p *txmc.Program) { report(p, bug.Schema) }
func ExploreFix(p *txmc.Program) { report(p, fix.Schema) }

// report: the total is taken while money is transferred.
func report(p *txmc.Program, schema string) {
	ctx := context.Background()
	db := pg.New(p, pg.Schema(schema), pg.Seed(`INSERT INTO acct VALUES (1, 50), (2, 50)`))
	p.Session("report", func(s *txmc.Session) {
		var n int
		err := db.Open(s).QueryRowContext(ctx, `SELECT total()`).Scan(&n)
		s.Assert(err == nil, err)
		s.Assertf(n == 100, "the total is %d", n)
	})
	p.Session("transfer", func(s *txmc.Session) {
		err := transfer(ctx, db.Open(s))
		s.Assert(err == nil, err)
	})
}

func transfer(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	_, from := tx.ExecContext(ctx, `UPDATE acct SET balance = balance - 10 WHERE id = 1`)
	_, to := tx.ExecContext(ctx, `UPDATE acct SET balance = balance + 10 WHERE id = 2`)
	return errors.Join(from, to, tx.Commit())
}
