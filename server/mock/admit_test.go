package mock

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
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

// A statement that waits for a lock for too long ends with 57014, and so does one whose
// client has asked for that; the connections go on.
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

// A client that goes away in the middle of a message, one that says nothing, and one that
// does not read its answers hold nobody up.
func TestHalfOpen(t *testing.T) {
	t.Parallel()
	for _, level := range []isolation.Level{isolation.RC, isolation.PgRC} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			halfOpen(t, level)
		})
	}
}

func halfOpen(t *testing.T, level isolation.Level) {
	_, dsn := admitted(t, Options{Level: level}, Admission{})
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort(cfg.Host, fmt.Sprint(cfg.Port))
	raw := func() net.Conn {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	raw() // says nothing
	half := raw()
	half.Write(startupMessage()[:7])
	slow := raw()
	slow.Write(startupMessage())
	for range 50 { // far more than a socket takes
		slow.Write(queryMessage(`SELECT repeat('x', 1000000)`))
	}
	c := dial(t, dsn)
	if _, err := c.Exec(t.Context(), `UPDATE account SET balance = 3 WHERE id = 1`); err != nil {
		t.Error(err)
	}
	half.Close()
	slow.Close()
}

func startupMessage() []byte {
	body := "user\x00postgres\x00database\x00postgres\x00\x00"
	m := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return append(binary.BigEndian.AppendUint32(m, 3<<16), body...)
}

func queryMessage(sql string) []byte {
	m := binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(sql)+5))
	return append(append(m, sql...), 0)
}

// FuzzWire gives servers what a client says: they answer or refuse, and end with the
// client.
func FuzzWire(f *testing.F) {
	var servers []*Server
	for _, level := range []isolation.Level{isolation.RC, isolation.PgRC} {
		s, err := NewServer(Options{Level: level}, pg.Schema(accounts))
		if err != nil {
			f.Fatal(err)
		}
		defer s.Close()
		servers = append(servers, s)
	}
	start := startupMessage()
	said := func(messages ...[]byte) []byte {
		all := append([]byte(nil), start...)
		for _, m := range messages {
			all = append(all, m...)
		}
		return all
	}
	typed := func(kind byte, body string) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4)), body...)
	}
	f.Add([]byte{})
	f.Add(start[:9])
	f.Add([]byte{0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f})
	f.Add([]byte{0, 0, 0, 16, 4, 0xd2, 0x16, 0x2e, 0, 0, 0, 1, 0, 0, 0, 2})
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 1, 2, 3})
	f.Add(said(queryMessage("SELECT 1"), typed('X', "")))
	f.Add(said(typed('P', "\x00SELECT $1::int\x00\x00\x00"), typed('B', "\x00\x00\x00\x00\x00\x01\x00\x00\x00\x011\x00\x00"), typed('E', "\x00\x00\x00\x00\x00"), typed('S', "")))
	f.Add(said(typed('P', "\x00"), typed('B', ""), typed('C', ""), typed('D', "S"), typed('E', ""), typed('C', "X\x00")))
	f.Add(said(queryMessage("COPY account FROM STDIN"), typed('d', "7\t7\n"), queryMessage("SELECT 1"), typed('c', "")))
	f.Add(said(typed('F', "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"), typed('p', "word\x00"), typed('H', ""), typed('?', "")))
	f.Fuzz(func(t *testing.T, bytes []byte) {
		for _, s := range servers {
			hears(t, s, bytes)
		}
	})
}

// hears lets a client say something to a server.
func hears(t *testing.T, s *Server, bytes []byte) {
	client, server := net.Pipe()
	done := make(chan struct{})
	go func() { s.answer(server); close(done) }()
	go io.Copy(io.Discard, client)
	client.SetWriteDeadline(time.Now().Add(5 * time.Second)) // it may have stopped to listen
	client.Write(bytes)
	client.Close()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("not ended: %q", bytes)
	}
}
