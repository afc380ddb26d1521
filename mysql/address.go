package mysql

import (
	"context"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/door"
	"github.com/txmc/txmc/program/rows"
)

// DSN returns the address of the database for connections of the session s, as
// go-sql-driver/mysql has it: user@unix(socket)/app. More parameters may be added after
// it, with & or as the driver's Config. It is good while the session's function runs.
func (db *DB) DSN(s *program.Session) string { return db.serve(s.Backend()).dsn() }

// Address returns a host and a port of the database for connections of the session s: for
// code that makes an address of them itself. It takes any user and password, and the name
// of the [Database]; it has no TLS. It is good while the session's function runs.
func (db *DB) Address(s *program.Session) (host string, port int) {
	return db.serve(s.Backend()).address()
}

// SchemaDSN makes the schema by Go code that opens its own connections. An example is a
// store that migrates when it is opened. It runs once, in its place among the Schemas.
func SchemaDSN(f func(ctx context.Context, dsn string) error) Option {
	given := rows.Caller()
	return func(c *config) { c.schema = append(c.schema, opens{"schema", given, c.bySocket(f)}) }
}

// SeedDSN makes initial rows by Go code that opens its own connections, in its place among
// the Seeds.
func SeedDSN(f func(ctx context.Context, dsn string) error) Option {
	given := rows.Caller()
	return func(c *config) { c.seed = append(c.seed, opens{"seed", given, c.bySocket(f)}) }
}

// SchemaAddress is [SchemaDSN] for code that takes a host and a port: see [DB.Address].
func SchemaAddress(f func(ctx context.Context, host string, port int) error) Option {
	s := opens{"schema", rows.Caller(), door.ByPort(f)}
	return func(c *config) { c.schema = append(c.schema, s) }
}

// SeedAddress is [SeedDSN] for code that takes a host and a port: see [DB.Address].
func SeedAddress(f func(ctx context.Context, host string, port int) error) Option {
	s := opens{"seed", rows.Caller(), door.ByPort(f)}
	return func(c *config) { c.seed = append(c.seed, s) }
}

// bySocket is the way of code that takes an address.
func (c *config) bySocket(f func(context.Context, string) error) door.Way {
	return door.BySocket(socketName, func(ctx context.Context, dir string) error { return f(ctx, at(dir, c.database)) })
}

// opens is Go code that makes schema or rows by the address of the database.
type opens struct {
	name  string // "schema" or "seed"
	given rows.Place
	way   door.Way
}

// run calls the code with an address.
func (s opens) run(at *pool) error {
	return at.watch.ended(s.name, s.given, s.way(context.Background(), at.dial))
}
