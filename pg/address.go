package pg

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/rows"
)

// SchemaDSN makes the schema by Go code that opens its own connections, such as a store
// that migrates when it is opened. It runs once, in its place among the Schemas.
func SchemaDSN(f func(ctx context.Context, dsn string) error) Option {
	s := opens{"schema", rows.Caller(), f}
	return func(c *config) { c.schema = append(c.schema, s) }
}

// SeedDSN makes initial rows by Go code that opens its own connections, in its place among
// the Seeds.
func SeedDSN(f func(ctx context.Context, dsn string) error) Option {
	s := opens{"seed", rows.Caller(), f}
	return func(c *config) { c.seed = append(c.seed, s) }
}

// opens is Go code that makes schema or rows by the address of the database.
type opens struct {
	name  string // "schema" or "seed"
	given rows.Place
	f     func(context.Context, string) error
}

// run calls the code with the address of a socket that leads to the instance.
func (s opens) run(x *patient) error {
	dir, err := os.MkdirTemp("", "txmc")
	if err != nil {
		return err
	}
	l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		os.RemoveAll(dir)
		return err
	}
	hub, opened := wire.NewHub(x, unwatched{}), &remembering{Listener: l}
	go accept(opened, hub)
	defer opened.Close()
	ctx := context.Background()
	if err := s.f(ctx, (&server{}).at(dir)); err != nil {
		return &rows.CodeError{What: s.name, Given: s.given, Err: err}
	}
	c, err := dial(ctx, hub)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, "DISCARD ALL").ReadAll()
	return err
}

// remembering is a listener that closes its connections too.
type remembering struct {
	net.Listener

	mu    sync.Mutex
	conns []net.Conn
}

// Accept waits for a connection.
func (r *remembering) Accept() (net.Conn, error) {
	c, err := r.Listener.Accept()
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.conns = append(r.conns, c)
	}
	return c, err
}

// Close ends the listener and its connections.
func (r *remembering) Close() error {
	err := r.Listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.conns {
		err = errors.Join(err, c.Close())
	}
	return err
}
