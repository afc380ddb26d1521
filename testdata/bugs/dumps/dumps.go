// Package dumps is about a queue with SKIP LOCKED, whose state is in another table.
//
// A worker takes its snapshot, in which nothing is done. Another one commits its result and unlocks the row. The first
// locks that row, which has not changed, so that nothing is looked at again: the dump is processed twice.
//
// Kind: queue claimed twice
//
// Reported: noblesamurai/node-pg-jobs#11, bensheldon/good_job#1113
//
// Fix: what is done is a column of the row that is locked
package dumps

import (
	"context"
	"database/sql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
	bug "github.com/txmc/txmc/testdata/bugs/dumps/bug"
	fix "github.com/txmc/txmc/testdata/bugs/dumps/fix"
)

func ExploreBug(p *txmc.Program) {
	workers(p, bug.Schema, func(db *sql.DB) (int64, error) { return bug.New(db).Process(context.Background()) })
}
func ExploreFix(p *txmc.Program) {
	workers(p, fix.Schema, func(db *sql.DB) (int64, error) { return fix.New(db).Process(context.Background()) })
}

func workers(p *txmc.Program, schema string, work func(*sql.DB) (int64, error)) {
	db := pg.New(p, pg.Schema(schema), pg.Seed(`INSERT INTO dump (id) VALUES (1)`))
	p.Sessions(2, "worker", func(s *txmc.Session, i int) {
		_, err := work(db.Open(s))
		s.Assert(err == nil, err)
	})
	db.Final("one result for each dump", func(ctx context.Context, db *sql.DB) error {
		var n int
		if err := db.QueryRowContext(ctx, `SELECT count(*) FROM result`).Scan(&n); err != nil {
			return err
		}
		return txmc.Assertf(n <= 1, "%d results", n)
	})
}
