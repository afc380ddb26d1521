// Package hours schedules trainings in hours of a trainer, in SQL for MySQL.
//
// Schedule looks whether the hour is taken, and locks its row by SELECT … FOR UPDATE.
// That is enough where the hour has a row: the second customer waits and then finds it
// taken. An hour that nobody has touched has no row, and at READ COMMITTED nothing is
// locked then: both find it free, and ON DUPLICATE KEY UPDATE gives it to the one who
// comes later. Each of them believes to have it. From ra on nobody overwrites a row that
// his transaction has not seen. InnoDB's REPEATABLE READ locks the gap where the row would
// be: both customers hold it, neither can insert, and one of them is the victim of a
// deadlock. ScheduleOnce inserts the row before it locks it, by INSERT
// IGNORE: so there is something to lock.
//
// Levels:
//
//	ExploreNewHour: breaks at rc, innodb-rc; holds at ra, cc, pc, si, ser, innodb-rr, innodb-rr-si, innodb-ser
//	ExploreKnownHour: holds at all
//	ExploreNewHourOnce: holds at all
package hours

import (
	"context"
	"database/sql"
	"errors"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/mysql"
)

const schema = `
CREATE TABLE hours (
	hour         DATETIME NOT NULL,
	availability ENUM ('available', 'not_available', 'training_scheduled') NOT NULL,
	PRIMARY KEY (hour)
)`

var errTaken = errors.New("the hour is taken")

// Repository keeps hours.
type Repository struct{ db *sql.DB }

// Schedule takes an hour.
func (r *Repository) Schedule(ctx context.Context, hour string) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := take(ctx, tx, hour); err != nil {
		return err
	}
	return tx.Commit()
}

// ScheduleOnce takes an hour, which has a row before it is locked.
func (r *Repository) ScheduleOnce(ctx context.Context, hour string) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "INSERT IGNORE INTO hours (hour, availability) VALUES (?, 'available')", hour); err != nil {
		return err
	}
	if err := take(ctx, tx, hour); err != nil {
		return err
	}
	return tx.Commit()
}

func take(ctx context.Context, tx *sql.Tx, hour string) error {
	availability := "available"
	err := tx.QueryRowContext(ctx, "SELECT availability FROM hours WHERE hour = ? FOR UPDATE", hour).Scan(&availability)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if availability != "available" {
		return errTaken
	}
	_, err = tx.ExecContext(ctx,
		"INSERT INTO hours (hour, availability) VALUES (?, 'training_scheduled') ON DUPLICATE KEY UPDATE availability = VALUES(availability)", hour)
	return err
}

// again reports whether an error says to try the transaction again: a deadlock, or a row
// that has changed since the transaction's view.
func again(err error) bool {
	var e *driver.MySQLError
	return errors.As(err, &e) && (e.Number == 1213 || e.Number == 1020)
}

// ExploreNewHour: ann and bob take an hour that has no row.
func ExploreNewHour(p *txmc.Program) { trainings(p, (*Repository).Schedule, nil) }

// ExploreKnownHour: the hour has a row.
func ExploreKnownHour(p *txmc.Program) {
	trainings(p, (*Repository).Schedule, mysql.Seed("INSERT INTO hours VALUES ('2026-05-04 10:00:00', 'available')"))
}

// ExploreNewHourOnce: it gets one first.
func ExploreNewHourOnce(p *txmc.Program) { trainings(p, (*Repository).ScheduleOnce, nil) }

func trainings(p *txmc.Program, schedule func(*Repository, context.Context, string) error, seed mysql.Option) {
	opts := []mysql.Option{mysql.Schema(schema)}
	if seed != nil {
		opts = append(opts, seed)
	}
	db := mysql.New(p, opts...)
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			err := schedule(&Repository{db.Open(s)}, context.Background(), "2026-05-04 10:00:00")
			s.Assert(err == nil || errors.Is(err, errTaken) || again(err), err)
			if err == nil {
				s.Observe("training", "scheduled")
			}
		})
	}
	p.Invariant("one training an hour", func(o *txmc.Outcome) error {
		n := 0
		for _, who := range []string{"ann", "bob"} {
			n += len(o.Session(who).Observed("training"))
		}
		return txmc.Assertf(n == 1, "%d customers have the hour", n)
	})
}
