package postgres

import (
	"context"
	"database/sql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

// Statements that are not one moment: a lock is tried after the snapshot, and each query of
// a function has a snapshot of its own.

// total sums up two accounts by two queries.
const total = `CREATE FUNCTION total() RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; b int;
BEGIN
	SELECT balance INTO a FROM acct WHERE id = 1;
	SELECT balance INTO b FROM acct WHERE id = 2;
	RETURN a + b;
END $$;`

// ExploreReminders sends a reminder to a doctor who has had none. Two workers send the same
// one: a worker sees that there is none, and locks the doctor when the other has committed.
func ExploreReminders(p *txmc.Program) { reminders(p, false) }

// ExploreRemindersAgain looks again when the doctor is locked.
func ExploreRemindersAgain(p *txmc.Program) { reminders(p, true) }

func reminders(p *txmc.Program, again bool) {
	db := sessions(p, func(db *sql.DB, _, _ string) error {
		return inTx(context.Background(), db, readCommitted, func(ctx context.Context, tx *sql.Tx) error {
			var name string
			err := tx.QueryRowContext(ctx, `SELECT name FROM doctor WHERE name = 'ann' AND NOT EXISTS (SELECT FROM mail WHERE receiver = name)
				FOR UPDATE SKIP LOCKED`).Scan(&name)
			if err == sql.ErrNoRows {
				return nil
			}
			if err != nil {
				return err
			}
			if sent := 0; again {
				if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM mail WHERE receiver = $1", name).Scan(&sent); err != nil || sent > 0 {
					return err
				}
			}
			_, err = tx.ExecContext(ctx, "INSERT INTO mail (receiver) VALUES ($1)", name)
			return err
		})
	})
	holds(db, "one reminder", "SELECT count(*) FROM mail", 1)
}

// ExploreTotal asks a function for a total while money moves.
func ExploreTotal(p *txmc.Program) { totals(p, "SELECT total()") }

// ExploreTotalAtOnce asks by one query.
func ExploreTotalAtOnce(p *txmc.Program) { totals(p, "SELECT sum(balance) FROM acct") }

func totals(p *txmc.Program, query string) {
	ctx := context.Background()
	db := pg.New(p, pg.Schema(schema), pg.Schema(total), pg.Seed(seed))
	p.Session("report", func(s *txmc.Session) {
		var n int
		if err := db.Open(s).QueryRowContext(ctx, query).Scan(&n); err != nil {
			s.Assert(false, err)
		}
		s.Assertf(n == 200, "the total is %d", n)
	})
	p.Session("transfer", func(s *txmc.Session) {
		s.Assert(inTx(ctx, db.Open(s), readCommitted, move(1, 2)) == nil)
	})
}

// ExploreRaises raises all balances by one statement each, in two orders: a deadlock ends
// one of them.
func ExploreRaises(p *txmc.Program) { raises(p, "DESC") }

// ExploreRaisesInOrder locks the accounts in one order.
func ExploreRaisesInOrder(p *txmc.Program) { raises(p, "ASC") }

func raises(p *txmc.Program, order string) {
	db := sessions(p, func(db *sql.DB, me, _ string) error {
		by := map[string]string{"ann": "ASC", "bob": order}[me]
		_, err := db.Exec("UPDATE acct SET balance = balance + 1 FROM (SELECT id FROM acct ORDER BY id " + by + " FOR UPDATE) locked WHERE acct.id = locked.id")
		return err
	})
	holds(db, "both have raised", "SELECT sum(balance) FROM acct", 204)
}
