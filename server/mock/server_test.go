package mock

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program/deadlinetest"
)

const accounts = `CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
	CREATE TABLE log (n serial PRIMARY KEY, account int NOT NULL REFERENCES account, amount int NOT NULL);
	INSERT INTO account VALUES (1, 100), (2, 100);`

// start serves on a loopback address until the test ends.
func start(t *testing.T, o Options, schema string) (*Server, string) {
	t.Helper()
	s, err := NewServer(o, pg.Schema(schema))
	if err != nil {
		t.Fatal(err)
	}
	return s, listening(t, s)
}

func dial(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// transfer moves money as careless code does: it computes the balance itself.
func transfer(ctx context.Context, c *pgx.Conn, amount int) error {
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	for id, change := range map[int]int{1: -amount, 2: amount} {
		var balance int
		if err := tx.QueryRow(ctx, `SELECT balance FROM account WHERE id = $1`, id).Scan(&balance); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE account SET balance = $2 WHERE id = $1`, id, balance+change); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO log (account, amount) VALUES ($1, $2)`, id, change); err != nil {
			return err
		}
	}
	return tx.Commit(ctx)
}

// again tries again what the server says may be tried again.
func again(f func() error) error {
	for range 200 {
		err := f()
		var e *pgconn.PgError
		if err == nil || !errors.As(err, &e) || e.Code != "40001" && e.Code != "40P01" {
			return err
		}
	}
	return errors.New("200 failures")
}

// Money is lost at rc, and never at ser, where the clients try again. What the log has
// agrees with the balances then.
func TestServer(t *testing.T) {
	t.Parallel()
	lost := func(level isolation.Level, seed uint64) (is bool) {
		_, dsn := start(t, Options{Level: level, Seed: seed}, accounts)
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
		c := dial(t, dsn)
		var sum, rows int
		ask := func() error {
			return c.QueryRow(t.Context(), `SELECT sum(balance), (SELECT count(*) FROM log) FROM account`).Scan(&sum, &rows)
		}
		for range 30 { // the reader may see any state at the weak levels
			if err := ask(); err != nil {
				t.Fatal(err)
			}
			is = is || sum != 200 || level == isolation.SER && rows%2 > 0
		}
		return is
	}
	for seed := range uint64(3) {
		if lost(isolation.SER, seed) {
			t.Errorf("money is lost at ser, with seed %d", seed)
		}
	}
	is := false
	for seed := range deadlinetest.Until(t, 1, func() bool { return is }) {
		is = lost(isolation.RC, uint64(seed))
	}
}

