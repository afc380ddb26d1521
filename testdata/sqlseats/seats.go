// Package sqlseats sells the last seat of a show, in SQL.
//
// Reserve looks at how many seats are left, and books one when there is one. A
// booking changes no row that another one reads: write skew, up to snapshot
// isolation. ReserveLocked reads the show FOR UPDATE and writes the number of seats
// that are left: the second customer's lock finds the first one's number.
//
// Levels:
//
//	ExploreReserve: breaks at rc, ra, cc, pc, si; holds at ser
//	ExploreReserveLocked: holds at all
package sqlseats

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

const schema = `
CREATE TABLE show (id int PRIMARY KEY, title text NOT NULL, seats_left int NOT NULL);
CREATE TABLE seat (no text PRIMARY KEY, show int NOT NULL REFERENCES show);
CREATE TABLE booking (show int REFERENCES show, customer text, PRIMARY KEY (show, customer));`

const seed = `
INSERT INTO show VALUES (1, 'Hamlet', 1);
INSERT INTO seat VALUES ('A1', 1);`

var errSoldOut = errors.New("sold out")

// Reserve books a seat when there are fewer bookings than seats.
func Reserve(ctx context.Context, conn *pgx.Conn, show int, customer string) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		var left int
		err := tx.QueryRow(ctx, `SELECT (SELECT count(*) FROM seat WHERE show = $1) -
			(SELECT count(*) FROM booking WHERE show = $1)`, show).Scan(&left)
		if err != nil {
			return err
		}
		if left == 0 {
			return errSoldOut
		}
		_, err = tx.Exec(ctx, `INSERT INTO booking VALUES ($1, $2)`, show, customer)
		return err
	})
}

// ReserveLocked locks the show.
func ReserveLocked(ctx context.Context, conn *pgx.Conn, show int, customer string) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		var left int
		if err := tx.QueryRow(ctx, `SELECT seats_left FROM show WHERE id = $1 FOR UPDATE`, show).Scan(&left); err != nil {
			return err
		}
		if left == 0 {
			return errSoldOut
		}
		if _, err := tx.Exec(ctx, `UPDATE show SET seats_left = $2 WHERE id = $1`, show, left-1); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO booking VALUES ($1, $2)`, show, customer)
		return err
	})
}

// ExploreReserve: two customers, one seat.
func ExploreReserve(p *txmc.Program) { customers(p, Reserve) }

// ExploreReserveLocked: they lock the show.
func ExploreReserveLocked(p *txmc.Program) { customers(p, ReserveLocked) }

func customers(p *txmc.Program, reserve func(context.Context, *pgx.Conn, int, string) error) {
	ctx := context.Background()
	db := pg.New(p, pg.Schema(schema), pg.Seed(seed))
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			conn, err := pgx.ConnectConfig(ctx, db.Config(s))
			if err != nil {
				s.Assert(false, err)
				return
			}
			defer conn.Close(ctx)
			err = reserve(ctx, conn, 1, who)
			s.Observe("reserve", fmt.Sprint(err))
		})
	}
	p.Invariant("a seat is sold once", func(o *txmc.Outcome) error {
		sold := 0
		for _, s := range o.Sessions {
			for _, err := range s.Observed("reserve") {
				if err == "<nil>" {
					sold++
				}
			}
		}
		return txmc.Assertf(sold == 1, "the seat is sold %d times", sold)
	})
}
