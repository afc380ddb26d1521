// Package sqlqueue hands jobs to workers, in SQL.
//
// Take looks for a job that nobody has and marks it: at read committed two workers
// take the same job. TakeLocked locks the job and passes over the jobs that others
// have locked, FOR UPDATE SKIP LOCKED.
//
// Levels:
//
//	ExploreTake: breaks at rc; holds at ra, cc, pc, si, ser
//	ExploreTakeLocked: holds at all
package sqlqueue

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

const schema = `CREATE TABLE job (id int PRIMARY KEY, worker text);`

const seed = `INSERT INTO job VALUES (1, NULL);`

// Take takes a job.
func Take(ctx context.Context, tx pgx.Tx, worker string) (id int, err error) {
	if err := tx.QueryRow(ctx, `SELECT id FROM job WHERE worker IS NULL ORDER BY id LIMIT 1`).Scan(&id); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, `UPDATE job SET worker = $2 WHERE id = $1`, id, worker)
	return id, err
}

// TakeLocked takes a job that no other worker is about to take.
func TakeLocked(ctx context.Context, tx pgx.Tx, worker string) (id int, err error) {
	err = tx.QueryRow(ctx, `UPDATE job SET worker = $1 WHERE id = (
		SELECT id FROM job WHERE worker IS NULL ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
	) RETURNING id`, worker).Scan(&id)
	return id, err
}

// ExploreTake: two workers, one job.
func ExploreTake(p *txmc.Program) { workers(p, Take) }

// ExploreTakeLocked: they lock the job.
func ExploreTakeLocked(p *txmc.Program) { workers(p, TakeLocked) }

func workers(p *txmc.Program, take func(context.Context, pgx.Tx, string) (int, error)) {
	ctx := context.Background()
	db := pg.New(p, pg.Schema(schema), pg.Seed(seed))
	for _, worker := range []string{"w1", "w2"} {
		p.Session(worker, func(s *txmc.Session) {
			conn, err := pgx.ConnectConfig(ctx, db.Config(s))
			if err != nil {
				s.Assert(false, err)
				return
			}
			defer conn.Close(ctx)
			var id int
			err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
				id, err = take(ctx, tx, worker)
				return err
			})
			if s.Assert(err == nil || errors.Is(err, pgx.ErrNoRows), err); err == nil {
				s.Observe("job", id)
			}
		})
	}
	p.Invariant("a job is done once", func(o *txmc.Outcome) error {
		done := map[string]string{}
		for _, s := range o.Sessions {
			for _, id := range s.Observed("job") {
				if other, twice := done[fmt.Sprint(id)]; twice {
					return txmc.Assertf(false, "%s and %s both do job %v", other, s.Name, id)
				}
				done[fmt.Sprint(id)] = s.Name
			}
		}
		return nil
	})
}
