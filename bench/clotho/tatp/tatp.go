// Package tatp is the TATP benchmark (IBM, 2009; OLTP-Bench) on database/sql.
package tatp

import (
	"context"
	"database/sql"
	_ "embed"
)

// Schema makes the tables.
//
//go:embed schema.sql
var Schema string

// Home is a home location register.
type Home struct{ db *sql.DB }

// New returns one.
func New(db *sql.DB) *Home { return &Home{db} }

func (h *Home) run(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := h.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// numbered finds a subscriber by number.
func numbered(ctx context.Context, tx *sql.Tx, number string) (id int, err error) {
	err = tx.QueryRowContext(ctx, "SELECT s_id FROM subscriber WHERE sub_nbr = $1", number).Scan(&id)
	return id, err
}

// GetSubscriberData reads a subscriber.
func (h *Home) GetSubscriberData(ctx context.Context, id int) (number string, bit, msc, vlr int, err error) {
	err = h.db.QueryRowContext(ctx, "SELECT sub_nbr, bit_1, msc_location, vlr_location FROM subscriber WHERE s_id = $1", id).Scan(&number, &bit, &msc, &vlr)
	return number, bit, msc, vlr, err
}

// GetAccessData reads the data of an access.
func (h *Home) GetAccessData(ctx context.Context, id, kind int) (data1, data2 int, err error) {
	err = h.db.QueryRowContext(ctx, "SELECT data1, data2 FROM access_info WHERE s_id = $1 AND ai_type = $2", id, kind).Scan(&data1, &data2)
	return data1, data2, err
}

// GetNewDestination finds where calls go.
func (h *Home) GetNewDestination(ctx context.Context, id, kind, start, end int) (numbers []string, err error) {
	rows, err := h.db.QueryContext(ctx, `SELECT cf.numberx FROM special_facility sf, call_forwarding cf
		WHERE sf.s_id = $1 AND sf.sf_type = $2 AND sf.is_active = 1 AND cf.s_id = sf.s_id AND cf.sf_type = sf.sf_type
		AND cf.start_time <= $3 AND cf.end_time > $4 ORDER BY cf.start_time`, id, kind, start, end)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var number string
		if err := rows.Scan(&number); err != nil {
			return nil, err
		}
		numbers = append(numbers, number)
	}
	return numbers, rows.Err()
}

// UpdateSubscriberData changes a subscriber and a facility.
func (h *Home) UpdateSubscriberData(ctx context.Context, id, bit, kind, data int) error {
	return h.run(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE subscriber SET bit_1 = $1 WHERE s_id = $2", bit, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE special_facility SET data_a = $1 WHERE s_id = $2 AND sf_type = $3", data, id, kind)
		return err
	})
}

// UpdateLocation changes where a subscriber is.
func (h *Home) UpdateLocation(ctx context.Context, number string, location int) error {
	return h.run(ctx, func(tx *sql.Tx) error {
		id, err := numbered(ctx, tx, number)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE subscriber SET vlr_location = $1 WHERE s_id = $2", location, id)
		return err
	})
}

// InsertCallForwarding forwards calls of a facility that the subscriber has.
func (h *Home) InsertCallForwarding(ctx context.Context, number string, kind, start, end int, to string) error {
	return h.run(ctx, func(tx *sql.Tx) error {
		id, err := numbered(ctx, tx, number)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, "SELECT sf_type FROM special_facility WHERE s_id = $1", id)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
		}
		if err := rows.Err(); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO call_forwarding (s_id, sf_type, start_time, end_time, numberx) VALUES ($1, $2, $3, $4, $5)",
			id, kind, start, end, to)
		return err
	})
}

// DeleteCallForwarding ends it.
func (h *Home) DeleteCallForwarding(ctx context.Context, number string, kind, start int) error {
	return h.run(ctx, func(tx *sql.Tx) error {
		id, err := numbered(ctx, tx, number)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM call_forwarding WHERE s_id = $1 AND sf_type = $2 AND start_time = $3", id, kind, start)
		return err
	})
}
