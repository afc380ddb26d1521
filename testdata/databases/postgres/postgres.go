// Package postgres has small pieces of code whose rightness depends on what
// PostgreSQL does: which statements wait, what they see then, and which errors they
// return. Each transaction asks for the level that its code needs.
//
// txmc explores them under the model of PostgreSQL's concurrency control.
package postgres

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

const schema = `
CREATE TABLE acct (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE doctor (name text PRIMARY KEY, on_call bool NOT NULL);
CREATE TABLE page (url text PRIMARY KEY, hits int NOT NULL);
CREATE TABLE job (id int PRIMARY KEY, worker text);
CREATE TABLE mail (id serial PRIMARY KEY, receiver text NOT NULL);
CREATE TABLE member (id serial PRIMARY KEY, name text NOT NULL, gone bool NOT NULL DEFAULT false);
CREATE UNIQUE INDEX ON member (lower(name)) WHERE NOT gone;`

const seed = `
INSERT INTO acct VALUES (1, 100), (2, 100);
INSERT INTO doctor VALUES ('ann', true), ('bob', true);
INSERT INTO job VALUES (1), (2);`

var (
	readCommitted = sql.LevelReadCommitted
	serializable  = sql.LevelSerializable
)

// work is what a session does in a transaction.
type work func(ctx context.Context, tx *sql.Tx) error

// inTx runs f in a transaction at a level.
func inTx(ctx context.Context, db *sql.DB, level sql.IsolationLevel, f work) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: level})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// retry runs f again when the database says that it may succeed then.
func retry(ctx context.Context, db *sql.DB, level sql.IsolationLevel, f work) error {
	const most = 5
	var err error
	for range most {
		if err = inTx(ctx, db, level, f); !is(err, "40001") && !is(err, "40P01") {
			return err
		}
	}
	return err
}

// is reports whether err is the database's error of that code.
func is(err error, code string) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == code
}

// sessions declares two sessions on a database.
func sessions(p *txmc.Program, do func(db *sql.DB, me, other string) error) *pg.DB {
	db := pg.New(p, pg.Schema(schema), pg.Seed(seed))
	for _, names := range [][2]string{{"ann", "bob"}, {"bob", "ann"}} {
		p.Session(names[0], func(s *txmc.Session) {
			err := do(db.Open(s), names[0], names[1])
			s.Assert(err == nil, err)
		})
	}
	return db
}

// holds declares that a query's number is so much in the end.
func holds(db *pg.DB, name, query string, want int) {
	db.Final(name, func(ctx context.Context, db *sql.DB) error {
		var got int
		if err := db.QueryRowContext(ctx, query).Scan(&got); err != nil {
			return err
		}
		return txmc.Assertf(got == want, "%d, not %d", got, want)
	})
}

// move moves money from one account to another by statements that add.
func move(from, to int) work {
	return func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE acct SET balance = balance - 10 WHERE id = $1", from); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE acct SET balance = balance + 10 WHERE id = $1", to)
		return err
	}
}

func moves(p *txmc.Program, run func(context.Context, *sql.DB, sql.IsolationLevel, work) error) {
	db := sessions(p, func(db *sql.DB, me, _ string) error {
		if me == "ann" {
			return run(context.Background(), db, readCommitted, move(1, 2))
		}
		return run(context.Background(), db, readCommitted, move(2, 1))
	})
	holds(db, "money is conserved", "SELECT sum(balance) FROM acct", 200)
}

// ExploreMoves moves money in both directions: a deadlock ends one transfer.
func ExploreMoves(p *txmc.Program) { moves(p, inTx) }

// ExploreMovesRetried tries again after a deadlock.
func ExploreMovesRetried(p *txmc.Program) { moves(p, retry) }