// A count that decides on an insert: at ser one of two transactions that have both seen
// no row fails, though neither has looked at the other's row.
func TestPhantoms(t *testing.T) {
	t.Parallel()
	for _, level := range []isolation.Level{isolation.SI, isolation.SER} {
		both := 0
		for seed := range uint64(4) {
			db := Open(t, Options{Level: level, Seed: seed}, pg.Schema(`CREATE TABLE shift (who text PRIMARY KEY)`))
			var txs []*sql.Tx
			ok := 0
			for range 2 {
				tx, err := db.BeginTx(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				var n int
				if err := tx.QueryRow(`SELECT count(*) FROM shift`).Scan(&n); err != nil || n > 0 {
					t.Fatal(n, err)
				}
				txs = append(txs, tx)
			}
			for i, tx := range txs {
				_, err := tx.Exec(`INSERT INTO shift VALUES ($1)`, fmt.Sprint(i))
				if err == nil {
					err = tx.Commit()
				} else {
					tx.Rollback()
				}
				var e *pgconn.PgError
				switch {
				case err == nil:
					ok++
				case !errors.As(err, &e) || e.Code != "40001":
					t.Fatal(err)
				}
			}
			if ok == 2 {
				both++
			}
		}
		if level == isolation.SI && both == 0 || level == isolation.SER && both > 0 {
			t.Errorf("%s: both insert in %d of 4 runs", level, both)
		}
	}
}

// A count that comes between the insert and the commit of another transaction is a read of
// the row that is not there yet.
func TestLatePhantoms(t *testing.T) {
	t.Parallel()
	_, dsn := start(t, Options{Level: isolation.SER}, accounts)
	a, b := dial(t, dsn), dial(t, dsn)
	for i := range 3 {
		both := "BEGIN; SELECT count(*) FROM log; INSERT INTO log (account, amount) VALUES (1, 1)"
		does(t, a, both)
		if _, err := b.Exec(t.Context(), both); codeOf(err) != "40001" {
			t.Errorf("run %d: the second one that counts and inserts: %v", i, err)
		}
		does(t, a, "COMMIT")
		does(t, b, "ROLLBACK")
	}
}

// Errors are PostgreSQL's; sequences give every number once; what cannot be served is
// refused by name; clients that leave hold nothing up.
func TestServerEdges(t *testing.T) {
	t.Parallel()
	s, dsn := start(t, Options{Level: isolation.SER}, accounts)
	a, b := dial(t, dsn), dial(t, dsn)
	code := func(c *pgx.Conn, sql string) string {
		_, err := c.Exec(t.Context(), sql)
		var e *pgconn.PgError
		if errors.As(err, &e) {
			return e.Code
		}
		return fmt.Sprint(err)
	}
	for _, test := range []struct{ sql, want string }{
		{`INSERT INTO account VALUES (1, 5)`, "23505"},
		{`INSERT INTO log (account, amount) VALUES (7, 5)`, "23503"},
		{`SELEC 1`, "42601"},
		{`INSERT INTO log (account, amount) VALUES (1, 5), (1, 6)`, "<nil>"},
	} {
		if got := code(a, test.sql); got != test.want {
			t.Errorf("%s: %s, want %s", test.sql, got, test.want)
		}
	}
	if got := code(b, `INSERT INTO log (account, amount) VALUES (2, 5)`); got != "<nil>" {
		t.Errorf("the other connection's number: %s", got)
	}
	left := dial(t, dsn) // leaves in the middle of a transaction that has locked a row
	if got := code(left, `BEGIN; UPDATE account SET balance = 0 WHERE id = 2`); got != "<nil>" {
		t.Error(got)
	}
	left.PgConn().Conn().Close()
	if got := code(a, `UPDATE account SET balance = 7 WHERE id = 2`); got != "<nil>" {
		t.Error(got)
	}
	if got := code(dial(t, dsn), `DO 'BEGIN CREATE TABLE other (x int); END'`); got != "0A000" {
		t.Errorf("a table that other connections do not see: %s", got)
	}
	wild, err := net.Dial("tcp", a.PgConn().Conn().RemoteAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	wild.Write([]byte{0xff, 0xff, 0xff, 0xff, 1, 2, 3})
	wild.Close()
	if n := s.KV().Counts(); n.Transactions == 0 || n.Reads == 0 {
		t.Errorf("%+v", n)
	}
}

// The clock is the machine's, and connections have random numbers of their own.
func TestClockAndRandom(t *testing.T) {
	t.Parallel()
	_, dsn := start(t, Options{Level: isolation.SER}, accounts+"; CREATE TABLE chance AS SELECT random()")
	seen := map[string]bool{}
	for range 3 {
		c := dial(t, dsn)
		for range 2 {
			var id, number string
			var now time.Time
			if err := c.QueryRow(t.Context(), `SELECT gen_random_uuid()::text, random()::text, clock_timestamp()`).Scan(&id, &number, &now); err != nil {
				t.Fatal(err)
			}
			if seen[id] || seen[number] {
				t.Errorf("%s or %s comes twice", id, number)
			}
			seen[id], seen[number] = true, true
			if d := time.Since(now); d < -time.Minute || d > time.Hour {
				t.Errorf("it is %v there", now)
			}
		}
	}
}
