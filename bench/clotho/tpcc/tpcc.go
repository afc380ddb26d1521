// Package tpcc is TPC-C (revision 5.11) on database/sql: its five transactions, with one
// order line, customers by number, and amounts in whole cents.
package tpcc

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

// NewOrder orders an item (clause 2.4).
func (c *Company) NewOrder(ctx context.Context, warehouse, district, customer, item, quantity int) (order int, err error) {
	err = c.run(ctx, func(tx *sql.Tx) error {
		var discount, wTax, dTax int
		if err := tx.QueryRowContext(ctx, "SELECT c_discount FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3",
			warehouse, district, customer).Scan(&discount); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT w_tax FROM warehouse WHERE w_id = $1", warehouse).Scan(&wTax); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = $1 AND d_id = $2",
			warehouse, district).Scan(&order, &dTax); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE district SET d_next_o_id = $1 WHERE d_w_id = $2 AND d_id = $3", order+1, warehouse, district); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt) VALUES ($1, $2, $3, $4, 1)",
			warehouse, district, order, customer); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES ($1, $2, $3)", warehouse, district, order); err != nil {
			return err
		}
		return orderLine(ctx, tx, warehouse, district, order, item, quantity)
	})
	return order, err
}

// orderLine takes an item from the stock.
func orderLine(ctx context.Context, tx *sql.Tx, warehouse, district, order, item, quantity int) error {
	var price, stock int
	if err := tx.QueryRowContext(ctx, "SELECT i_price FROM item WHERE i_id = $1", item).Scan(&price); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT s_quantity FROM stock WHERE s_w_id = $1 AND s_i_id = $2", warehouse, item).Scan(&stock); err != nil {
		return err
	}
	if stock-quantity >= 10 {
		stock -= quantity
	} else {
		stock += 91 - quantity
	}
	if _, err := tx.ExecContext(ctx, "UPDATE stock SET s_quantity = $1, s_ytd = s_ytd + $2, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = $3 AND s_i_id = $4",
		stock, quantity, warehouse, item); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_quantity, ol_amount) VALUES ($1, $2, $3, 1, $4, $5, $6)",
		warehouse, district, order, item, quantity, price*quantity)
	return err
}

// Payment takes a payment of a customer (clause 2.5).
func (c *Company) Payment(ctx context.Context, warehouse, district, customer, amount int) error {
	return c.run(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE warehouse SET w_ytd = w_ytd + $1 WHERE w_id = $2", amount, warehouse); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE district SET d_ytd = d_ytd + $1 WHERE d_w_id = $2 AND d_id = $3", amount, warehouse, district); err != nil {
			return err
		}
		var balance, paid, count int
		if err := tx.QueryRowContext(ctx, "SELECT c_balance, c_ytd_payment, c_payment_cnt FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3",
			warehouse, district, customer).Scan(&balance, &paid, &count); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE customer SET c_balance = $1, c_ytd_payment = $2, c_payment_cnt = $3 WHERE c_w_id = $4 AND c_d_id = $5 AND c_id = $6",
			balance-amount, paid+amount, count+1, warehouse, district, customer); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO history (h_c_w_id, h_c_d_id, h_c_id, h_amount) VALUES ($1, $2, $3, $4)", warehouse, district, customer, amount)
		return err
	})
}

// OrderStatus looks at a customer's last order (clause 2.6).
func (c *Company) OrderStatus(ctx context.Context, warehouse, district, customer int) (balance, order, amount int, err error) {
	err = c.run(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT c_balance FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3",
			warehouse, district, customer).Scan(&balance); err != nil {
			return err
		}
		err := tx.QueryRowContext(ctx, "SELECT o_id FROM oorder WHERE o_w_id = $1 AND o_d_id = $2 AND o_c_id = $3 ORDER BY o_id DESC LIMIT 1",
			warehouse, district, customer).Scan(&order)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT coalesce(sum(ol_amount), 0) FROM order_line WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3",
			warehouse, district, order).Scan(&amount)
	})
	return balance, order, amount, err
}

// Delivery delivers the oldest order of a district (clause 2.7).
func (c *Company) Delivery(ctx context.Context, warehouse, district, carrier int) error {
	return c.run(ctx, func(tx *sql.Tx) error {
		var order, customer, amount int
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
		_, err = tx.ExecContext(ctx, "UPDATE customer SET c_balance = c_balance + $1, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = $2 AND c_d_id = $3 AND c_id = $4",
			amount, warehouse, district, customer)
		return err
	})
}

// StockLevel counts the items of the last orders of which little is left (clause 2.8).
func (c *Company) StockLevel(ctx context.Context, warehouse, district, threshold int) (count int, err error) {
	err = c.run(ctx, func(tx *sql.Tx) error {
		var next int
		if err := tx.QueryRowContext(ctx, "SELECT d_next_o_id FROM district WHERE d_w_id = $1 AND d_id = $2", warehouse, district).Scan(&next); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT count(DISTINCT s_i_id) FROM order_line, stock
			WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id < $3 AND ol_o_id >= $4 AND s_w_id = $1 AND s_i_id = ol_i_id AND s_quantity < $5`,
			warehouse, district, next, next-20, threshold).Scan(&count)
	})
	return count, err
}