// leave takes a doctor off call if the other one is on call.
func leave(me, other string) work {
	return func(ctx context.Context, tx *sql.Tx) error {
		var there bool
		if err := tx.QueryRowContext(ctx, "SELECT on_call FROM doctor WHERE name = $1", other).Scan(&there); err != nil || !there {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE doctor SET on_call = false WHERE name = $1", me)
		return err
	}
}

func onCall(p *txmc.Program, level sql.IsolationLevel) {
	db := sessions(p, func(db *sql.DB, me, other string) error {
		return retry(context.Background(), db, level, leave(me, other))
	})
	holds(db, "one is on call", "SELECT count(*) FROM doctor WHERE on_call", 1)
}

// ExploreOnCall: each of two doctors sees the other one on call, and leaves.
func ExploreOnCall(p *txmc.Program) { onCall(p, sql.LevelRepeatableRead) }

// ExploreOnCallSerializable: at SERIALIZABLE one of them gets 40001, and tries again.
func ExploreOnCallSerializable(p *txmc.Program) { onCall(p, serializable) }

// ExploreMailBeforeCommit sends mail before a commit that may fail with 40001.
func ExploreMailBeforeCommit(p *txmc.Program) { mails(p, true) }

// ExploreMailAfterCommit sends it when the commit has succeeded.
func ExploreMailAfterCommit(p *txmc.Program) { mails(p, false) }

// mails: who has left tells so by mail, which nobody can take back.
func mails(p *txmc.Program, before bool) {
	db := pg.New(p, pg.Schema(schema), pg.Seed(seed))
	for _, names := range [][2]string{{"ann", "bob"}, {"bob", "ann"}} {
		p.Session(names[0], func(s *txmc.Session) {
			ctx, sent, left := context.Background(), false, false
			err := inTx(ctx, db.Open(s), serializable, func(ctx context.Context, tx *sql.Tx) error {
				if err := leave(names[0], names[1])(ctx, tx); err != nil {
					return err
				}
				sent = before
				return nil
			})
			if left = err == nil; left {
				sent = true
			}
			s.Assert(err == nil || is(err, "40001"), err)
			s.Assert(left || !sent, "the mail says what has not happened")
		})
	}
}

// ExploreHits counts hits: the first one inserts.
func ExploreHits(p *txmc.Program) {
	hits(p, func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "UPDATE page SET hits = hits + 1 WHERE url = '/'")
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO page VALUES ('/', 1)")
		return err
	})
}

// ExploreHitsUpsert counts them by one statement.
func ExploreHitsUpsert(p *txmc.Program) {
	hits(p, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO page VALUES ('/', 1) ON CONFLICT (url) DO UPDATE SET hits = page.hits + 1")
		return err
	})
}

func hits(p *txmc.Program, hit work) {
	db := sessions(p, func(db *sql.DB, _, _ string) error {
		return inTx(context.Background(), db, readCommitted, hit)
	})
	holds(db, "each hit counts", "SELECT coalesce(sum(hits), 0) FROM page", 2)
}

// ExploreJobs: two workers take a job each.
func ExploreJobs(p *txmc.Program) { jobs(p, "") }

// ExploreJobsSkipLocked: they leave out jobs that the other one is about to take.
func ExploreJobsSkipLocked(p *txmc.Program) { jobs(p, " FOR UPDATE SKIP LOCKED") }

func jobs(p *txmc.Program, lock string) {
	db := sessions(p, func(db *sql.DB, me, _ string) error {
		return inTx(context.Background(), db, readCommitted, func(ctx context.Context, tx *sql.Tx) error {
			var id int
			if err := tx.QueryRowContext(ctx, "SELECT id FROM job WHERE worker IS NULL ORDER BY id LIMIT 1"+lock).Scan(&id); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "UPDATE job SET worker = $1 WHERE id = $2", me, id)
			return err
		})
	})
	holds(db, "both have a job", "SELECT count(*) FROM job WHERE worker IS NOT NULL", 2)
}

// ExploreJoin lets two members with the same name join: a unique index on an
// expression, with a condition, is there, and a member may have left.
func ExploreJoin(p *txmc.Program) {
	db := sessions(p, func(db *sql.DB, me, _ string) error {
		name := map[string]string{"ann": "Zoe", "bob": "zoe"}[me]
		_, err := db.Exec("INSERT INTO member (name) VALUES ($1)", name)
		if is(err, "23505") {
			return nil
		}
		return err
	})
	holds(db, "one is there", "SELECT count(*) FROM member WHERE NOT gone", 1)
}

// ExploreAdvisory counts mail under an advisory lock before sending some.
func ExploreAdvisory(p *txmc.Program) { once(p, "SELECT pg_advisory_xact_lock(7)") }

// ExploreAdvisoryForgotten does so without the lock.
func ExploreAdvisoryForgotten(p *txmc.Program) { once(p, "SELECT 1") }

func once(p *txmc.Program, lock string) {
	db := sessions(p, func(db *sql.DB, _, _ string) error {
		return inTx(context.Background(), db, readCommitted, func(ctx context.Context, tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, lock); err != nil {
				return err
			}
			var n int
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM mail").Scan(&n); err != nil || n > 0 {
				return err
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO mail (receiver) VALUES ('zoe')")
			return err
		})
	})
	holds(db, "one mail", "SELECT count(*) FROM mail", 1)
}
