package pg

import (
	"context"
	"net"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/repeat"
	"github.com/txmc/txmc/program/rows"
)

// server is the PostgreSQL of one run of a session, with the log of its connections.
type server struct {
	hub *wire.Hub
	*rows.History
	socket net.Listener
	served string // the directory that stands for the hub without a socket
}

// serve returns the server of this run, made at its first use.
func (db *DB) serve(b *program.Backend) *server {
	if db.run != nil {
		db.run.Backend = b
		return db.run
	}
	b.Here()
	pool, err := db.base.pool(b.Index())
	if err != nil {
		b.Fail("%v", err)
	}
	x, err := pool.Get()
	if err != nil {
		b.Fail("%v", err)
	}
	s := &server{History: rows.NewHistory(b)}
	session := db.base.store.NewSession(b.Session(), s.History)
	session.On(db.base.heap)
	x.Hook(session)
	s.hub = wire.NewHub(x, s)
	db.run = s
	b.AtEnd(func() { s.end(pool, x) })
	return s
}

// end gives the instance back.
func (s *server) end(pool *engine.Pool, x *engine.Instance) {
	if s.socket != nil {
		s.socket.Close()
	}
	_ = pool.Put(x) // an instance that cannot be reset is closed
}

// address is what drivers are told; nobody listens there.
const address = "postgres://postgres@/postgres?host=/txmc&sslmode=disable"

// config is a configuration whose connections are the hub's.
func (s *server) config() *pgx.ConnConfig {
	c, err := pgx.ParseConfig(address)
	if err != nil {
		panic(err) // the address above is right
	}
	c.DialFunc = func(context.Context, string, string) (net.Conn, error) { return apart{s.hub.Dial()}, nil }
	return c
}

// dial opens a connection without a driver's conveniences.
func dial(ctx context.Context, h *wire.Hub) (*pgconn.PgConn, error) {
	c, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	c.DialFunc = func(context.Context, string, string) (net.Conn, error) { return h.Dial(), nil }
	return pgconn.ConnectConfig(ctx, c)
}

// dsn is the address of a socket that leads to the hub. Where dialling is overlaid
// there is none: drivers run the engine on the goroutine that calls them.
func (s *server) dsn() string {
	if s.served == "" {
		s.served = repeat.Serve(func() (net.Conn, error) { return apart{s.hub.Dial()}, nil })
	}
	if s.served != "" {
		return at(s.served)
	}
	if s.socket == nil {
		dir, err := os.MkdirTemp("", "txmc")
		if err == nil {
			s.socket, err = net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
		}
		if err != nil {
			s.Fail("no socket for the database: %v", err)
		}
		go accept(s.socket, s.hub)
	}
	return at(filepath.Dir(s.socket.Addr().String()))
}

// at is the address of a server by the directory of its socket.
func at(dir string) string { return "postgres://postgres@/postgres?host=" + dir + "&sslmode=disable" }

// apart is a connection whose server has its own time and randomness: the session's
// stay where they were.
type apart struct{ net.Conn }

// Read lets the server answer.
func (c apart) Read(b []byte) (n int, err error) {
	repeat.Apart(func() { n, err = c.Conn.Read(b) })
	return n, err
}

// accept joins connections of a socket with connections of a hub.
func accept(l net.Listener, h *wire.Hub) {
	defer os.RemoveAll(filepath.Dir(l.Addr().String()))
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		inner := h.Dial()
		go relay(c, inner)
		go relay(inner, c)
	}
}

// relay copies until one side ends, and ends the other.
func relay(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Refuse ends the exploration.
func (s *server) Refuse(message string) error { return s.Fail("%s", message) }
