// Package sqlusername registers users, in SQL.
//
// Without a constraint, two users who look whether a name is free both take it:
// each inserts a row of its own (write skew by a phantom). With a unique index the
// second one gets a unique violation at every level.
//
// Levels:
//
//	ExploreChecked: breaks at rc, ra, cc, pc, si; holds at ser
//	ExploreUnique: holds at all
package sqlusername

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

const schema = `CREATE TABLE member (id serial PRIMARY KEY, name text NOT NULL);`

const unique = `CREATE UNIQUE INDEX member_name ON member (name);`

var errTaken = errors.New("the name is taken")

// Register makes a user of a name that nobody has.
func Register(ctx context.Context, db *sql.DB, name string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var taken bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM member WHERE name = $1)`, name).Scan(&taken); err != nil {
		return err
	}
	if taken {
		return errTaken
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO member (name) VALUES ($1)`, name)
	var e *pgconn.PgError
	if errors.As(err, &e) && e.Code == "23505" && e.ConstraintName == "member_name" {
		return errTaken
	}
	if err != nil {
		return err
	}
	return tx.Commit()
}

// ExploreChecked: two users want the same name.
func ExploreChecked(p *txmc.Program) { users(p) }

// ExploreUnique: there is a unique index.
func ExploreUnique(p *txmc.Program) { users(p, pg.Schema(unique)) }

func users(p *txmc.Program, more ...pg.Option) {
	db := pg.New(p, append([]pg.Option{pg.Schema(schema)}, more...)...)
	for _, who := range []string{"left", "right"} {
		p.Session(who, func(s *txmc.Session) {
			err := Register(context.Background(), db.Open(s), "zoe")
			s.Assert(err == nil || errors.Is(err, errTaken), err)
		})
	}
	db.Final("one user of a name", func(ctx context.Context, db *sql.DB) error {
		var n int
		if err := db.QueryRowContext(ctx, `SELECT count(*) FROM member WHERE name = 'zoe'`).Scan(&n); err != nil {
			return err
		}
		return txmc.Assertf(n == 1, "%d users have the name", n)
	})
}
