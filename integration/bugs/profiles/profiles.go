// Package profiles is about Save of gorm, which writes all columns.
//
// Two requests read a user. One changes the email and the other one the phone; each writes back what the other one has
// changed.
//
// Kind: lost update
//
// Reported: go-gorm/gorm#969, MemberJunction/MJ#4339
//
// Fix: each writes the column that it changes
package profiles

import (
	"context"
	"database/sql"

	"github.com/txmc/txmc"
	bug "github.com/txmc/txmc/integration/bugs/profiles/bug"
	fix "github.com/txmc/txmc/integration/bugs/profiles/fix"
	"github.com/txmc/txmc/pg"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

type repo interface {
	SetEmail(context.Context, int64, string) error
	SetPhone(context.Context, int64, string) error
}

func ExploreBug(p *txmc.Program) { users(p, func(g *gorm.DB) repo { return bug.New(g) }) }
func ExploreFix(p *txmc.Program) { users(p, func(g *gorm.DB) repo { return fix.New(g) }) }

func users(p *txmc.Program, open func(*gorm.DB) repo) {
	ctx := context.Background()
	db := pg.New(p, pg.Schema(bug.Schema), pg.Seed(`INSERT INTO users VALUES (1, 'old', 'old')`))
	connect := func(s *txmc.Session) repo {
		g, err := gorm.Open(postgres.New(postgres.Config{Conn: db.Open(s)}), &gorm.Config{Logger: logger.Discard}) // which would print this machine's paths
		s.Assert(err == nil, err)
		return open(g)
	}
	p.Session("web", func(s *txmc.Session) {
		err := connect(s).SetEmail(ctx, 1, "new")
		s.Assert(err == nil, err)
	})
	p.Session("phone", func(s *txmc.Session) {
		err := connect(s).SetPhone(ctx, 1, "new")
		s.Assert(err == nil, err)
	})
	db.Final("both changes", func(ctx context.Context, db *sql.DB) error {
		var e, f string
		if err := db.QueryRowContext(ctx, `SELECT email, phone FROM users`).Scan(&e, &f); err != nil {
			return err
		}
		return txmc.Assertf(e == "new" && f == "new", "email %s, phone %s", e, f)
	})
}
