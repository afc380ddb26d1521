// Package seats is the SEATS benchmark (Stonebraker and Pavlo, 2012; OLTP-Bench) on
// database/sql. Seats are unique by the code alone, as in CLOTHO's version.
package seats

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
)

// Schema makes the tables.
//
//go:embed schema.sql
var Schema string

var (
	errFull  = errors.New("the flight has no seats left")
	errTaken = errors.New("the seat is taken")
	errTwice = errors.New("the customer has a seat on the flight")
	errNone  = errors.New("there is no such reservation")
)

// Airline has the transactions.
type Airline struct{ db *sql.DB }

// New returns an airline.
func New(db *sql.DB) *Airline { return &Airline{db} }

func (a *Airline) run(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// missing reports whether a row is missing.
func missing(row *sql.Row) (bool, error) {
	var id int
	err := row.Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	return false, err
}

// FindFlights lists flights that leave in a time.
func (a *Airline) FindFlights(ctx context.Context, from, to int) (left int, err error) {
	err = a.db.QueryRowContext(ctx, "SELECT coalesce(sum(f_seats_left), 0) FROM flight WHERE f_depart >= $1 AND f_depart <= $2", from, to).Scan(&left)
	return left, err
}

// FindOpenSeats counts the seats of a flight that are free.
func (a *Airline) FindOpenSeats(ctx context.Context, flight int) (left, taken int, err error) {
	err = a.run(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT f_seats_left FROM flight WHERE f_id = $1", flight).Scan(&left); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT count(*) FROM reservation WHERE r_f_id = $1", flight).Scan(&taken)
	})
	return left, taken, err
}

// NewReservation sells a seat.
func (a *Airline) NewReservation(ctx context.Context, reservation, customer, flight, seat, price int) error {
	return a.run(ctx, func(tx *sql.Tx) error {
		var left int
		if err := tx.QueryRowContext(ctx, "SELECT f_seats_left FROM flight WHERE f_id = $1", flight).Scan(&left); err != nil {
			return err
		}
		if left <= 0 {
			return errFull
		}
		free, err := missing(tx.QueryRowContext(ctx, "SELECT r_id FROM reservation WHERE r_f_id = $1 AND r_seat = $2", flight, seat))
		if err != nil {
			return err
		}
		if !free {
			return errTaken
		}
		first, err := missing(tx.QueryRowContext(ctx, "SELECT r_id FROM reservation WHERE r_f_id = $1 AND r_c_id = $2", flight, customer))
		if err != nil {
			return err
		}
		if !first {
			return errTwice
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO reservation (r_id, r_c_id, r_f_id, r_seat, r_price) VALUES ($1, $2, $3, $4, $5)",
			reservation, customer, flight, seat, price); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE flight SET f_seats_left = f_seats_left - 1 WHERE f_id = $1", flight); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE customer SET c_iattr0 = c_iattr0 + 1 WHERE c_id = $1", customer)
		return err
	})
}

// UpdateReservation moves a customer to another seat.
func (a *Airline) UpdateReservation(ctx context.Context, reservation, customer, flight, seat int) error {
	return a.run(ctx, func(tx *sql.Tx) error {
		free, err := missing(tx.QueryRowContext(ctx, "SELECT r_id FROM reservation WHERE r_f_id = $1 AND r_seat = $2", flight, seat))
		if err != nil {
			return err
		}
		if !free {
			return errTaken
		}
		_, err = tx.ExecContext(ctx, "UPDATE reservation SET r_seat = $1 WHERE r_id = $2 AND r_c_id = $3 AND r_f_id = $4", seat, reservation, customer, flight)
		return err
	})
}

// DeleteReservation gives a seat back, and the money.
func (a *Airline) DeleteReservation(ctx context.Context, flight, customer int) error {
	return a.run(ctx, func(tx *sql.Tx) error {
		var reservation, price int
		err := tx.QueryRowContext(ctx, "SELECT r_id, r_price FROM reservation WHERE r_f_id = $1 AND r_c_id = $2", flight, customer).Scan(&reservation, &price)
		if errors.Is(err, sql.ErrNoRows) {
			return errNone
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM reservation WHERE r_id = $1 AND r_c_id = $2 AND r_f_id = $3", reservation, customer, flight); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE flight SET f_seats_left = f_seats_left + 1 WHERE f_id = $1", flight); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE customer SET c_balance = c_balance + $1 WHERE c_id = $2", price, customer)
		return err
	})
}

// UpdateCustomer changes a customer and what airlines know of them.
func (a *Airline) UpdateCustomer(ctx context.Context, customer, attribute int) error {
	return a.run(ctx, func(tx *sql.Tx) error {
		var balance int
		if err := tx.QueryRowContext(ctx, "SELECT c_balance FROM customer WHERE c_id = $1", customer).Scan(&balance); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE customer SET c_iattr0 = $1 WHERE c_id = $2", attribute, customer); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE frequent_flyer SET ff_iattr0 = $1 WHERE ff_c_id = $2", attribute, customer)
		return err
	})
}
