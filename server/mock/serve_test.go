package mock

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation"
)

// serve runs what the command runs; stop ends it and returns what it has printed after
// the address.
func serve(t *testing.T, o *Serving) (address string, stop func() string) {
	t.Helper()
	o.Listen, o.Connections, o.MaxMessage = "127.0.0.1:0", MaxConnections, MaxMessageBytes
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	soft, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := o.Run(soft, context.Background(), w)
		w.CloseWithError(err)
		done <- err
	}()
	in := bufio.NewReader(r)
	address, err := in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address), func() string {
		cancel()
		rest, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		return string(rest)
	}
}

// The command prints its address, serves, lets an open transaction end when it is asked
// to end, prints its counts, and has recorded what it served.
func TestServing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	schema, served := filepath.Join(dir, "schema.sql"), filepath.Join(dir, "served.jsonl")
	if err := os.WriteFile(schema, []byte(accounts), 0o644); err != nil {
		t.Fatal(err)
	}
	address, stop := serve(t, &Serving{Iso: "si", Schema: []string{schema}, Record: served, Seed: 3})
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := c.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `UPDATE account SET balance = 1 WHERE id = 1`); err != nil {
		t.Fatal(err)
	}
	printed := make(chan string)
	go func() { printed <- stop() }()
	if err := tx.Commit(t.Context()); err != nil {
		t.Errorf("the transaction that was open: %v", err)
	}
	if got := <-printed; !strings.Contains(got, "transactions  1 committed, 0 rolled back") {
		t.Errorf("printed %q", got)
	}
	f, err := judge.Load(t.Context(), served, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Judge(t.Context(), []isolation.Level{isolation.SI}, judge.Options{}, func(v *judge.Verdict) error {
		if v.Outcome != check.Satisfied {
			t.Errorf("what was served is %v", v.Outcome)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Keys and values are served over HTTP.
func TestServingKV(t *testing.T) {
	address, stop := serve(t, &Serving{Iso: "rc", KV: true})
	a, err := http.Post(address+"/sessions", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if a.StatusCode != http.StatusCreated {
		t.Error(a.Status)
	}
	http.DefaultClient.CloseIdleConnections()
	if got := stop(); !strings.Contains(got, "0 committed") {
		t.Errorf("printed %q", got)
	}
}

// What cannot be served says why.
func TestServingRefuses(t *testing.T) {
	for _, test := range []struct {
		o    Serving
		want string
	}{
		{Serving{Iso: "innodb-rc"}, "answers at rc, ra, cc, pc, si or ser, or as PostgreSQL"},
		{Serving{KV: true}, "give --iso=LEVEL"},
		{Serving{Weak: WeakAlways}, "give --iso=LEVEL"},
		{Serving{Bias: "fresh"}, "give --iso=LEVEL"},
		{Serving{Listen: "nowhere"}, "HOST:PORT"}, // as PostgreSQL
		{Serving{DB: "postgres", Weak: WeakOff}, "no bias, window, weakness or lack of locks"},
		{Serving{Iso: "rc", Delay: 1}, "only PostgreSQL's own levels have delays"},
		{Serving{DB: "postgres", Delay: -1}, "not negative"},
		{Serving{DB: "postgres", Iso: "si"}, "with --db=postgres give"},
		{Serving{DB: "postgres", Iso: "often"}, "--iso"},
		{Serving{DB: "postgres", KV: true}, "neither --kv nor --protocol=mysql"},
		{Serving{DB: "postgres", NoLocks: true}, "no bias, window, weakness or lack of locks"},
		{Serving{Iso: "sloppy"}, "--iso"},
		{Serving{Iso: "rc", Protocol: "mysql"}, "txmc-mysql"},
		{Serving{Iso: "rc", Bias: "latest=2"}, "not a probability"},
		{Serving{Iso: "rc", Bias: "latest=often"}, "not a probability"},
		{Serving{Iso: "rc", Bias: "oldest"}, "uniform, latest=P, fresh, fresh=P or sessions"},
		{Serving{Iso: "rc", Bias: "sessions=1"}, "uniform, latest=P, fresh, fresh=P or sessions"},
		{Serving{Iso: "rc", Bias: "fresh=2"}, "not a probability"},
		{Serving{Iso: "rc", Bias: "fresh=often"}, "not a probability"},
		{Serving{Iso: "rc", Window: 1}, "too small"},
		{Serving{Iso: "rc", KV: true, Schema: []string{"x.sql"}}, "no schema"},
		{Serving{Iso: "rc", Listen: "0.0.0.0:0"}, "loopback"},
		{Serving{Iso: "rc", Listen: "nowhere"}, "HOST:PORT"},
		{Serving{Iso: "rc", Listen: "127.0.0.1:0", Schema: []string{"/does/not/exist.sql"}}, "--schema"},
		{Serving{Iso: "rc", Listen: "127.0.0.1:0", KV: true, Record: "/does/not/exist.jsonl"}, "--record"},
	} {
		test.o.Connections, test.o.MaxMessage = 1, 1
		err := test.o.Check()
		if err == nil {
			err = test.o.Run(context.Background(), context.Background(), io.Discard)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.o, err, test.want)
		}
	}
}

// The address by default is that where clients of the protocol look.
func TestDefaultAddress(t *testing.T) {
	for _, c := range []struct{ protocol, listen, want string }{
		{"postgres", "", "127.0.0.1:5432"}, {"mysql", "", "127.0.0.1:3306"}, {"mysql", "127.0.0.1:0", "127.0.0.1:0"},
	} {
		if got := (&Serving{Protocol: c.protocol, Listen: c.listen}).address(); got != c.want {
			t.Errorf("%s, %q: %s, want %s", c.protocol, c.listen, got, c.want)
		}
	}
}
