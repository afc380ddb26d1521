// Package sqlxnames registers members with sqlx. The tables are made by
// golang-migrate's own runner.
//
// Join looks whether a name is free and then takes it: before the last migration,
// which makes names unique, two members get the same name. With it one of them gets
// PostgreSQL's error.
//
// Levels:
//
//	ExploreJoin: breaks at rc, ra, cc, pc, si; holds at ser
//	ExploreJoinUnique: holds at all
package sqlxnames

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"

	"github.com/golang-migrate/migrate/v4"
	migratepgx "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jmoiron/sqlx"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

//go:embed migrations
var migrations embed.FS

// Migrate brings the tables to a version.
func Migrate(db *sql.DB, version uint) error {
	files, err := iofs.New(migrations, "migrations")
	if err != nil {
		return err
	}
	driver, err := migratepgx.WithInstance(db, &migratepgx.Config{})
	if err != nil {
		return err
	}
	m, err := migrate.NewWithInstance("iofs", files, "postgres", driver)
	if err != nil {
		return err
	}
	return m.Migrate(version)
}

// Member is who has joined.
type Member struct {
	ID    int64  `db:"id"`
	Name  string `db:"name"`
	Email string `db:"email"`
}

var errTaken = errors.New("the name is taken")

// Members are kept in a database.
type Members struct{ db *sqlx.DB }

// Join makes a member with a name that nobody has.
func (m *Members) Join(ctx context.Context, name, email string) (*Member, error) {
	tx, err := m.db.BeginTxx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	query, args, err := sqlx.In("SELECT * FROM member WHERE name IN (?) ORDER BY id", []string{name, name + "1"})
	if err != nil {
		return nil, err
	}
	var others []Member
	if err := tx.SelectContext(ctx, &others, tx.Rebind(query), args...); err != nil {
		return nil, err
	}
	for _, o := range others {
		if o.Name == name {
			return nil, errTaken
		}
	}
	insert, err := tx.PrepareNamedContext(ctx, "INSERT INTO member (name, email) VALUES (:name, :email) RETURNING id, name, email")
	if err != nil {
		return nil, err
	}
	defer insert.Close()
	var joined Member
	if err := insert.GetContext(ctx, &joined, &Member{Name: name, Email: email}); err != nil {
		if e := (*pgconn.PgError)(nil); errors.As(err, &e) && e.Code == "23505" && e.ConstraintName == "member_name_unique" && e.TableName == "member" {
			return nil, errTaken
		}
		return nil, err
	}
	return &joined, tx.Commit()
}

// ExploreJoin: two people want the same name, which is free.
func ExploreJoin(p *txmc.Program) { joins(p, 2) }

// ExploreJoinUnique: names are unique.
func ExploreJoinUnique(p *txmc.Program) { joins(p, 3) }

func joins(p *txmc.Program, version uint) {
	db := pg.New(p, pg.SchemaFunc(func(_ context.Context, db *sql.DB) error { return Migrate(db, version) }))
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			members := &Members{sqlx.NewDb(db.Open(s), "pgx")}
			joined, err := members.Join(context.Background(), "kim", who+"@example.org")
			if err == nil {
				s.Observe("joined", joined.Name)
			}
			s.Assert(err == nil || errors.Is(err, errTaken), err)
		})
	}
	db.Final("names are given once", func(ctx context.Context, db *sql.DB) error {
		var names []string
		if err := sqlx.NewDb(db, "pgx").SelectContext(ctx, &names, "SELECT name FROM member GROUP BY name HAVING count(*) > 1"); err != nil {
			return err
		}
		return txmc.Assertf(len(names) == 0, "%s", fmt.Sprint(names))
	})
}
