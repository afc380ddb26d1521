// Package quota is about a quota whose lock is given back before the write.
//
// The check locks the owner in a transaction of its own. Its commit releases the lock, and a second upload is checked
// before the first one has inserted anything.
//
// Kind: lock released too early
//
// Reported: MystenLabs/MemWal#532, openziti/zrok#287
//
// Fix: the check and the INSERT are one transaction, which keeps the lock to its end
package quota

import (
	"context"
	"database/sql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
	bug "github.com/txmc/txmc/testdata/bugs/quota/bug"
	fix "github.com/txmc/txmc/testdata/bugs/quota/fix"
)

func ExploreBug(p *txmc.Program) {
	upload(p, bug.ErrQuota, func(db *sql.DB) error { return bug.New(db).Put(context.Background(), 1, 40) })
}
func ExploreFix(p *txmc.Program) {
	upload(p, fix.ErrQuota, func(db *sql.DB) error { return fix.New(db).Put(context.Background(), 1, 40) })
}

func upload(p *txmc.Program, full error, put func(*sql.DB) error) {
	db := pg.New(p, pg.Schema(bug.Schema), pg.Seed(`INSERT INTO blob (owner, size) VALUES (1, 50)`))
	p.Sessions(2, "req", func(s *txmc.Session, i int) {
		err := put(db.Open(s))
		s.Assert(err == nil || err == full, err)
	})
	db.Final("quota", func(ctx context.Context, db *sql.DB) error {
		var used int64
		if err := db.QueryRowContext(ctx, `SELECT sum(size) FROM blob WHERE owner = 1`).Scan(&used); err != nil {
			return err
		}
		return txmc.Assertf(used <= 100, "%d of 100 used", used)
	})
}
