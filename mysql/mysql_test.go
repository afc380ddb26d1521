package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
)

const accounts = `
CREATE TABLE acct (id int PRIMARY KEY, owner varchar(20) UNIQUE, bal int NOT NULL CHECK (bal >= 0));
CREATE TABLE entry (id bigint AUTO_INCREMENT PRIMARY KEY, acct int, amount int, FOREIGN KEY (acct) REFERENCES acct (id));`

const seed = `INSERT INTO acct VALUES (1, 'ann', 100), (2, 'bob', 0)`

// withdraw reads a balance and writes what it computes, as people do.
func withdraw(ctx context.Context, db *sql.DB, id, n int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var bal int
	if err := tx.QueryRowContext(ctx, "SELECT bal FROM acct WHERE id = ?", id).Scan(&bal); err != nil {
		return err
	}
	if bal < n {
		return errors.New("insufficient funds")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE acct SET bal = ? WHERE id = ?", bal-n, id); err != nil {
		return err
	}
	return tx.Commit()
}

func withdrawals(p *program.Program) {
	db := mysql.New(p, mysql.Schema(accounts), mysql.Seed(seed))
	for i := range 2 {
		p.Session(fmt.Sprint("s", i), func(s *program.Session) {
			s.Observe("error", fmt.Sprint(withdraw(context.Background(), db.Open(s), 1, 70)))
		})
	}
	db.Final("balance", func(ctx context.Context, db *sql.DB) error {
		var bal int
		if err := db.QueryRowContext(ctx, "SELECT bal FROM acct WHERE id = 1").Scan(&bal); err != nil {
			return err
		}
		return program.Assertf(bal == 30, "balance %d", bal)
	})
}

func TestWithdrawals(t *testing.T) {
	const first, second, both = "error=<nil> error=insufficient funds ", "error=insufficient funds error=<nil> ", "error=<nil> error=<nil> "
	for level, want := range map[isolation.Level][]string{
		isolation.SER: {second, first}, isolation.SI: {second, first}, isolation.RC: {both, second, first},
	} {
		got := sqltest.Explore(t, withdrawals, level)
		slices.Sort(want)
		if outcomes := slices.Sorted(maps.Keys(got.Outcomes)); !slices.Equal(outcomes, want) {
			t.Errorf("%v: got %q, want %q", level, outcomes, want)
		}
	}
}

// What a session does on a second connection while a transaction is open cannot be
// explored, and neither can a statement that a server may answer otherwise, also where the code
// ignores its error, or a transaction that stays open.
func TestRefused(t *testing.T) {
	line := 0 // before that of the statement that is refused
	for want, f := range map[string]func(db *sql.DB) error{
		"a session has one transaction at a time": func(db *sql.DB) error {
			tx, err := db.Begin()
			if err != nil {
				return err
			}
			defer tx.Rollback()
			if _, err := tx.Exec("UPDATE acct SET bal = 1 WHERE id = 1"); err != nil {
				return err
			}
			_, _, line, _ = runtime.Caller(0)
			_, err = db.Exec("UPDATE acct SET bal = 2 WHERE id = 2")
			return err
		},
		"LOCK TABLES is not explored": func(db *sql.DB) error {
			_, _, line, _ = runtime.Caller(0)
			db.Exec("LOCK TABLES acct WRITE")
			return nil
		},
		"does not know its syntax": func(db *sql.DB) error {
			_, _, line, _ = runtime.Caller(0)
			db.Exec("HANDLER acct READ FIRST WHERE bal > ?", 1)
			return nil
		},
		"ended with transaction": func(db *sql.DB) error {
			tx, err := db.Begin()
			if err != nil {
				return err
			}
			_, err = tx.Exec("UPDATE acct SET bal = 1 WHERE id = 1")
			return err
		},
	} {
		c := sqltest.NewClient(t, func(p *program.Program) {
			db := mysql.New(p, mysql.Schema(accounts), mysql.Seed(seed))
			p.Session("s", func(s *program.Session) { s.Observe("error", fmt.Sprint(f(db.Open(s)))) })
		}, program.Options{})
		var failed error
		for _, err := range dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.SER, Base: isolation.SER.Base(), Workers: 1}).Histories() {
			failed = errors.Join(failed, err)
		}
		if failed == nil || !strings.Contains(failed.Error(), want) || !strings.Contains(failed.Error(), "mysql_test.go") {
			t.Errorf("got %v, want %q", failed, want)
		} else if at := fmt.Sprintf("mysql_test.go:%d:", line+1); !strings.Contains(want, "ended with") && !strings.Contains(failed.Error(), at) {
			t.Errorf("got %v, want %s", failed, at)
		}
	}
}
