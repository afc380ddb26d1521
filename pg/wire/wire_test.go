package wire_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/lib/pq"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/wire"
)

var server = sync.OnceValues(func() (*engine.Engine, error) {
	return engine.Open(context.Background(), engine.Options{})
})

// watch keeps what a hub tells.
type watch struct {
	statements []string
	refused    string
}

func (w *watch) Statement(text string) error {
	w.statements = append(w.statements, text)
	return nil
}

func (w *watch) Refuse(message string) error {
	w.refused = message
	return nil
}

// instance is a server of the test's own.
func instance(t *testing.T) *engine.Instance {
	t.Helper()
	e, err := server()
	if err != nil {
		t.Skipf("PostgreSQL's package is not to be had: %v", err)
	}
	x, err := e.Instance()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// newHub returns a hub with a server of its own that has the table t.
func newHub(t *testing.T) (*wire.Hub, *watch) {
	t.Helper()
	w := &watch{}
	h := wire.NewHub(instance(t), w)
	c := connect(t, h)
	if _, err := c.Exec(t.Context(), "create table t(id int primary key, v text)"); err != nil {
		t.Fatal(err)
	}
	c.Close(t.Context())
	w.statements = nil
	return h, w
}

func config(t *testing.T, h *wire.Hub) *pgx.ConnConfig {
	t.Helper()
	c, err := pgx.ParseConfig("postgres://postgres@/postgres?host=/txmc&sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	c.DialFunc = func(context.Context, string, string) (net.Conn, error) { return h.Dial(), nil }
	return c
}

func connect(t *testing.T, h *wire.Hub) *pgx.Conn {
	t.Helper()
	c, err := pgx.ConnectConfig(t.Context(), config(t, h))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPgx(t *testing.T) {
	h, w := newHub(t)
	c := connect(t, h)
	ctx := t.Context()
	for i := range 3 {
		tag, err := c.Exec(ctx, "insert into t values ($1, $2)", i, fmt.Sprint("it's ", i))
		if err != nil || tag.RowsAffected() != 1 {
			t.Fatal(tag, err)
		}
	}
	var v string
	if err := c.QueryRow(ctx, "select v from t where id = $1", 2).Scan(&v); err != nil || v != "it's 2" {
		t.Fatal(v, err)
	}
	_, err := c.Exec(ctx, "insert into t values (2, 'again')")
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "23505" || e.ConstraintName != "t_pkey" || e.TableName != "t" {
		t.Fatalf("%#v", err)
	}
	want := []string{"insert into t values (0, 'it''s 0')", "insert into t values (1, 'it''s 1')", "insert into t values (2, 'it''s 2')",
		"select v from t where id = 2", "insert into t values (2, 'again')"}
	if !slices.Equal(w.statements, want) {
		t.Errorf("statements %q", w.statements)
	}
}

func TestBatchesAndCopies(t *testing.T) {
	h, _ := newHub(t)
	c := connect(t, h)
	ctx := t.Context()
	rows := [][]any{}
	for i := range 1000 {
		rows = append(rows, []any{i, strings.Repeat("x", 100)})
	}
	if n, err := c.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id", "v"}, pgx.CopyFromRows(rows)); n != 1000 || err != nil {
		t.Fatal(n, err)
	}
	b := &pgx.Batch{}
	sum := 0
	for i := range 100 {
		b.Queue("select id from t where id = $1", i).QueryRow(func(row pgx.Row) error {
			var id int
			err := row.Scan(&id)
			sum += id
			return err
		})
	}
	if err := c.SendBatch(ctx, b).Close(); err != nil || sum != 99*50 {
		t.Fatal(err, sum)
	}
	var n int
	if err := c.QueryRow(ctx, "select count(*) from t").Scan(&n); err != nil || n != 1000 {
		t.Fatal(n, err)
	}
}

func TestPool(t *testing.T) {
	h, w := newHub(t)
	cfg, err := pgxpool.ParseConfig("postgres://postgres@/postgres?host=/txmc&sslmode=disable&pool_max_conns=4")
	if err != nil {
		t.Fatal(err)
	}
	cfg.ConnConfig.DialFunc = func(context.Context, string, string) (net.Conn, error) { return h.Dial(), nil }
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	one, err := pool.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	two, err := pool.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []*pgxpool.Conn{one, two, one, two} { // both prepare the same statement
		if _, err := c.Exec(ctx, "insert into t values ($1, 'x')", i); err != nil {
			t.Fatal(err)
		}
	}
	tx, err := one.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "delete from t where id = 1"); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Exec(ctx, "delete from t where id = 3"); err == nil || !strings.Contains(w.refused, `"delete from t where id = 3" is sent on a second connection`) {
		t.Fatalf("%v, refused: %s", err, w.refused)
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	two.Release()
	one.Release()
}

// A connection that goes away rolls back, and the next one works.
func TestClosedInATransaction(t *testing.T) {
	h, _ := newHub(t)
	one := connect(t, h)
	for _, s := range []string{"begin", "insert into t values (1, 'x')"} {
		if _, err := one.Exec(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	one.Close(t.Context())
	n := -1
	if err := connect(t, h).QueryRow(t.Context(), "select count(*) from t").Scan(&n); err != nil || n != 0 {
		t.Fatal(n, err)
	}
}

type dialer struct{ h *wire.Hub }

func (d dialer) Dial(string, string) (net.Conn, error)                       { return d.h.Dial(), nil }
func (d dialer) DialTimeout(string, string, time.Duration) (net.Conn, error) { return d.h.Dial(), nil }

func TestDatabaseSQL(t *testing.T) {
	h, _ := newHub(t)
	connector, err := pq.NewConnector("host=/txmc user=postgres dbname=postgres sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	connector.Dialer(dialer{h})
	for name, db := range map[string]*sql.DB{"pgx": stdlib.OpenDB(*config(t, h)), "lib/pq": sql.OpenDB(connector)} {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := tx.Exec("insert into t values ($1, $2)", 7, name); err != nil {
			t.Fatal(name, err)
		}
		rows, err := tx.Query("select id, v from t")
		if err != nil {
			t.Fatal(name, err)
		}
		for rows.Next() {
			var id int
			var v string
			if err := rows.Scan(&id, &v); err != nil || id != 7 || v != name {
				t.Fatal(name, id, v, err)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(name, err)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(name, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(name, err)
		}
	}
}

// A connection that begins when no other is alive finds nothing of earlier ones.
func TestSettingsEnd(t *testing.T) {
	h, _ := newHub(t)
	ctx := t.Context()
	one := connect(t, h)
	for _, sql := range []string{"set timezone = 'Asia/Tokyo'", "create temp table left_behind (id int)", "select pg_advisory_lock(7)", "prepare p as select 1"} {
		if _, err := one.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	two := connect(t, h)
	if got := text(t, two, "show timezone"); got != "Asia/Tokyo" {
		t.Errorf("the server is one for both: %s", got)
	}
	for _, c := range []*pgx.Conn{one, two} {
		if err := c.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	three := connect(t, h)
	for sql, want := range map[string]string{
		"show timezone": "UTC", "select count(*)::text from pg_prepared_statements where name = 'p'": "0",
		"select count(*)::text from pg_locks where locktype = 'advisory'": "0", "select coalesce(to_regclass('left_behind')::text, 'gone')": "gone",
	} {
		if got := text(t, three, sql); got != want {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

// Drivers dial beside the session to ask for the end of a statement, at any time: what later connections
// have on the server does not depend on it.
func TestCancelHasNoNumber(t *testing.T) {
	h, _ := newHub(t)
	request, err := (&pgproto3.CancelRequest{ProcessID: 1, SecretKey: []byte("1234")}).Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			c := h.Dial()
			defer c.Close()
			if _, err := c.Write(request); err != nil {
				t.Error(err)
			}
			if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	}
	connect(t, h)
	asking.Wait()
	c := connect(t, h)
	if _, err := c.Prepare(t.Context(), "p", "select 1"); err != nil {
		t.Fatal(err)
	}
	if got := text(t, c, "select name from pg_prepared_statements where statement = 'select 1'"); got != "c2_p" {
		t.Errorf("the third connection's statement is %s", got)
	}
}

func text(t *testing.T, c *pgx.Conn, sql string) (s string) {
	t.Helper()
	if err := c.QueryRow(t.Context(), sql).Scan(&s); err != nil {
		t.Fatal(sql, err)
	}
	return s
}

// Arguments of all types are shown as SQL writes them.
func TestArgumentsAreShown(t *testing.T) {
	h, w := newHub(t)
	c := connect(t, h)
	at := time.Date(2026, 1, 2, 3, 4, 5, 600_000_000, time.UTC)
	for _, each := range []struct {
		sql  string
		arg  any
		want string
	}{
		{"select $1::int[]", []int32{1, -2}, "select '{1,-2}'::int[]"},
		{"select $1::text[]", []string{"a b", "it's"}, `select '{"a b",it''s}'::text[]`},
		{"select $1::timestamptz", at, "select '2026-01-02 03:04:05.6Z'::timestamptz"},
		{"select $1::timestamptz[]", []time.Time{at}, `select '{"2026-01-02 03:04:05.6Z"}'::timestamptz[]`},
		{"select $1::uuid", [16]byte{1}, "select '01000000-0000-0000-0000-000000000000'::uuid"},
		{"select $1::numeric", 1.5, "select '1.5'::numeric"},
		{"select $1::jsonb", map[string]int{"a": 1}, `select '{"a":1}'::jsonb`},
		{"select $1::bytea", []byte{1, 255}, `select '\x01ff'::bytea`},
		{"select $1::interval", time.Hour, "select '01:00:00'::interval"},
	} {
		if _, err := c.Exec(t.Context(), each.sql, each.arg); err != nil {
			t.Fatal(each.sql, err)
		}
		if got := w.statements[len(w.statements)-1]; got != each.want {
			t.Errorf("got  %s\nwant %s", got, each.want)
		}
	}
}

// The tests of the storage have this flag; here it has no effect, so that it can be
// given for all packages at once.
var _ = flag.String("corpus", "", "directory of recorded statements: see the package storage")
