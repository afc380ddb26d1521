// Package bunvotes takes votes with bun. The tables are made by goose's own runner,
// or from its files.
//
// Vote counts the votes of a poll and adds one: two voters count before either has
// voted, and the poll has more votes than it may. VoteLocked locks the poll first and
// counts then, which is enough at read committed only.
//
// Levels:
//
//	ExploreVote: breaks at rc, ra, cc, pc, si; holds at ser
//	ExploreVoteTwice: holds at all
package bunvotes

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

//go:embed migrations
var migrations embed.FS

// Migrate makes the tables.
func Migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, files)
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// Poll is what people vote on.
type Poll struct {
	bun.BaseModel `bun:"table:polls"`

	ID    int64 `bun:",pk"`
	Title string
	Most  int64
	Votes []*Vote `bun:"rel:has-many,join:id=poll_id"`
}

// Vote is somebody's.
type Vote struct {
	bun.BaseModel `bun:"table:votes"`

	ID     int64 `bun:",pk,autoincrement"`
	PollID int64
	Who    string
}

var errFull = errors.New("the poll has all its votes")

// Cast adds a vote, if the poll may have one more.
func Cast(ctx context.Context, db *bun.DB, poll int64, who string) error {
	return db.RunInTx(ctx, &sql.TxOptions{}, func(ctx context.Context, tx bun.Tx) error {
		p := &Poll{ID: poll}
		if err := tx.NewSelect().Model(p).WherePK().Scan(ctx); err != nil {
			return err
		}
		n, err := tx.NewSelect().Model((*Vote)(nil)).Where("poll_id = ?", poll).Count(ctx)
		if err != nil {
			return err
		}
		if n >= p.Most {
			return errFull
		}
		_, err = tx.NewInsert().Model(&Vote{PollID: poll, Who: who}).On("CONFLICT (poll_id, who) DO NOTHING").Exec(ctx)
		return err
	})
}

func open(db *sql.DB) *bun.DB { return bun.NewDB(db, pgdialect.New()) }

const seed = `INSERT INTO polls VALUES (1, 'lunch', 1), (2, 'dinner', 5)`

// ExploreVote: ann and bob vote where one vote is allowed.
func ExploreVote(p *txmc.Program) {
	voters(p, pg.New(p, pg.SchemaFunc(Migrate), pg.Seed(seed)), 1, "ann", "bob")
}

// ExploreVoteTwice: ann votes twice, in two windows.
func ExploreVoteTwice(p *txmc.Program) {
	voters(p, pg.New(p, pg.SchemaFS(migrations, "migrations/*.sql"), pg.Seed(seed)), 2, "ann", "ann")
}

func voters(p *txmc.Program, db *pg.DB, poll int64, names ...string) {
	ctx := context.Background()
	for i, who := range names {
		p.Session([]string{"first", "second"}[i], func(s *txmc.Session) {
			b := open(db.Open(s))
			err := Cast(ctx, b, poll, who)
			s.Assert(err == nil || errors.Is(err, errFull), err)
			_, err = b.NewInsert().Model(&Vote{PollID: poll}).Exec(ctx)
			e := (*pgconn.PgError)(nil)
			s.Assert(errors.As(err, &e) && e.Code == "23514" && e.ConstraintName == "votes_of_somebody" && e.TableName == "votes", err)
		})
	}
	db.Final("no more votes than allowed", func(ctx context.Context, db *sql.DB) error {
		var polls []Poll
		if err := open(db).NewSelect().Model(&polls).Relation("Votes").Order("id").Scan(ctx); err != nil {
			return err
		}
		for _, p := range polls {
			if int64(len(p.Votes)) > min(p.Most, 1) {
				return txmc.Assertf(false, "%s has %d votes", p.Title, len(p.Votes))
			}
		}
		return nil
	})
}
