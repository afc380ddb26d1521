// Package mysql explores Go code that talks SQL to MySQL or MariaDB, as it is.
//
// An Explore function declares a database with its schema and gives sessions
// connections to it:
//
//	func ExploreTraining(p *txmc.Program) {
//		db := mysql.New(p, mysql.Schema(schema), mysql.Seed(seed))
//		for _, who := range []string{"ann", "bob"} {
//			p.Session(who, func(s *txmc.Session) {
//				repository := training.NewRepository(db.Open(s)) // the application's own code
//				s.Observe("schedule", repository.Schedule(ctx, hour, who))
//			})
//		}
//		db.Final("booked", func(ctx context.Context, db *sql.DB) error { … })
//	}
//
// The SQL is evaluated by go-mysql-server, in this process, on tables of ours: see the
// package engine below. Every row that a statement looks at is a read of the history,
// and every row that it changes a write: see the package storage. Drivers are
// unmodified; errors are [github.com/go-sql-driver/mysql.MySQLError].
//
// txmc builds programs with the tag gms_pure_go. Tests of yours that use this package
// need it too (go test -tags gms_pure_go): without it the compiler stops with an error that
// names the tag.
package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/rows"
)

// DB is a database of a program. It is valid where the Program is.
type DB struct {
	program *program.Program
	base    *base
	runs    program.PerRun[*processes] // of the sessions that run
}

// Option says what is in the database at first.
type Option func(*config)

// config is what makes the database before any session.
type config struct {
	database     string
	schema, seed []step
	err          error // of reading files
	product      access.Product

	changes
}

func newConfig(opts []Option) *config {
	c := &config{database: "app"}
	for _, o := range opts {
		o(c)
	}
	return c
}

// Database names the database; it is called app without. On a real server it has a name
// of its own, whatever this says.
func Database(name string) Option { return func(c *config) { c.database = name } }

// Schema gives statements that make the schema. Those of several Schemas run in
// order, before all seeds.
func Schema(sql string) Option {
	s := script{Script: rows.Script{Name: "schema", Text: sql, Given: rows.Caller()}}
	return func(c *config) { c.schema = append(c.schema, s) }
}

// SchemaFunc makes the schema by Go code, such as an application's own migrations.
// It runs once, in its place among the Schemas.
func SchemaFunc(f func(context.Context, *sql.DB) error) Option {
	s := code{"schema", rows.Caller(), f}
	return func(c *config) { c.schema = append(c.schema, s) }
}

// SchemaFS gives the statements of all files that match a pattern of [fs.Glob], in the
// order of the patterns, then of the files' names: migrations. Where a file has the way
// back too, that part is left out, as by pg.SchemaFS.
func SchemaFS(fsys fs.FS, patterns ...string) Option {
	return func(c *config) {
		files, err := rows.Files("mysql.SchemaFS", fsys, patterns...)
		if err != nil {
			c.err = err
		}
		for _, f := range files {
			c.schema = append(c.schema, script{Script: f})
		}
	}
}

// Scripts gives the statements of scripts, in their order. Those of them that fail, and for which leave says so, are left
// out; leave may be nil.
func Scripts(list []rows.Script, leave func(rows.Failed) bool) Option {
	return func(c *config) {
		for _, s := range list {
			c.schema = append(c.schema, script{s, leave})
		}
	}
}

// Seed gives statements that make the initial rows.
func Seed(sql string) Option {
	s := script{Script: rows.Script{Name: "seed", Text: sql, Given: rows.Caller()}}
	return func(c *config) { c.seed = append(c.seed, s) }
}

// SeedFunc makes initial rows by Go code, in its place among the Seeds.
func SeedFunc(f func(context.Context, *sql.DB) error) Option {
	s := code{"seed", rows.Caller(), f}
	return func(c *config) { c.seed = append(c.seed, s) }
}

// Version makes the database lock and answer as a server does that is named mysql:8.4, mariadb:10.11 or
// mariadb:11.8; without it, and without the command's --db, it is MariaDB 10.11. On a real server it has no effect.
func Version(name string) Option {
	return func(c *config) {
		product, err := access.ProductNamed(name)
		if err != nil {
			c.err = fmt.Errorf("mysql.Version: %w", err)
		}
		c.product = product
	}
}

// New declares a database with a schema and initial rows. A program has
// one. A statement of the schema that fails ends the exploration, with its file and
// line.
func New(p *program.Program, opts ...Option) *DB {
	c := newConfig(opts)
	if c.product == 0 {
		c.product = access.ProductOf(p.Version())
	}
	make := func() (*base, error) { return newBase(c) }
	if p.Modelled() {
		level := p.Level()
		make = func() (*base, error) { return newModelled(c, level) }
	}
	if s := p.Server("mysql"); s != nil {
		level := p.Level()
		make = func() (*base, error) { return newRemoteBase(s, c, level) }
	}
	b := p.Attachment("mysql", func() (any, error) {
		made, err := make()
		if err != nil {
			return nil, err
		}
		made.changes = &c.changes
		return made, nil
	}).(*base)
	p.HasModel("mysql")
	if b.storage != nil {
		p.UseStorage(b.storage)
	}
	p.UseBackend()
	if b.storage == nil && b.remote == nil {
		rows.SetUp(p, b.initial)
	}
	return &DB{program: p, base: b}
}

// Open returns a [sql.DB] of the session s, on go-sql-driver/mysql. It parses times. It
// is closed when the session's function returns.
func (db *DB) Open(s *program.Session) *sql.DB {
	b := s.Backend()
	open := db.serve(b).open()
	b.AtEnd(func() { open.Close() })
	return open
}

// Final declares a transaction that runs after every session has ended, and sees
// the final state. An error that check returns is a violation, reported under
// the given name.
func (db *DB) Final(name string, check func(context.Context, *sql.DB) error) {
	db.program.Final(name, func(tx *program.Tx) error {
		open := db.serve(tx.Backend()).open()
		defer open.Close()
		return check(context.Background(), open)
	})
}
