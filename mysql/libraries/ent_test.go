package libraries

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/txmc/txmc/integration/entaccounts/ent"
	"github.com/txmc/txmc/integration/entaccounts/ent/account"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
)

// ent's generated code, unmodified.
func client(db *sql.DB) *ent.Client {
	return ent.NewClient(ent.Driver(entsql.OpenDB(dialect.MySQL, db)))
}

// deposit adds to an account what it has read of it.
func deposit(ctx context.Context, c *ent.Client, amount int) error {
	tx, err := c.Tx(ctx)
	if err != nil {
		return err
	}
	a, err := tx.Account.Query().Where(account.Owner("ann")).Only(ctx)
	if err == nil {
		err = a.Update().SetBalance(a.Balance + amount).Exec(ctx)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Of two deposits by ent one is lost at REPEATABLE READ; at SERIALIZABLE one of them is the victim of a
// deadlock.
func TestEnt(t *testing.T) {
	lost := map[isolation.Level]bool{isolation.InnoRR: true, isolation.InnoSer: false}
	for level, want := range lost {
		got := exploreAt(t, level, func(p *program.Program) {
			db := mysql.New(p, mysql.Schema("CREATE TABLE accounts (id BIGINT AUTO_INCREMENT PRIMARY KEY, owner VARCHAR(255) NOT NULL UNIQUE, balance BIGINT NOT NULL DEFAULT 0)"),
				mysql.Seed("INSERT INTO accounts (owner, balance) VALUES ('ann', 100)"))
			for i := range 2 {
				p.Session(fmt.Sprint("s", i), func(s *program.Session) {
					err := deposit(context.Background(), client(db.Open(s)), 10)
					for result(err) == "error 1213" {
						err = deposit(context.Background(), client(db.Open(s)), 10)
					}
					s.Observe("deposit", result(err))
				})
			}
			db.Final("balance", func(ctx context.Context, db *sql.DB) error {
				a, err := client(db).Account.Query().Only(ctx)
				if err != nil {
					return err
				}
				return program.Assertf(a.Balance == 120, "balance %d", a.Balance)
			})
		})
		const wrong = "deposit=<nil> deposit=<nil> | balance 110"
		if _, lost := got[wrong]; lost != want || len(got) == 0 {
			t.Errorf("%v: %v", level, got)
		}
	}
}
