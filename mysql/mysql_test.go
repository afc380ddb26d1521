package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
)

// explored is what an exploration finds.
type explored struct {
	histories int64
	outcomes  map[string]int // what the sessions observed, and failures
	locks     int            // locking reads, in all histories
}

// explore explores a program at a level, from the beginning again as long as rows
// become known.
func explore(t *testing.T, f func(*program.Program), level isolation.Level) explored {
	t.Helper()
	return exploreAt(t, newClient(t, f), level)
}

// newClient declares a program.
func newClient(t *testing.T, f func(*program.Program)) *program.Client {
	t.Helper()
	c, err := program.NewClient(t.Name(), f, program.Options{Patience: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Park)
	return c
}

// exploreAt explores at a level and leaves the client as if it had explored nothing,
// but for the rows that are known.
func exploreAt(t *testing.T, c *program.Client, level isolation.Level) explored {
	t.Helper()
	for range 20 {
		got, again := exploreOnce(t, c, level)
		if err := c.Renew(); err != nil {
			t.Fatal(err)
		}
		if !again {
			return got
		}
	}
	t.Fatal("rows become known for ever")
	return explored{}
}

func exploreOnce(t *testing.T, c *program.Client, level isolation.Level) (got explored, again bool) {
	t.Helper()
	got = explored{outcomes: map[string]int{}}
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: level, Base: level.Base(), All: true, List: true, Workers: 1})
	for found, err := range x.Histories() {
		if errors.Is(err, program.ErrAgain) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		o := ""
		for _, n := range found.Ends {
			for _, m := range n.Path() {
				if m.Kind == program.Read && m.Lock {
					got.locks++
				}
				for _, e := range m.Events {
					if e.Kind == program.ObserveEvent {
						o += fmt.Sprintf("%s=%v ", e.Text, c.Value(e.Val))
					}
				}
			}
		}
		for _, f := range found.Failures {
			o += "| " + f.Message
		}
		got.outcomes[o]++
		got.histories++
	}
	return got, errors.Is(c.Again(), program.ErrAgain)
}

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
		got := explore(t, withdrawals, level)
		slices.Sort(want)
		if outcomes := slices.Sorted(maps.Keys(got.outcomes)); !slices.Equal(outcomes, want) {
			t.Errorf("%v: got %q, want %q", level, outcomes, want)
		}
	}
}

// What a session does on a second connection while a transaction is open cannot be
// explored, and neither can a change of the schema or a transaction that stays open.
func TestRefused(t *testing.T) {
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
			_, err = db.Exec("UPDATE acct SET bal = 2 WHERE id = 2")
			return err
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
		c := newClient(t, func(p *program.Program) {
			db := mysql.New(p, mysql.Schema(accounts), mysql.Seed(seed))
			p.Session("s", func(s *program.Session) { s.Observe("error", fmt.Sprint(f(db.Open(s)))) })
		})
		var failed error
		for _, err := range dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.SER, Base: isolation.SER.Base(), Workers: 1}).Histories() {
			failed = errors.Join(failed, err)
		}
		if failed == nil || !strings.Contains(failed.Error(), want) || !strings.Contains(failed.Error(), "mysql_test.go") {
			t.Errorf("got %v, want %q", failed, want)
		}
	}
}
