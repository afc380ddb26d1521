// Package guejobs hands out the jobs of gue, a queue in a table. Jobs are made in the
// application's transaction. Workers lock a job by SKIP LOCKED and keep the transaction
// open while they work.
//
// Levels:
//
//	ExploreWork: holds at all
//	ExploreOrder: holds at all
package guejobs

import (
	"context"
	"database/sql"
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/vgarvardt/gue/v5"
	"github.com/vgarvardt/gue/v5/adapter/pgxv5"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

//go:embed schema.sql
var schema string

// connect is a client of gue on a pool.
func connect(ctx context.Context, dsn string) (*gue.Client, *pgxpool.Pool, error) {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return nil, nil, err
	}
	c, err := gue.NewClient(pgxv5.NewConnPool(pool))
	return c, pool, err
}

// Order stores an order and enqueues its mail in the same transaction.
func Order(ctx context.Context, dsn string) error {
	c, pool, err := connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "INSERT INTO orders VALUES (1, 'new')"); err != nil {
		return err
	}
	if err := c.EnqueueTx(ctx, &gue.Job{Type: "mail", Queue: "mails", Args: []byte("1")}, pgxv5.NewTx(tx)); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// Work takes a job if there is one, does it in the transaction that has locked it, and
// removes it.
func Work(ctx context.Context, dsn string) (bool, error) {
	c, pool, err := connect(ctx, dsn)
	if err != nil {
		return false, err
	}
	defer pool.Close()
	j, err := c.LockJob(ctx, "mails")
	if j == nil || err != nil {
		return false, err
	}
	if _, err := j.Tx().Exec(ctx, "UPDATE orders SET state = state || ' mailed' WHERE id = $1::text::int", string(j.Args)); err != nil {
		return false, err
	}
	if err := j.Delete(ctx); err != nil {
		return false, err
	}
	return true, j.Done(ctx)
}

// worker is a session that works after the job is due: its clock is a second ahead.
func worker(p *txmc.Program, db *pg.DB, name string) {
	p.Session(name, func(s *txmc.Session) {
		time.Sleep(time.Second)
		worked, err := Work(context.Background(), db.DSN(s))
		s.Assert(err == nil, err)
		s.Observe("worked", worked)
	})
}

// mailed says whether no mail was sent twice.
func mailed(ctx context.Context, db *sql.DB) error {
	var wrong int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM orders WHERE state NOT IN ('new', 'new mailed')").Scan(&wrong); err != nil {
		return err
	}
	return txmc.Assertf(wrong == 0, "a mail was sent twice")
}

// ExploreWork: two workers and one job.
func ExploreWork(p *txmc.Program) {
	db := pg.New(p, pg.Schema(schema), pg.Seed(`INSERT INTO orders VALUES (1, 'new');
		INSERT INTO gue_jobs VALUES ('01DXF6DT000000000000000000', 0, '2020-01-01', 'mail', '1', 0, NULL, 'mails', '2020-01-01', '2020-01-01');`))
	worker(p, db, "ann")
	worker(p, db, "bob")
	db.Final("a mail is sent once", mailed)
}

// ExploreOrder: a worker beside the order whose mail it sends.
func ExploreOrder(p *txmc.Program) {
	db := pg.New(p, pg.Schema(schema))
	p.Session("shop", func(s *txmc.Session) {
		err := Order(context.Background(), db.DSN(s))
		s.Assert(err == nil, err)
	})
	worker(p, db, "ann")
	db.Final("a mail is sent once", mailed)
}
