package mock

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
)

var connectionsFlag = flag.Int("connections", 120, "connections at the same time")

func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return fmt.Sprint(err)
}

// admitted serves with limits until the test ends.
func admitted(t testing.TB, o Options, a Admission) (*Server, string) {
	t.Helper()
	s, err := NewServer(o, pg.Schema(accounts))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Admit(a); err != nil {
		t.Fatal(err)
	}
	return s, listening(t, s)
}

// listening serves on a loopback address until the test ends.
func listening(t testing.TB, s *Server) (dsn string) {
	t.Helper()
	l, err := Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return DSN(l)
}

// Who knows the password is served, by pgx and by psql; who does not is refused.
func TestPassword(t *testing.T) {
	t.Parallel()
	const word = "correct horse ü"
	_, dsn := admitted(t, Options{Level: isolation.RC}, Admission{Password: word})
	connect := func(password string) error {
		cfg, err := pgx.ParseConfig(dsn)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Password = password
		c, err := pgx.ConnectConfig(t.Context(), cfg)
		if err != nil {
			return err
		}
		defer c.Close(t.Context())
		return c.Ping(t.Context())
	}
	if err := connect(word); err != nil {
		t.Error(err)
	}
	for _, password := range []string{"", "wrong", word + " "} {
		if err := connect(password); err == nil || password != "" && code(err) != "28P01" {
			t.Errorf("with %q: %v", password, err)
		}
	}
	if _, err := exec.LookPath("psql"); err != nil {
		t.Log("there is no psql")
		return
	}
	for password, want := range map[string]string{word: "100", "wrong": "password authentication failed"} {
		cmd := exec.CommandContext(t.Context(), "psql", "-XAt", dsn, "-c", "SELECT balance FROM account WHERE id = 1")
		cmd.Env = append(cmd.Environ(), "PGPASSWORD="+password)
		if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), want) {
			t.Errorf("psql with %q: %s", password, out)
		}
	}
}

// With --kv the password is HTTP's.
func TestPasswordKV(t *testing.T) {
	address, stop := serve(t, &Serving{Iso: "rc", KV: true, Password: "word"})
	for _, test := range []struct {
		password string
		want     int
	}{{"", 401}, {"wrong", 401}, {"word", 201}} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", address+"/sessions", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth("anyone", test.password)
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != test.want {
			t.Errorf("with %q: %s", test.password, a.Status)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
}

// A statement that waits for a lock for too long ends with 57014. So does a statement
// whose client has asked for its end. The connections go on.
func TestStatementLimit(t *testing.T) {
	t.Parallel()
	limit := 300 * time.Millisecond
	err := limited(t, limit)
	for ; err != nil && limit < time.Minute; err = limited(t, limit) { // the machine may be so busy that other statements do not end in time
		limit *= 5
	}
	if err != nil {
		t.Error(err)
	}
}

// limited has statements that wait and run without end, between others.
func limited(t *testing.T, limit time.Duration) error {
	_, dsn := admitted(t, Options{Level: isolation.RC}, Admission{Statement: limit})
	a, b := dial(t, dsn), dial(t, dsn)
	if _, err := a.Exec(t.Context(), `BEGIN; UPDATE account SET balance = 1 WHERE id = 1`); err != nil {
		return err
	}
	if _, err := b.Exec(t.Context(), `UPDATE account SET balance = 2 WHERE id = 1`); code(err) != "57014" {
		return fmt.Errorf("a statement that waits: %v", err)
	}
	if _, err := b.Exec(t.Context(), `SELECT count(*) FROM generate_series(1, 1000000000)`); code(err) != "57014" {
		return fmt.Errorf("a statement that runs: %v", err)
	}
	if _, err := a.Exec(t.Context(), `COMMIT`); err != nil {
		return err
	}
	if _, err := b.Exec(t.Context(), `UPDATE account SET balance = 2 WHERE id = 1`); err != nil {
		return fmt.Errorf("afterwards: %w", err)
	}
	return nil
}

// A client's request to cancel ends the statement of the connection that it names.
func TestCancelRequest(t *testing.T) {
	t.Parallel()
	_, dsn := admitted(t, Options{Level: isolation.RC}, Admission{})
	a, b := dial(t, dsn), dial(t, dsn)
	if _, err := a.Exec(t.Context(), `BEGIN; UPDATE account SET balance = 1 WHERE id = 1`); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := b.Exec(context.WithoutCancel(t.Context()), `UPDATE account SET balance = 2 WHERE id = 1`)
		ended <- err
	}()
	for {
		if err := b.PgConn().CancelRequest(t.Context()); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			if code(err) != "57014" {
				t.Errorf("the statement: %v", err)
			}
			return
		case <-time.After(10 * time.Millisecond): // it had not begun to wait
		}
	}
}

