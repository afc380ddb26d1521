// Package languages is about FirstOrCreate of gorm.
//
// Two posts look for a language, find none, and insert it: the second one fails with 23505, and its transaction with it.
//
// Kind: duplicate key
//
// Reported: go-gorm/gorm#5803, go-gorm/gorm#6253
//
// Fix: INSERT ... ON CONFLICT DO NOTHING comes first, and then the SELECT
package languages

import (
	"context"
	"database/sql"

	"github.com/txmc/txmc"
	bug "github.com/txmc/txmc/integration/bugs/languages/bug"
	fix "github.com/txmc/txmc/integration/bugs/languages/fix"
	"github.com/txmc/txmc/pg"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

func ExploreBug(p *txmc.Program) {
	posts(p, func(g *gorm.DB) error { return bug.New(g).Use(context.Background(), "de") })
}
func ExploreFix(p *txmc.Program) {
	posts(p, func(g *gorm.DB) error { return fix.New(g).Use(context.Background(), "de") })
}

func posts(p *txmc.Program, use func(*gorm.DB) error) {
	db := pg.New(p, pg.Schema(bug.Schema))
	p.Sessions(2, "post", func(s *txmc.Session, i int) {
		g, err := gorm.Open(postgres.New(postgres.Config{Conn: db.Open(s)}), &gorm.Config{Logger: logger.Discard}) // which would print this machine's paths
		if s.Assert(err == nil, err); err != nil {
			return
		}
		err = use(g)
		s.Assert(err == nil, err)
	})
	db.Final("two uses", func(ctx context.Context, db *sql.DB) error {
		var n int
		if err := db.QueryRowContext(ctx, `SELECT sum(uses) FROM languages`).Scan(&n); err != nil {
			return err
		}
		return txmc.Assertf(n == 2, "%d uses", n)
	})
}
