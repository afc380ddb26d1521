// Package riverorders takes orders and leaves their delivery to a job queue, River,
// in the same transaction.
//
// Order reads what is left and writes what it computes: at read committed the last
// piece is sold twice, and two jobs deliver it. OrderLocked locks the row. Workers
// take jobs as River's do, by its driver's SELECT FOR UPDATE SKIP LOCKED.
//
// Levels:
//
//	ExploreOrder: breaks at rc; holds at ra, cc, pc, si, ser
//	ExploreOrderLocked: holds at all
//	ExploreWork: holds at all
//	ExploreUnique: holds at all
package riverorders

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

const schema = `CREATE TABLE piece (id int PRIMARY KEY, amount int NOT NULL CHECK (amount >= 0));`

var errSoldOut = errors.New("sold out")

// Delivery is the job of an order.
type Delivery struct {
	Piece int    `json:"piece"`
	Buyer string `json:"buyer"`
}

// Kind names the job.
func (Delivery) Kind() string { return "delivery" }

// Shop takes orders.
type Shop struct {
	pool *pgxpool.Pool
	jobs *river.Client[pgx.Tx]
}

// NewShop returns a shop on a database.
func NewShop(pool *pgxpool.Pool) (*Shop, error) {
	jobs, err := river.NewClient(riverpgxv5.New(pool), &river.Config{})
	return &Shop{pool, jobs}, err
}

// Order sells a piece and leaves its delivery to a job.
func (s *Shop) Order(ctx context.Context, piece int, buyer string) error {
	return s.order(ctx, "SELECT amount FROM piece WHERE id = $1", piece, buyer)
}

// OrderLocked is Order with a lock on the piece.
func (s *Shop) OrderLocked(ctx context.Context, piece int, buyer string) error {
	return s.order(ctx, "SELECT amount FROM piece WHERE id = $1 FOR UPDATE", piece, buyer)
}

func (s *Shop) order(ctx context.Context, find string, piece int, buyer string) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var amount int
		if err := tx.QueryRow(ctx, find, piece).Scan(&amount); err != nil {
			return err
		}
		if amount == 0 {
			return errSoldOut
		}
		if _, err := tx.Exec(ctx, "UPDATE piece SET amount = $2 WHERE id = $1", piece, amount-1); err != nil {
			return err
		}
		_, err := s.jobs.InsertTx(ctx, tx, Delivery{piece, buyer}, nil)
		return err
	})
}

// Remind asks for a delivery that nobody has asked for yet.
func (s *Shop) Remind(ctx context.Context, piece int) error {
	_, err := s.jobs.Insert(ctx, Delivery{piece, "anybody"}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true}})
	return err
}

// Take takes the jobs that are there, as River's workers do.
func (s *Shop) Take(ctx context.Context, worker string) ([]int64, error) {
	now := time.Now().Add(time.Hour)
	got, err := riverpgxv5.New(s.pool).GetExecutor().JobGetAvailable(ctx, &riverdriver.JobGetAvailableParams{
		ClientID: worker, MaxAttemptedBy: 10, MaxToLock: 5, Now: &now, Queue: river.QueueDefault})
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, job := range got.Jobs {
		ids = append(ids, job.ID)
	}
	return ids, nil
}

func declare(p *txmc.Program, seed string) *pg.DB {
	return pg.New(p, pg.SchemaFS(riverpgxv5.New(nil).GetMigrationFS("main"), "migration/main/*.up.sql"), pg.Schema(schema), pg.Seed(seed))
}

// shop gives a session a shop.
func shop(db *pg.DB, s *txmc.Session) (*Shop, func(), error) {
	pool, err := pgxpool.New(context.Background(), db.DSN(s))
	if err != nil {
		return nil, nil, err
	}
	shop, err := NewShop(pool)
	return shop, pool.Close, err
}

// ExploreOrder: two buyers, one piece.
func ExploreOrder(p *txmc.Program) { orders(p, (*Shop).Order) }

// ExploreOrderLocked: they lock the piece.
func ExploreOrderLocked(p *txmc.Program) { orders(p, (*Shop).OrderLocked) }

func orders(p *txmc.Program, order func(*Shop, context.Context, int, string) error) {
	db := declare(p, "INSERT INTO piece VALUES (1, 1)")
	for _, buyer := range []string{"ann", "bob"} {
		p.Session(buyer, func(s *txmc.Session) {
			shop, done, err := shop(db, s)
			if err != nil {
				s.Assert(false, err)
				return
			}
			defer done()
			err = order(shop, context.Background(), 1, buyer)
			s.Assert(err == nil || errors.Is(err, errSoldOut), err)
		})
	}
	deliveries(db, 1)
}

// ExploreUnique: two clerks remind of the same delivery.
func ExploreUnique(p *txmc.Program) {
	db := declare(p, "")
	for _, clerk := range []string{"ann", "bob"} {
		p.Session(clerk, func(s *txmc.Session) {
			shop, done, err := shop(db, s)
			if err != nil {
				s.Assert(false, err)
				return
			}
			defer done()
			err = shop.Remind(context.Background(), 1)
			s.Assert(err == nil, err)
		})
	}
	deliveries(db, 1)
}

func deliveries(db *pg.DB, most int) {
	db.Final("deliveries", func(ctx context.Context, db *sql.DB) error {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM river_job WHERE kind = 'delivery'").Scan(&n); err != nil {
			return err
		}
		return txmc.Assertf(n <= most, "%d deliveries", n)
	})
}

// ExploreWork: two workers, one job.
func ExploreWork(p *txmc.Program) {
	db := declare(p, `INSERT INTO river_job (args, kind, max_attempts, priority, queue, scheduled_at) VALUES ('{}', 'delivery', 25, 1, 'default', now())`)
	for _, worker := range []string{"w1", "w2"} {
		p.Session(worker, func(s *txmc.Session) {
			shop, done, err := shop(db, s)
			if err != nil {
				s.Assert(false, err)
				return
			}
			defer done()
			ids, err := shop.Take(context.Background(), worker)
			s.Assert(err == nil, err)
			s.Observe("jobs", fmt.Sprint(ids))
		})
	}
	p.Invariant("a job is done once", func(o *txmc.Outcome) error {
		done := map[string]bool{}
		for _, s := range o.Sessions {
			for _, ids := range s.Observed("jobs") {
				if text := fmt.Sprint(ids); text != "[]" {
					if done[text] {
						return txmc.Assertf(false, "job %s is done twice", text)
					}
					done[text] = true
				}
			}
		}
		return nil
	})
}
