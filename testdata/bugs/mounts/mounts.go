// Package mounts is about INSERT ... SELECT ... WHERE NOT EXISTS without a unique index.
//
// Neither statement sees the row that the other one has not committed: both insert.
//
// Kind: duplicate row
//
// Reported: nextcloud/server#54041, greenbone/gvmd#471
//
// Fix: a unique constraint, and ON CONFLICT DO NOTHING
package mounts

import (
	"context"
	"database/sql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
	bug "github.com/txmc/txmc/testdata/bugs/mounts/bug"
	fix "github.com/txmc/txmc/testdata/bugs/mounts/fix"
)

func ExploreBug(p *txmc.Program) {
	procs(p, bug.Schema, func(db *sql.DB) (bool, error) { return bug.New(db).Add(context.Background(), "u", "/x") })
}
func ExploreFix(p *txmc.Program) {
	procs(p, fix.Schema, func(db *sql.DB) (bool, error) { return fix.New(db).Add(context.Background(), "u", "/x") })
}

func procs(p *txmc.Program, schema string, add func(*sql.DB) (bool, error)) {
	db := pg.New(p, pg.Schema(schema))
	p.Sessions(3, "proc", func(s *txmc.Session, i int) {
		_, err := add(db.Open(s))
		s.Assert(err == nil, err)
	})
	db.Final("one mount", func(ctx context.Context, db *sql.DB) error {
		var n int
		if err := db.QueryRowContext(ctx, `SELECT count(*) FROM mount`).Scan(&n); err != nil {
			return err
		}
		return txmc.Assertf(n == 1, "%d mounts", n)
	})
}
