package mock

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/mock/exact"
)

// codeOf is the SQLSTATE of an error, "" where there is none.
func codeOf(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// Updates wait, and fail, as on PostgreSQL. At READ COMMITTED nothing is lost when the
// statement computes. The other levels give 40001. A statement that does not want to wait
// gets 55P03, and one in a circle gets 40P01.
func TestExact(t *testing.T) {
	t.Parallel()
	for level, want := range map[isolation.Level]string{isolation.PgRC: "", isolation.PgRR: "40001", isolation.PgSer: "40001"} {
		s, dsn := start(t, Options{Level: level, Seed: 1}, accounts)
		a, b := dial(t, dsn), dial(t, dsn)
		exec := func(c *pgx.Conn, sql string) string {
			_, err := c.Exec(t.Context(), sql)
			return codeOf(err)
		}
		for _, step := range []struct {
			c         *pgx.Conn
			sql, want string
		}{
			{a, `BEGIN`, ""}, {b, `BEGIN`, ""}, {b, `SELECT * FROM account`, ""},
			{a, `UPDATE account SET balance = balance + 10 WHERE id = 1`, ""},
			{b, `SAVEPOINT s`, ""},
			{b, `SELECT * FROM account WHERE id = 1 FOR UPDATE NOWAIT`, "55P03"},
			{b, `ROLLBACK TO s`, ""},
		} {
			if got := exec(step.c, step.sql); got != step.want {
				t.Errorf("%s: %s: %q, want %q", level, step.sql, got, step.want)
			}
		}
		waited := make(chan string, 1)
		go func() { waited <- exec(b, `UPDATE account SET balance = balance + 1 WHERE id = 1`) }()
		select {
		case got := <-waited:
			t.Errorf("%s: an update of a locked row does not wait: %q", level, got)
		case <-time.After(50 * time.Millisecond):
		}
		if got := exec(a, `COMMIT`); got != "" {
			t.Error(got)
		}
		if got := <-waited; got != want {
			t.Errorf("%s: the update that waited: %q, want %q", level, got, want)
		}
		exec(b, `COMMIT`)
		var balance int
		if err := a.QueryRow(t.Context(), `SELECT balance FROM account WHERE id = 1`).Scan(&balance); err != nil {
			t.Fatal(err)
		}
		if right := map[string]int{"": 111, "40001": 110}[want]; balance != right {
			t.Errorf("%s: the balance is %d, want %d", level, balance, right)
		}
		failures := map[string]int64{"": 0, "40001": 1}[want]
		if n := s.store.(*modelled).Counts(); n.Conflicts != failures {
			t.Errorf("%s: %d statements are counted as not serializable, want %d", level, n.Conflicts, failures)
		}
	}
}

// Two transactions that lock two rows in opposite orders: one of them, now the one and now
// the other, gets 40P01, and the other one goes on.
func TestExactDeadlock(t *testing.T) {
	t.Parallel()
	victims, deadlocks := map[int]int{}, 0
	for seed := range deadlinetest.Until(t, deadlinetest.Of(8, 3), func() bool { return len(victims) == 2 }) {
		deadlocks++
		_, dsn := start(t, Options{Level: isolation.PgRC, Seed: uint64(seed), Delay: time.Millisecond}, accounts)
		var wg sync.WaitGroup
		var mu sync.Mutex
		conns := []*pgx.Conn{dial(t, dsn), dial(t, dsn)}
		for i, c := range conns {
			for _, sql := range []string{`BEGIN`, fmt.Sprintf(`UPDATE account SET balance = 0 WHERE id = %d`, 1+i)} {
				if _, err := c.Exec(t.Context(), sql); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i, c := range conns {
			wg.Go(func() {
				_, err := c.Exec(t.Context(), fmt.Sprintf(`UPDATE account SET balance = 0 WHERE id = %d`, 2-i))
				mu.Lock()
				defer mu.Unlock()
				switch codeOf(err) {
				case "":
				case "40P01":
					victims[i]++
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	if victims[0]+victims[1] != deadlocks {
		t.Errorf("victims of %d deadlocks: %v", deadlocks, victims)
	}
}

// Careless clients lose money at READ COMMITTED, and never at SERIALIZABLE, where they try
// again. What is recorded says so.
func TestExactServer(t *testing.T) {
	t.Parallel()
	lost := func(level isolation.Level, seed uint64) bool {
		s, dsn := start(t, Options{Level: level, Seed: seed, Delay: time.Millisecond}, accounts)
		written := 0
		s.Record(func(x *Transaction) {
			for _, e := range x.Events {
				if x.Committed && e.Write && e.Key == "account/1" {
					written++
				}
			}
		})
		var wg sync.WaitGroup
		for i := range 3 {
			c := dial(t, dsn)
			wg.Go(func() {
				for n := range 3 {
					if err := again(func() error { return transfer(t.Context(), c, 10*i+n) }); err != nil {
						t.Errorf("%s: %v", level, err)
					}
				}
			})
		}
		wg.Wait()
		var sum, rows int
		if err := dial(t, dsn).QueryRow(t.Context(), `SELECT sum(balance), (SELECT count(*) FROM log) FROM account`).Scan(&sum, &rows); err != nil {
			t.Fatal(err)
		}
		if rows != 18 || written != 9 {
			t.Errorf("%s: %d rows in the log, and %d writes of a balance are recorded; want 18 and 9", level, rows, written)
		}
		return sum != 200
	}
	for seed := range uint64(3) {
		if lost(isolation.PgSer, seed) {
			t.Errorf("money is lost at SERIALIZABLE, with seed %d", seed)
		}
	}
	is := false
	for seed := range deadlinetest.Until(t, 1, func() bool { return is }) {
		is = lost(isolation.PgRC, uint64(seed))
	}
}

// Clients that leave while they wait, or in a transaction, hold nobody up. Statements that
// wait can be cancelled. Then the savepoint before them is as it was.
func TestExactLeaves(t *testing.T) {
	t.Parallel()
	_, dsn := start(t, Options{Level: isolation.PgRC}, accounts)
	a, b, c := dial(t, dsn), dial(t, dsn), dial(t, dsn)
	must := func(c *pgx.Conn, sql string) {
		t.Helper()
		if _, err := c.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	must(a, `BEGIN; UPDATE account SET balance = 1 WHERE id = 1`)
	must(c, `BEGIN; UPDATE account SET balance = 5 WHERE id = 2; SAVEPOINT s; UPDATE account SET balance = 7 WHERE id = 2`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.Exec(ctx, `UPDATE account SET balance = 2 WHERE id = 1`); err == nil {
		t.Error("the update does not wait")
	}
	done := make(chan string, 1)
	go func() {
		_, err := c.Exec(t.Context(), `SELECT pg_sleep(0); UPDATE account SET balance = 3 WHERE id = 1`)
		done <- codeOf(err)
	}()
	for again := time.After(time.Minute); ; {
		if err := c.PgConn().CancelRequest(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-done:
			if got != "57014" {
				t.Errorf("the cancelled statement: %s", got)
			}
		case <-time.After(20 * time.Millisecond):
			continue
		case <-again:
			t.Fatal("the statement cannot be cancelled")
		}
		break
	}
	must(c, `ROLLBACK TO s; COMMIT`)
	a.PgConn().Conn().Close()
	d := dial(t, dsn)
	var one, two int
	for range 100 { // until the server has noticed
		if err := d.QueryRow(t.Context(), `SELECT a.balance, b.balance FROM account a, account b WHERE a.id = 1 AND b.id = 2`).Scan(&one, &two); err != nil {
			t.Fatal(err)
		}
	}
	if one != 100 || two != 5 {
		t.Errorf("balances %d and %d, want 100 and 5", one, two)
	}
	must(d, `UPDATE account SET balance = 9 WHERE id = 1`)
}

// More clients than there can be transactions: those that come too late wait. What is
// forgotten in between changes nothing: a counter counts right.
func TestExactMany(t *testing.T) {
	t.Parallel()
	clients, each := exact.MaxOpen+6, deadlinetest.Of(4, 1)
	_, dsn := start(t, Options{Level: isolation.PgRC, Delay: 1}, accounts)
	var wg sync.WaitGroup
	for range clients {
		c := dial(t, dsn)
		wg.Go(func() {
			for range each {
				if _, err := c.Exec(t.Context(), `BEGIN; UPDATE account SET balance = balance + 1 WHERE id = 1; INSERT INTO log (account, amount) VALUES (1, 1); COMMIT`); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var balance, rows int
	if err := dial(t, dsn).QueryRow(t.Context(), `SELECT balance, (SELECT count(*) FROM log) FROM account WHERE id = 1`).Scan(&balance, &rows); err != nil {
		t.Fatal(err)
	}
	if balance != 100+clients*each || rows != clients*each {
		t.Errorf("the balance is %d, with %d rows in the log; want %d and %d", balance, rows, 100+clients*each, clients*each)
	}
}

// A transaction that is DEFERRABLE waits until it cannot fail, and then reads.
func TestExactDeferrable(t *testing.T) {
	t.Parallel()
	_, dsn := start(t, Options{Level: isolation.PgSer, Delay: 1}, accounts)
	a, b := dial(t, dsn), dial(t, dsn)
	if _, err := a.Exec(t.Context(), `BEGIN; SELECT * FROM account; UPDATE account SET balance = 1 WHERE id = 1`); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	var balance int
	go func() {
		tx, err := b.BeginTx(context.Background(), pgx.TxOptions{IsoLevel: pgx.Serializable, AccessMode: pgx.ReadOnly, DeferrableMode: pgx.Deferrable})
		if err == nil {
			err = tx.QueryRow(context.Background(), `SELECT balance FROM account WHERE id = 1`).Scan(&balance)
		}
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("it does not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if _, err := a.Exec(t.Context(), `COMMIT`); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || balance < 1 {
		t.Errorf("balance %d, %v", balance, err)
	}
}
