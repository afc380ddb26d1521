// Package sqlpool counts votes by batches on a pgxpool.
//
// A batch outside a transaction is one transaction by itself: its statements count
// the votes and note the result. Two batches at the same time may both miss the
// other one's vote, up to snapshot isolation (write skew): then no tally has both.
//
// Levels:
//
//	ExploreVotes: breaks at rc, ra, cc, pc, si; holds at ser
package sqlpool

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

const schema = `
CREATE TABLE vote (voter text PRIMARY KEY);
CREATE TABLE tally (voter text PRIMARY KEY, votes int NOT NULL);`

// Vote votes, and notes how many votes there are then.
func Vote(ctx context.Context, pool *pgxpool.Pool, voter string) error {
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO vote VALUES ($1)`, voter)
	b.Queue(`INSERT INTO tally SELECT $1, count(*) FROM vote`, voter)
	return pool.SendBatch(ctx, b).Close()
}

// ExploreVotes: two people vote.
func ExploreVotes(p *txmc.Program) {
	ctx := context.Background()
	db := pg.New(p, pg.Schema(schema))
	for _, voter := range []string{"ann", "bob"} {
		p.Session(voter, func(s *txmc.Session) {
			pool, err := pgxpool.New(ctx, db.DSN(s))
			if err != nil {
				s.Assert(false, err)
				return
			}
			defer pool.Close()
			err = Vote(ctx, pool, voter)
			s.Assert(err == nil, err)
		})
	}
	db.Final("all votes are counted", func(ctx context.Context, db *sql.DB) error {
		var most int
		if err := db.QueryRowContext(ctx, `SELECT max(votes) FROM tally`).Scan(&most); err != nil {
			return err
		}
		return txmc.Assertf(most == 2, "at most %d votes were counted", most)
	})
}
