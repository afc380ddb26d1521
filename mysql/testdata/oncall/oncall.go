// Package oncall lets doctors go off duty while another one is on call, in SQL for MySQL.
//
// Leave counts who is on call and then changes the own row. Two doctors count each
// other, and nobody is left: each writes a row of his own, so that snapshot isolation
// allows it (write skew). LeaveLocked reads those rows by SELECT … FOR UPDATE, and the
// second doctor sees that the first one has left.
//
// Levels:
//
//	ExploreLeave: breaks at rc, ra, cc, pc, si, innodb-rc, innodb-rr, innodb-rr-si; holds at ser, innodb-ser
//	ExploreLeaveLocked: holds at all
package oncall

import (
	"context"
	"database/sql"
	"errors"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/mysql"
)

const schema = `
CREATE TABLE doctor (
	name    VARCHAR(40) PRIMARY KEY,
	shift   INT NOT NULL,
	on_call BOOLEAN NOT NULL,
	KEY by_shift (shift)
)`

const seed = `INSERT INTO doctor VALUES ('alice', 1, TRUE), ('bob', 1, TRUE), ('carol', 2, TRUE)`

var errLast = errors.New("nobody else is on call")

const (
	onCall = "SELECT name FROM doctor WHERE shift = ? AND on_call"
	locked = onCall + " FOR UPDATE"
)

// leave takes a doctor off duty if another one is on call.
func leave(ctx context.Context, db *sql.DB, find, name string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	n, err := count(ctx, tx, find)
	if err != nil {
		return err
	}
	if n < 2 {
		return errLast
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doctor SET on_call = FALSE WHERE name = ?", name); err != nil {
		return err
	}
	return tx.Commit()
}

func count(ctx context.Context, tx *sql.Tx, find string) (n int, err error) {
	rows, err := tx.QueryContext(ctx, find, 1)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}

// again reports whether an error says to try the transaction again: a deadlock, or a row
// that has changed since the transaction's view.
func again(err error) bool {
	var e *driver.MySQLError
	return errors.As(err, &e) && (e.Number == 1213 || e.Number == 1020)
}

// ExploreLeave: alice and bob leave at the same time.
func ExploreLeave(p *txmc.Program) { leaves(p, onCall) }

// ExploreLeaveLocked: they lock whom they count.
func ExploreLeaveLocked(p *txmc.Program) { leaves(p, locked) }

func leaves(p *txmc.Program, find string) {
	db := mysql.New(p, mysql.Schema(schema), mysql.Seed(seed))
	for _, who := range []string{"alice", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			err := leave(context.Background(), db.Open(s), find, who)
			s.Assert(err == nil || errors.Is(err, errLast) || again(err), err)
		})
	}
	db.Final("somebody is on call", func(ctx context.Context, db *sql.DB) error {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM doctor WHERE shift = 1 AND on_call").Scan(&n); err != nil {
			return err
		}
		return txmc.Assertf(n > 0, "nobody is on call")
	})
}
