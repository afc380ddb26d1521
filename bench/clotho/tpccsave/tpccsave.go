// Package tpccsave is TPC-C (revision 5.11) on a store like CLOTHO's. The store refuses
// nothing. A row that is inserted twice is there as it was inserted last. Sums are read and
// written. Code that saves whole rows by their keys does the same. The transactions are those
// of package tpcc that write, with orders of some lines.
package tpccsave

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
)

// Schema makes the tables: without foreign keys, and new orders are a queue.
//
//go:embed schema.sql
var Schema string

// Company has the transactions.
type Company struct{ db *sql.DB }

// New returns a company.
func New(db *sql.DB) *Company { return &Company{db} }

func (c *Company) run(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// NewOrder orders an item in some lines (clause 2.4).
func (c *Company) NewOrder(ctx context.Context, warehouse, district, customer, item, lines int) (order int, err error) {
	err = c.run(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT d_next_o_id FROM district WHERE d_w_id = $1 AND d_id = $2", warehouse, district).Scan(&order); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1 AND d_id = $2", warehouse, district); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (o_w_id, o_d_id, o_id) DO UPDATE SET o_c_id = excluded.o_c_id, o_ol_cnt = excluded.o_ol_cnt, o_carrier_id = NULL`,
			warehouse, district, order, customer, lines); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES ($1, $2, $3)", warehouse, district, order); err != nil {
			return err
		}
		for number := 1; number <= lines; number++ {
			if err := saveLine(ctx, tx, warehouse, district, order, number, item); err != nil {
				return err
			}
		}
		return nil
	})
	return order, err
}

// saveLine takes one piece of an item.
func saveLine(ctx context.Context, tx *sql.Tx, warehouse, district, order, number, item int) error {
	var price int
	if err := tx.QueryRowContext(ctx, "SELECT i_price FROM item WHERE i_id = $1", item).Scan(&price); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_quantity, ol_amount) VALUES ($1, $2, $3, $4, $5, 1, $6)
		ON CONFLICT (ol_w_id, ol_d_id, ol_o_id, ol_number) DO UPDATE SET ol_i_id = excluded.ol_i_id, ol_amount = excluded.ol_amount, ol_delivered = false`,
		warehouse, district, order, number, item, price)
	return err
}

// Payment takes a payment of a customer (clause 2.5).
func (c *Company) Payment(ctx context.Context, warehouse, district, customer, amount int) error {
	return c.run(ctx, func(tx *sql.Tx) error {
		var total, part, balance, paid int
		if err := tx.QueryRowContext(ctx, "SELECT w_ytd FROM warehouse WHERE w_id = $1", warehouse).Scan(&total); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT d_ytd FROM district WHERE d_w_id = $1 AND d_id = $2", warehouse, district).Scan(&part); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT c_balance, c_ytd_payment FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3",
			warehouse, district, customer).Scan(&balance, &paid); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE warehouse SET w_ytd = $1 WHERE w_id = $2", total+amount, warehouse); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE district SET d_ytd = $1 WHERE d_w_id = $2 AND d_id = $3", part+amount, warehouse, district); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE customer SET c_balance = $1, c_ytd_payment = $2 WHERE c_w_id = $3 AND c_d_id = $4 AND c_id = $5",
			balance-amount, paid+amount, warehouse, district, customer); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO history (h_c_w_id, h_c_d_id, h_c_id, h_amount) VALUES ($1, $2, $3, $4)", warehouse, district, customer, amount)
		return err
	})
}

// Delivery delivers the oldest order of a district (clause 2.7).
func (c *Company) Delivery(ctx context.Context, warehouse, district, carrier int) error {
	return c.run(ctx, func(tx *sql.Tx) error {
		var order, customer, amount, balance, count int
		err := tx.QueryRowContext(ctx, "SELECT no_o_id FROM new_order WHERE no_w_id = $1 AND no_d_id = $2 ORDER BY no_o_id LIMIT 1", warehouse, district).Scan(&order)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM new_order WHERE no_w_id = $1 AND no_d_id = $2 AND no_o_id = $3", warehouse, district, order); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT o_c_id FROM oorder WHERE o_w_id = $1 AND o_d_id = $2 AND o_id = $3", warehouse, district, order).Scan(&customer); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE oorder SET o_carrier_id = $1 WHERE o_w_id = $2 AND o_d_id = $3 AND o_id = $4", carrier, warehouse, district, order); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE order_line SET ol_delivered = true WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3", warehouse, district, order); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT coalesce(sum(ol_amount), 0) FROM order_line WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3",
			warehouse, district, order).Scan(&amount); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT c_balance, c_delivery_cnt FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3",
			warehouse, district, customer).Scan(&balance, &count); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE customer SET c_balance = $1, c_delivery_cnt = $2 WHERE c_w_id = $3 AND c_d_id = $4 AND c_id = $5",
			balance+amount, count+1, warehouse, district, customer)
		return err
	})
}
