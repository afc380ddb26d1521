// Package stock sells what is in stock, in SQL for MySQL.
//
// Buy reads how many there are and writes what is left, as code does that lets an ORM
// save an object: one of two sales is lost. That is what InnoDB does at REPEATABLE READ
// too, since an UPDATE looks at the newest version of the row and not at the one that
// the transaction has read; of the axiomatic levels, rc is the one that has it. SERIALIZABLE
// locks what is read, so that the two sales are a deadlock. BuyGuarded
// lets the UPDATE do the sum and look whether there are enough.
//
// Levels:
//
//	ExploreBuy: breaks at rc, innodb-rc, innodb-rr; holds at ra, cc, pc, si, ser, innodb-rr-si, innodb-ser
//	ExploreBuyGuarded: holds at all
package stock

import (
	"context"
	"database/sql"
	"errors"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/mysql"
)

const schema = `
CREATE TABLE product (
	id   BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,
	name VARCHAR(40) NOT NULL UNIQUE,
	left_over INT UNSIGNED NOT NULL
);
CREATE TABLE sale (
	id      BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,
	product BIGINT UNSIGNED NOT NULL,
	pieces  INT UNSIGNED NOT NULL,
	FOREIGN KEY (product) REFERENCES product (id)
);`

const seed = `INSERT INTO product (name, left_over) VALUES ('lamp', 3)`

var errSoldOut = errors.New("sold out")

// buy sells n pieces of a product.
func buy(ctx context.Context, tx *sql.Tx, name string, n int) (product int64, err error) {
	var left int
	if err := tx.QueryRowContext(ctx, "SELECT id, left_over FROM product WHERE name = ?", name).Scan(&product, &left); err != nil {
		return 0, err
	}
	if left < n {
		return 0, errSoldOut
	}
	_, err = tx.ExecContext(ctx, "UPDATE product SET left_over = ? WHERE id = ?", left-n, product)
	return product, err
}

// buyGuarded is buy by one statement that looks at the newest version of the row.
func buyGuarded(ctx context.Context, tx *sql.Tx, name string, n int) (product int64, err error) {
	r, err := tx.ExecContext(ctx, "UPDATE product SET left_over = left_over - ? WHERE name = ? AND left_over >= ?", n, name, n)
	if err != nil {
		return 0, err
	}
	if changed, err := r.RowsAffected(); err != nil || changed == 0 {
		return 0, errors.Join(errSoldOut, err)
	}
	err = tx.QueryRowContext(ctx, "SELECT id FROM product WHERE name = ?", name).Scan(&product)
	return product, err
}

// again reports whether an error says to try the transaction again: a deadlock, or a row
// that has changed since the transaction's view.
func again(err error) bool {
	var e *driver.MySQLError
	return errors.As(err, &e) && (e.Number == 1213 || e.Number == 1020)
}

// ExploreBuy: ann and bob buy two of three lamps.
func ExploreBuy(p *txmc.Program) { sales(p, buy) }

// ExploreBuyGuarded: the UPDATE looks.
func ExploreBuyGuarded(p *txmc.Program) { sales(p, buyGuarded) }

func sales(p *txmc.Program, buy func(context.Context, *sql.Tx, string, int) (int64, error)) {
	db := mysql.New(p, mysql.Schema(schema), mysql.Seed(seed))
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			err := sell(context.Background(), db.Open(s), buy)
			s.Assert(err == nil || errors.Is(err, errSoldOut) || again(err), err)
		})
	}
	db.Final("no more sold than there were", func(ctx context.Context, db *sql.DB) error {
		var sold int
		if err := db.QueryRowContext(ctx, "SELECT COALESCE(SUM(pieces), 0) FROM sale").Scan(&sold); err != nil {
			return err
		}
		return txmc.Assertf(sold <= 3, "%d of three lamps are sold", sold)
	})
}

// sell sells two lamps and notes it.
func sell(ctx context.Context, db *sql.DB, buy func(context.Context, *sql.Tx, string, int) (int64, error)) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	product, err := buy(ctx, tx, "lamp", 2)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO sale (product, pieces) VALUES (?, ?)", product, 2); err != nil {
		return err
	}
	return tx.Commit()
}
