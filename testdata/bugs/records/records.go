// Package records is about a record and its tombstone, which exclude each other.
//
// CREATE deletes the tombstone and inserts the record, DELETE does the opposite. A CREATE does not see the tombstone of a
// DELETE that commits in the meantime, but may insert because the record is gone: both are there.
//
// Kind: write skew
//
// Reported: Kinto/kinto#1396
//
// Fix: one advisory lock for all who change a record
package records

import (
	"context"
	"database/sql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
	bug "github.com/txmc/txmc/testdata/bugs/records/bug"
	fix "github.com/txmc/txmc/testdata/bugs/records/fix"
)

type store interface {
	Create(context.Context, string, string) error
	Delete(context.Context, string) error
}

func ExploreBug(p *txmc.Program) { clients(p, func(db *sql.DB) store { return bug.New(db) }) }
func ExploreFix(p *txmc.Program) { clients(p, func(db *sql.DB) store { return fix.New(db) }) }

func clients(p *txmc.Program, open func(*sql.DB) store) {
	ctx := context.Background()
	db := pg.New(p, pg.Schema(bug.Schema), pg.Seed(`INSERT INTO deleted VALUES ('default')`))
	p.Session("c1", func(s *txmc.Session) {
		st := open(db.Open(s))
		err := st.Create(ctx, "default", "{}")
		s.Assert(err == nil, err)
		err = st.Delete(ctx, "default")
		s.Assert(err == nil, err)
	})
	p.Session("c2", func(s *txmc.Session) {
		err := open(db.Open(s)).Create(ctx, "default", "{}")
		s.Assert(err == nil, err)
	})
	db.Final("never both", func(ctx context.Context, db *sql.DB) error {
		var n int
		if err := db.QueryRowContext(ctx, `SELECT count(*) FROM record JOIN deleted USING (id)`).Scan(&n); err != nil {
			return err
		}
		return txmc.Assertf(n == 0, "a record is there and deleted")
	})
}
