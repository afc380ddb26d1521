package pg_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/lib/pq"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
)

// newClient declares a program.
func newClient(t *testing.T, f func(*program.Program)) *program.Client {
	t.Helper()
	return sqltest.NewClient(t, f, program.Options{Recheck: sqltest.Recheck(t)})
}

const accounts = `
CREATE TABLE acct (id int PRIMARY KEY, owner text UNIQUE, bal int NOT NULL CHECK (bal >= 0));
CREATE TABLE entry (id bigserial PRIMARY KEY, acct int REFERENCES acct, amount int);`

const seed = `INSERT INTO acct VALUES (1, 'ann', 100), (2, 'bob', 0)`

// withdraw reads a balance and writes what it computes, as people do.
func withdraw(ctx context.Context, db *sql.DB, id, n int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var bal int
	if err := tx.QueryRowContext(ctx, "SELECT bal FROM acct WHERE id = $1", id).Scan(&bal); err != nil {
		return err
	}
	if bal < n {
		return errors.New("insufficient funds")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE acct SET bal = $1 WHERE id = $2", bal-n, id); err != nil {
		return err
	}
	return tx.Commit()
}

func withdrawals(p *program.Program) {
	db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
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
	t.Parallel()
	for _, level := range []isolation.Level{isolation.SER, isolation.SI, isolation.CC} {
		got := sqltest.Explore(t, withdrawals, level)
		t.Log(level, got.Histories, slices.Sorted(maps.Keys(got.Outcomes)))
	}
}

const coupons = `
CREATE TABLE coupon (code text PRIMARY KEY, most int NOT NULL);
CREATE TABLE redemption (id bigserial PRIMARY KEY, code text NOT NULL REFERENCES coupon, who text NOT NULL);`

// redeem counts, then inserts.
func redeem(ctx context.Context, db *sql.DB, who string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var most, n int
	if err := tx.QueryRowContext(ctx, "SELECT most FROM coupon WHERE code = 'C'").Scan(&most); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM redemption WHERE code = 'C'").Scan(&n); err != nil {
		return err
	}
	if n >= most {
		return errors.New("used up")
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO redemption (code, who) VALUES ('C', $1)", who); err != nil {
		return err
	}
	return tx.Commit()
}

func redemptions(open func(*pg.DB, *program.Session) *sql.DB) func(p *program.Program) {
	return func(p *program.Program) {
		db := pg.New(p, pg.Schema(coupons), pg.Seed("INSERT INTO coupon VALUES ('C', 1)"))
		for _, who := range []string{"ann", "bob"} {
			p.Session(who, func(s *program.Session) {
				s.Observe(who, fmt.Sprint(redeem(context.Background(), open(db, s), who)))
			})
		}
		db.Final("limit", func(ctx context.Context, db *sql.DB) error {
			var n int
			if err := db.QueryRowContext(ctx, "SELECT count(*) FROM redemption").Scan(&n); err != nil {
				return err
			}
			return program.Assertf(n <= 1, "used %d times", n)
		})
	}
}

// ways are the ways to a connection.
func ways(t *testing.T) map[string]func(*pg.DB, *program.Session) *sql.DB {
	return map[string]func(*pg.DB, *program.Session) *sql.DB{
		"open": func(db *pg.DB, s *program.Session) *sql.DB { return db.Open(s) },
		"dsn": func(db *pg.DB, s *program.Session) *sql.DB {
			open, err := sql.Open("postgres", db.DSN(s))
			if err != nil {
				t.Fatal(err)
			}
			s.Backend().AtEnd(func() { open.Close() })
			return open
		},
		"host and port": func(db *pg.DB, s *program.Session) *sql.DB {
			host, port := db.Address(s)
			open, err := sql.Open("pgx", fmt.Sprintf("postgres://shop:secret@%s:%d/shop", host, port))
			if err != nil {
				t.Fatal(err)
			}
			s.Backend().AtEnd(func() { open.Close() })
			return open
		},
	}
}