// Too many clients and too large messages are refused, and say why.
func TestLimits(t *testing.T) {
	t.Parallel()
	_, dsn := admitted(t, Options{Level: isolation.RC}, Admission{Connections: 2, MessageBytes: 1000})
	a := dial(t, dsn)
	b := dial(t, dsn)
	if _, err := pgx.Connect(t.Context(), dsn); code(err) != "53300" {
		t.Errorf("a third client: %v", err)
	}
	if _, err := a.Exec(t.Context(), "SELECT '"+strings.Repeat("x", 1000)+"'"); code(err) != "54000" {
		t.Errorf("a large message: %v", err)
	}
	if err := b.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	for _, bad := range []Admission{{Connections: -1}, {MessageBytes: -1}, {Statement: -1}} {
		if err := (&Server{}).Admit(bad); err == nil {
			t.Errorf("%+v is admitted", bad)
		}
	}
}

// Many connections share a few instances: each has set and prepared something, and finds
// it again after others have had its instance.
func TestManyConnections(t *testing.T) {
	t.Parallel()
	s, dsn := admitted(t, Options{Level: isolation.RC, Latest: 1}, Admission{})
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	cfg.RuntimeParams["application_name"] = "many"
	var list []*pgx.Conn
	for n := range *connectionsFlag {
		c, err := pgx.ConnectConfig(t.Context(), cfg)
		if err != nil {
			t.Fatal(n, err)
		}
		t.Cleanup(func() { c.Close(context.Background()) })
		list = append(list, c)
		if _, err := c.Exec(t.Context(), fmt.Sprintf("SET search_path = public, s%d", n)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Prepare(t.Context(), "mine", `SELECT balance + $1::int, current_setting('search_path'), current_setting('application_name') FROM account WHERE id = 1`); err != nil {
			t.Fatal(err)
		}
	}
	for n, c := range list {
		var sum int
		var path, name string
		if err := c.QueryRow(t.Context(), "mine", n).Scan(&sum, &path, &name); err != nil {
			t.Fatal(n, err)
		}
		if sum != 100+n || path != fmt.Sprintf("public, s%d", n) || name != "many" {
			t.Errorf("connection %d: %d, %q, %q", n, sum, path, name)
		}
	}
	if n := s.image.Instances(); n > pg.MaxInstances {
		t.Errorf("%d connections have %d instances", len(list), n)
	}
}

// A connection keeps its instance while what it has done cannot be repeated in another.
func TestKeptInstance(t *testing.T) {
	t.Parallel()
	s, err := NewServer(Options{Level: isolation.RC, Latest: 1}, pg.Schema(accounts))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	keeper, err := pgx.ConnectConfig(t.Context(), s.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer keeper.Close(t.Context())
	for _, sql := range []string{`PREPARE p AS SELECT 7`, `INSERT INTO log (account, amount) VALUES (1, 5)`, `SELECT currval('log_n_seq')`} {
		if _, err := keeper.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for range pg.MaxInstances + 5 {
		c, err := pgx.ConnectConfig(t.Context(), s.Config())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		if err := c.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var n int
	if err := keeper.QueryRow(t.Context(), `EXECUTE p`).Scan(&n); err != nil || n != 7 {
		t.Errorf("%d, %v", n, err)
	}
	if err := keeper.QueryRow(t.Context(), `SELECT currval('log_n_seq')`).Scan(&n); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
}
