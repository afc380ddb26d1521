package pg

import (
	"context"
	"net"

	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/door"
	"github.com/txmc/txmc/program/rows"
)

// DSN returns the address of the database for connections of the session s, for
// any driver. It is good while the session's function runs.
func (db *DB) DSN(s *program.Session) string {
	return db.serve(s.Backend()).dsn()
}

// Address returns a host and a port of the database for connections of the session s: for
// code that makes an address of them itself. It takes any user, password and database, and
// has no TLS: sslmode is disable or prefer. It is good while the session's function runs.
func (db *DB) Address(s *program.Session) (host string, port int) {
	return db.serve(s.Backend()).address()
}

// SchemaDSN makes the schema by Go code that opens its own connections. An example is a
// store that migrates when it is opened. It runs once, in its place among the Schemas.
func SchemaDSN(f func(ctx context.Context, dsn string) error) Option {
	s := opens{"schema", rows.Caller(), bySocket(f)}
	return func(c *config) { c.schema = append(c.schema, s) }
}

// SeedDSN makes initial rows by Go code that opens its own connections, in its place among
// the Seeds.
func SeedDSN(f func(ctx context.Context, dsn string) error) Option {
	s := opens{"seed", rows.Caller(), bySocket(f)}
	return func(c *config) { c.seed = append(c.seed, s) }
}

// SchemaAddress is [SchemaDSN] for code that takes a host and a port: see [DB.Address].
func SchemaAddress(f func(ctx context.Context, host string, port int) error) Option {
	s := opens{"schema", rows.Caller(), door.ByPort(f)}
	return func(c *config) { c.schema = append(c.schema, s) }
}

// SchemaDial is [SchemaDSN] for code that takes a function which opens connections. Its errors are about a line of
// a file, as it is given.
func SchemaDial(file string, line int, f func(ctx context.Context, dial func() (net.Conn, error)) error) Option {
	s := opens{"schema", rows.Place{File: file, Line: line}, f}
	return func(c *config) { c.schema = append(c.schema, s) }
}

// SeedAddress is [SeedDSN] for code that takes a host and a port: see [DB.Address].
func SeedAddress(f func(ctx context.Context, host string, port int) error) Option {
	s := opens{"seed", rows.Caller(), door.ByPort(f)}
	return func(c *config) { c.seed = append(c.seed, s) }
}

// bySocket is the way of code that takes an address.
func bySocket(f func(context.Context, string) error) door.Way {
	return door.BySocket(socketName, func(ctx context.Context, dir string) error { return f(ctx, at(dir)) })
}

// opens is Go code that makes schema or rows by the address of the database.
type opens struct {
	name  string // "schema" or "seed"
	given rows.Place
	way   door.Way
}

// run calls the code with an address that leads to the instance.
func (s opens) run(x *patient) error {
	hub, ctx := wire.NewHub(x, x.recording()), context.Background()
	if err := s.way(ctx, func() (net.Conn, error) { return hub.Dial(), nil }); err != nil {
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