// A scan sees rows that other sessions bring in, which the first runs do not know.
func TestPhantoms(t *testing.T) {
	t.Parallel()
	for name, open := range ways(t) {
		ser := sqltest.Explore(t, redemptions(open), isolation.SER)
		want := map[string]int{"ann=<nil> bob=used up ": 1, "ann=used up bob=<nil> ": 1}
		if !maps.Equal(ser.Outcomes, want) {
			t.Errorf("%s, ser: %v", name, ser.Outcomes)
		}
		if name != "open" && !deadlinetest.Full() {
			continue
		}
		si := sqltest.Explore(t, redemptions(open), isolation.SI)
		want["ann=<nil> bob=<nil> | used 2 times"] = 1
		if !maps.Equal(si.Outcomes, want) {
			t.Errorf("%s, si: %v", name, si.Outcomes)
		}
	}
}

// An UPDATE reads the newest version of the rows that it changes, at every level:
// its condition and its new value are evaluated on it.
func TestUpdatesLoseNothing(t *testing.T) {
	t.Parallel()
	updates := func(p *program.Program) {
		db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
		for i := range 2 {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				res, err := db.Open(s).Exec("UPDATE acct SET bal = bal - 70 WHERE id = 1 AND bal >= 70")
				if err != nil {
					s.Observe("error", err.Error())
					return
				}
				n, _ := res.RowsAffected()
				s.Observe("rows", n)
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
	want := map[string]bool{"rows=1 rows=0 ": true, "rows=0 rows=1 ": true}
	for _, level := range []isolation.Level{isolation.RC, isolation.CC, isolation.SER} {
		for outcome := range sqltest.Explore(t, updates, level).Outcomes {
			if !want[outcome] {
				t.Errorf("%v: %s", level, outcome)
			}
		}
	}
}

// Statements have the application's lines, whichever goroutine the driver uses.
func TestLines(t *testing.T) {
	t.Parallel()
	for name, open := range ways(t) {
		c, err := program.NewClient(t.Name(), redemptions(open), program.Options{Patience: 10 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Park()
		n, err := c.Root(0)
		if err != nil {
			t.Fatal(err)
		}
		texts := 0
		for _, e := range n.Events {
			at := c.Location(e.Loc)
			if e.Kind == behaviour.StatementEvent && filepath.Base(at.File) == "pg_test.go" && strings.HasSuffix(at.Func, ".redeem") {
				texts++
			}
			if e.Kind == behaviour.BeginEvent && e.Text != "redeem" {
				t.Errorf("%s: transaction %q", name, e.Text)
			}
		}
		if texts == 0 {
			t.Errorf("%s: no statement of redeem among %v", name, n.Events)
		}
	}
}

// queries are statements that others run in their transactions.
type queries struct{ tx *sql.Tx }

func (q queries) setBalance(n int) error {
	_, err := q.tx.Exec("UPDATE acct SET bal = $1 WHERE id = 1", n)
	return err
}

func inTx(db *sql.DB, f func(queries) error) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(queries{tx}); err != nil {
		return err
	}
	return tx.Commit()
}

func pays(db *sql.DB) error {
	return inTx(db, func(q queries) error { return q.setBalance(7) })
}

func begunHere(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := (queries{tx}).setBalance(7); err != nil {
		return err
	}
	return tx.Commit()
}

func leaves(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	return tx.Rollback()
}

func alone(db *sql.DB) error {
	_, err := db.Exec("UPDATE acct SET bal = 8 WHERE id = 1")
	return err
}

// A transaction has the name of the function that begins it, or in which the literal
// stands that is called in it.
func TestTransactionNames(t *testing.T) {
	t.Parallel()
	for name, open := range ways(t) {
		c := newClient(t, func(p *program.Program) {
			db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
			p.Session("s", func(s *program.Session) {
				on := open(db, s)
				for _, f := range []func(*sql.DB) error{pays, begunHere, leaves, alone, pays} {
					s.Assert(f(on) == nil)
				}
			})
		})
		var got []string
		for found, err := range dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.SER, Base: isolation.SER, All: true, List: true, Workers: 1}).Histories() {
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range found.Ends[0].Path() {
				for _, e := range n.Events {
					if e.Kind == behaviour.BeginEvent {
						got = append(got, e.Text)
					}
				}
			}
		}
		if want := []string{"pays", "begunHere", "alone", "pays"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
