// Package delivery is the Delivery transaction of TPC-C (clause 2.7), in SQL for MySQL.
//
// Deliver takes the oldest new order of a district, deletes it from the list of new
// orders, notes the carrier and adds the amount to the customer's balance. Two carriers
// read the same oldest order, and both deliver it: the DELETE of the second one finds no
// row, which nobody looks at. DeliverLocked reads the order by SELECT … LIMIT 1 FOR
// UPDATE: the second carrier gets the next order.
//
// Levels:
//
//	ExploreDeliver: breaks at rc, innodb-rc, innodb-rr; holds at ra, cc, pc, si, ser, innodb-rr-si, innodb-ser
//	ExploreDeliverLocked: holds at all
package delivery

import (
	"context"
	"database/sql"
	"errors"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/mysql"
)

const schema = `
CREATE TABLE customer (
	c_id           INT PRIMARY KEY,
	c_balance      DECIMAL(12,2) NOT NULL,
	c_delivery_cnt INT NOT NULL
);
CREATE TABLE orders (
	o_d_id       INT NOT NULL,
	o_id         INT NOT NULL,
	o_c_id       INT NOT NULL,
	o_carrier_id INT,
	o_amount     DECIMAL(6,2) NOT NULL,
	PRIMARY KEY (o_d_id, o_id)
);
CREATE TABLE new_orders (
	no_d_id INT NOT NULL,
	no_o_id INT NOT NULL,
	PRIMARY KEY (no_d_id, no_o_id)
);`

const seed = `
INSERT INTO customer VALUES (1, 0, 0);
INSERT INTO orders VALUES (1, 1, 1, NULL, 10), (1, 2, 1, NULL, 20);
INSERT INTO new_orders VALUES (1, 1), (1, 2);`

const (
	oldest = "SELECT no_o_id FROM new_orders WHERE no_d_id = ? ORDER BY no_o_id ASC LIMIT 1"
	locked = oldest + " FOR UPDATE"
)

// deliver delivers the oldest new order of a district that find finds.
func deliver(ctx context.Context, db *sql.DB, find string, district, carrier int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var order int
	switch err := tx.QueryRowContext(ctx, find, district).Scan(&order); {
	case errors.Is(err, sql.ErrNoRows):
		return nil // skipped, as clause 2.7.4.2 has it
	case err != nil:
		return err
	}
	for _, statement := range []struct {
		sql  string
		args []any
	}{
		{"DELETE FROM new_orders WHERE no_d_id = ? AND no_o_id = ?", []any{district, order}},
		{"UPDATE orders SET o_carrier_id = ? WHERE o_d_id = ? AND o_id = ?", []any{carrier, district, order}},
		{"UPDATE customer c JOIN orders o ON o.o_c_id = c.c_id SET c.c_balance = c.c_balance + o.o_amount, c.c_delivery_cnt = c.c_delivery_cnt + 1 " +
			"WHERE o.o_d_id = ? AND o.o_id = ?", []any{district, order}},
	} {
		if _, err := tx.ExecContext(ctx, statement.sql, statement.args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// again reports whether an error says to try the transaction again: a deadlock, or a row
// that has changed since the transaction's view.
func again(err error) bool {
	var e *driver.MySQLError
	return errors.As(err, &e) && (e.Number == 1213 || e.Number == 1020)
}

// ExploreDeliver: two carriers read the oldest order.
func ExploreDeliver(p *txmc.Program) { deliveries(p, oldest) }

// ExploreDeliverLocked: they lock it.
func ExploreDeliverLocked(p *txmc.Program) { deliveries(p, locked) }

func deliveries(p *txmc.Program, find string) {
	db := mysql.New(p, mysql.Schema(schema), mysql.Seed(seed))
	for i, who := range []string{"carrier1", "carrier2"} {
		p.Session(who, func(s *txmc.Session) {
			err := deliver(context.Background(), db.Open(s), find, 1, i+1)
			s.Assert(err == nil || again(err), err)
		})
	}
	db.Final("each order is paid for once", func(ctx context.Context, db *sql.DB) error {
		var balance, delivered float64
		if err := db.QueryRowContext(ctx, "SELECT c_balance FROM customer WHERE c_id = 1").Scan(&balance); err != nil {
			return err
		}
		if err := db.QueryRowContext(ctx, "SELECT COALESCE(SUM(o_amount), 0) FROM orders WHERE o_carrier_id IS NOT NULL").Scan(&delivered); err != nil {
			return err
		}
		return txmc.Assertf(balance == delivered, "the customer is charged %v for %v", balance, delivered)
	})
}
