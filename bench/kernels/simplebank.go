package kernels

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

const bankSchema = `
CREATE TABLE accounts (id bigserial PRIMARY KEY, owner text NOT NULL, balance bigint NOT NULL, currency text NOT NULL, created_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE entries (id bigserial PRIMARY KEY, account_id bigint NOT NULL REFERENCES accounts (id), amount bigint NOT NULL, created_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE transfers (id bigserial PRIMARY KEY, from_account_id bigint NOT NULL REFERENCES accounts (id), to_account_id bigint NOT NULL REFERENCES accounts (id),
	amount bigint NOT NULL, created_at timestamptz NOT NULL DEFAULT now());
CREATE INDEX ON accounts (owner);
CREATE INDEX ON entries (account_id);
CREATE INDEX ON transfers (from_account_id);
CREATE INDEX ON transfers (to_account_id);
CREATE INDEX ON transfers (from_account_id, to_account_id);`

// Bank is sessions that transfer money between two accounts, and write entries about it, as an
// application for learning does: a transaction of five statements with numbers of sequences and
// foreign keys. Odd sessions transfer the other way. The sum of all balances stays.
func Bank(sessions, txns int) func(p *txmc.Program) {
	return func(p *txmc.Program) {
		db := pg.New(p, pg.Schema(bankSchema), pg.Seed("INSERT INTO accounts (owner, balance, currency) VALUES ('ann', 100, 'EUR'), ('bob', 100, 'EUR')"))
		for i := range sessions {
			p.Session(fmt.Sprint("s", i), func(s *txmc.Session) {
				d := db.Open(s)
				for range txns {
					from, to := 1, 2
					if i%2 == 1 {
						from, to = 2, 1
					}
					err := transfer(d, from, to, 10)
					s.Assert(err == nil, err)
				}
			})
		}
		db.Final("nothing is lost", func(ctx context.Context, q *sql.DB) error {
			var sum int
			if err := q.QueryRowContext(ctx, "SELECT sum(balance) FROM accounts").Scan(&sum); err != nil {
				return err
			}
			return txmc.Assertf(sum == 200, "%d", sum)
		})
	}
}

func transfer(d *sql.DB, from, to, amount int) error {
	ctx := context.Background()
	tx, err := d.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var id int64
	if err := tx.QueryRow("INSERT INTO transfers (from_account_id, to_account_id, amount) VALUES ($1, $2, $3) RETURNING id", from, to, amount).Scan(&id); err != nil {
		return err
	}
	for _, e := range []struct{ account, amount int }{{from, -amount}, {to, amount}} {
		if err := tx.QueryRow("INSERT INTO entries (account_id, amount) VALUES ($1, $2) RETURNING id", e.account, e.amount).Scan(&id); err != nil {
			return err
		}
	}
	type change struct{ account, amount int }
	changes := []change{{from, -amount}, {to, amount}}
	if from > to { // in the order of the accounts, so that no two sessions wait for each other
		changes[0], changes[1] = changes[1], changes[0]
	}
	for _, c := range changes {
		var balance int
		if err := tx.QueryRow("UPDATE accounts SET balance = balance + $1 WHERE id = $2 RETURNING balance", c.amount, c.account).Scan(&balance); err != nil {
			return err
		}
	}
	return tx.Commit()
}
