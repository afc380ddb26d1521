// At SER the outcomes of random SQL programs are those of all serial orders of their
// transactions, run on PostgreSQL with its own storage.

package pg_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/txmc/txmc/dpor/sqltest/brute"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/wire"
)

// unwatched lets everything pass.
type unwatched struct{}

func (unwatched) Statement(string) error { return nil }
func (unwatched) Refuse(m string) error  { return fmt.Errorf("refused: %s", m) }

// plainServer is a PostgreSQL without hooks, with the random programs' tables.
type plainServer struct {
	instance *engine.Instance
	start    *engine.Snapshot
}

func newPlainServer(t *testing.T) *plainServer {
	t.Helper()
	e, err := engine.Open(t.Context(), engine.Options{})
	if err != nil {
		t.Skipf("PostgreSQL's package is not to be had: %v", err)
	}
	x, err := e.Instance()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	s := &plainServer{instance: x}
	c, err := pgx.ConnectConfig(t.Context(), s.config(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.PgConn().Exec(t.Context(), brute.Schema+brute.Seed).ReadAll(); err != nil {
		t.Fatal(err)
	}
	c.Close(t.Context())
	if s.start, err = x.Snapshot(); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *plainServer) config(t *testing.T) *pgx.ConnConfig {
	t.Helper()
	h := wire.NewHub(s.instance, unwatched{})
	cfg, err := pgx.ParseConfig("postgres://postgres@/postgres?host=/txmc&sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	cfg.DialFunc = func(context.Context, string, string) (net.Conn, error) { return h.Dial(), nil }
	return cfg
}

// run runs the transactions of a program in an order of sessions.
func (s *plainServer) run(t *testing.T, p brute.Program, order []int) string {
	t.Helper()
	if err := s.instance.Reset(s.start); err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*s.config(t))
	defer db.Close()
	clients, next := make([]brute.Client, len(p)), make([]int, len(p))
	for i := range clients {
		clients[i].Language = &language
	}
	for _, i := range order {
		if err := clients[i].Transaction(db, p[i][next[i]]); err != nil {
			t.Fatal(err)
		}
		next[i]++
	}
	o := ""
	for i := range clients {
		o += fmt.Sprintf("%d=%s ", i, clients[i].Seen())
	}
	return o
}

// serialOrders calls visit with all orders of the sessions' transactions.
func serialOrders(p brute.Program, visit func(order []int)) {
	var extend func(order []int, next []int)
	extend = func(order, next []int) {
		done := true
		for i := range p {
			if next[i] < len(p[i]) {
				done = false
				more := slices.Clone(next)
				more[i]++
				extend(append(slices.Clip(order), i), more)
			}
		}
		if done {
			visit(order)
		}
	}
	extend(nil, make([]int, len(p)))
}

func TestSerialOrders(t *testing.T) {
	t.Parallel()
	s := newPlainServer(t)
	suite().ForPrograms(t, serials.N(), func(t *testing.T, p brute.Trial) bool {
		want := map[string]bool{}
		serialOrders(p.Program, func(order []int) { want[s.run(t, p.Program, order)] = true })
		brute.Compare(t, "ser", p.Explore(t, isolation.SER).Outcomes, want)
		return true
	})
}
