// Package billing is about an advisory lock of a session, taken on a pool.
//
// The lock is taken on whatever connection the pool gives, and released on another one, which does not hold it: it stays
// locked as long as its connection lives, and nobody else gets it.
//
// Kind: advisory lock on a pool
//
// Reported: raystack/frontier#1918, lyft/clutch#2441, remind101/migrate#6
//
// Fix: the connection that unlocks is the one that locks
package billing

import (
	"context"
	"database/sql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
	bug "github.com/txmc/txmc/testdata/bugs/billing/bug"
	fix "github.com/txmc/txmc/testdata/bugs/billing/fix"
)

func ExploreBug(p *txmc.Program) {
	workers(p, bug.ErrBusy, func(db *sql.DB) error { return bug.New(db).Bill(context.Background(), "may") })
}
func ExploreFix(p *txmc.Program) {
	workers(p, fix.ErrBusy, func(db *sql.DB) error { return fix.New(db).Bill(context.Background(), "may") })
}

// workers: two processes bill the same month.
func workers(p *txmc.Program, busy error, bill func(*sql.DB) error) {
	db := pg.New(p, pg.Schema(bug.Schema))
	for _, who := range []string{"w1", "w2"} {
		p.Session(who, func(s *txmc.Session) {
			err := bill(db.Open(s))
			s.Assert(err == nil || err == busy, err)
		})
	}
	db.Final("billed once", func(ctx context.Context, db *sql.DB) error {
		var n int
		if err := db.QueryRowContext(ctx, `SELECT count(*) FROM bill`).Scan(&n); err != nil {
			return err
		}
		return txmc.Assertf(n == 1, "billed %d times", n)
	})
}
