// Package counter counts visits of pages, in SQL for MySQL.
//
// Visit reads the number of visits and writes the next one, whether the page has a row or
// not: visits are lost. VisitOnce does it in one statement, INSERT … ON DUPLICATE KEY
// UPDATE with an expression, which looks at the newest version of the row at every
// level.
//
// Levels:
//
//	ExploreVisit: breaks at rc, innodb-rc, innodb-rr; holds at ra, cc, pc, si, ser, innodb-rr-si, innodb-ser
//	ExploreVisitOnce: holds at all
package counter

import (
	"context"
	"database/sql"
	"errors"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/mysql"
)

const schema = `
CREATE TABLE page (
	url    VARCHAR(190) PRIMARY KEY,
	visits INT UNSIGNED NOT NULL
)`

// visit reads, and then writes.
func visit(ctx context.Context, db *sql.DB, url string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var visits uint
	if err := tx.QueryRowContext(ctx, "SELECT visits FROM page WHERE url = ?", url).Scan(&visits); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO page (url, visits) VALUES (?, ?) ON DUPLICATE KEY UPDATE visits = VALUES(visits)", url, visits+1); err != nil {
		return err
	}
	return tx.Commit()
}

// visitOnce does it in one statement.
func visitOnce(ctx context.Context, db *sql.DB, url string) error {
	_, err := db.ExecContext(ctx, "INSERT INTO page (url, visits) VALUES (?, 1) ON DUPLICATE KEY UPDATE visits = visits + 1", url)
	return err
}

// again reports whether an error says to try the transaction again: a deadlock, or a row
// that has changed since the transaction's view.
func again(err error) bool {
	var e *driver.MySQLError
	return errors.As(err, &e) && (e.Number == 1213 || e.Number == 1020)
}

// ExploreVisit: ann and bob are the first visitors of a page.
func ExploreVisit(p *txmc.Program) { visits(p, visit) }

// ExploreVisitOnce: each visit is one statement.
func ExploreVisitOnce(p *txmc.Program) { visits(p, visitOnce) }

func visits(p *txmc.Program, visit func(context.Context, *sql.DB, string) error) {
	db := mysql.New(p, mysql.Schema(schema))
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			pool, err := sql.Open("mysql", db.DSN(s))
			s.Assert(err == nil, err)
			defer pool.Close()
			err = visit(context.Background(), pool, "/")
			for again(err) {
				err = visit(context.Background(), pool, "/")
			}
			s.Assert(err == nil, err)
		})
	}
	db.Final("visits", func(ctx context.Context, db *sql.DB) error {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT visits FROM page").Scan(&n); err != nil {
			return err
		}
		return txmc.Assertf(n == 2, "%d visits of two", n)
	})
}
