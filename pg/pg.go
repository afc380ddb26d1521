// Package pg explores Go code that talks SQL to PostgreSQL, as it is.
//
// An Explore function declares a database with its schema and gives sessions
// connections to it:
//
//	func ExploreCoupons(p *txmc.Program) {
//		db := pg.New(p, pg.Schema(schema), pg.Seed(seed))
//		for _, who := range []string{"ann", "bob"} {
//			p.Session(who, func(s *txmc.Session) {
//				service := coupons.New(db.Open(s)) // the application's own code
//				s.Observe("redeem", service.Redeem(ctx, "WELCOME", who))
//			})
//		}
//		db.Final("limit", func(ctx context.Context, db *sql.DB) error { … })
//	}
//
// The SQL is evaluated by PostgreSQL itself, compiled to WebAssembly, in this
// process: see the package engine below. Every row that a statement looks at is a
// read of the history, and every row that it changes a write: see the package
// storage.
package pg

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/txmc/txmc/pg/engine"
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

type config struct {
	patience time.Duration // with a statement

	schema []step
	seed   []step
	kept   *Kept
	clock  time.Time // see ClockBegins
	err    error

	version  int    // of the server
	modelled bool   // a model of the database's concurrency control answers
	level    string // of transactions that ask for none
	server   access.Server
	changes  changes
}

// Schema gives statements that make the schema. Those of several Schemas run in
// order, before all seeds. Each statement is a transaction by itself unless the
// text says BEGIN.
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
// order of the patterns, then of the files' names: migrations. A file may have the way
// back too. This part is left out: it follows a line "-- +goose Down" (goose), "--
// +migrate Down" (sql-migrate), "-- migrate:down" (dbmate) or "---- create above / drop
// below ----" (tern).
func SchemaFS(fsys fs.FS, patterns ...string) Option {
	return func(c *config) {
		files, err := rows.Files("pg.SchemaFS", fsys, patterns...)
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

// Version makes the database answer as a server of that version of PostgreSQL does, from 13 to 18, where the
// versions differ in an error's code: what RESTRICT keeps is 23001 from 18 on, and 23503 before. All else is as in 18,
// which is what it is without the option, and without a version in the command's --db. On a real server it has no effect.
func Version(n int) Option {
	return func(c *config) {
		if c.version = n; n < engine.Oldest || n > engine.Newest {
			c.err = fmt.Errorf("pg.Version(%d): give a version from %d to %d", n, engine.Oldest, engine.Newest)
		}
	}
}

// New declares a database with a schema and initial rows. A program has one. A
// statement of the schema that fails ends the exploration, with its file and
// line.
func New(p *program.Program, opts ...Option) *DB {
	c := &config{modelled: p.Modelled(), level: p.Level(), server: p.Server("postgres"), version: p.Version()}
	for _, o := range opts {
		o(c)
	}
	c.patience = p.Patience()
	b := p.Attachment("pg", func() (any, error) { return newBase(c) }).(*base)
	p.HasModel("postgres")
	if b.model != nil {
		p.UseStorage(b.model.storage)
	}
	p.UseBackend()
	if b.remote == nil {
		p.Needs(program.Needed{Variable: engine.EnvPackage, Dir: b.engine.PackageDir()})
	}
	if b.model == nil && b.remote == nil {
		rows.SetUp(p, b.initial)
	}
	return &DB{program: p, base: b}
}

// Config returns the configuration of pgx connections of the session s.
func (db *DB) Config(s *program.Session) *pgx.ConnConfig {
	return db.serve(s.Backend()).config()
}

// Open returns a [sql.DB] of the session s, on pgx. It is closed when the
// session's function returns.
func (db *DB) Open(s *program.Session) *sql.DB {
	b := s.Backend()
	open := stdlib.OpenDB(*db.serve(b).config())
	b.AtEnd(func() { open.Close() })
	return open
}

// Final declares a transaction that runs after every session has ended, and sees
// the final state. An error that check returns is a violation, reported under
// the given name.
func (db *DB) Final(name string, check func(context.Context, *sql.DB) error) {
	db.program.Final(name, func(tx *program.Tx) error {
		open := stdlib.OpenDB(*db.serve(tx.Backend()).config())
		defer open.Close()
		return check(context.Background(), open)
	})
}
