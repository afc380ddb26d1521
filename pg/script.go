package pg

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/repeat"
	"github.com/txmc/txmc/program/rows"
)

// What makes the schema and the initial rows: SQL text and Go code. Each step has a
// connection of its own, whose settings end with it.

// step is a part of the schema or the seed.
type step interface {
	run(x *patient) error
}

// patient is a server that makes the schema, whose statements are cancelled when they
// take too long.
type patient struct {
	wire.Server
	// Statements splits a text.
	Statements func(text string) ([]engine.Statement, error)

	limit  time.Duration // of a message; 0: none
	cancel func()        // ends the one that runs
	late   atomic.Bool   // one was cancelled

	made    func(rows.Sent)        // takes what code sends; nil: nobody does
	refused atomic.Pointer[string] // why a statement of code was refused, the first one
}

// recording is how code that makes the schema is watched.
func (x *patient) recording() recording {
	return recording{made: x.made, refused: func(why string) { x.refused.CompareAndSwap(nil, &why) }}
}

// onInstance makes the schema in this process.
func onInstance(x *engine.Instance, limit time.Duration) *patient {
	return &patient{Server: x, Statements: x.Statements, limit: limit, cancel: x.CancelAll}
}

// Exchange is the server's. Its time is the usual one, not that of code which makes
// the schema.
func (x *patient) Exchange(messages []byte) (out []byte, err error) {
	repeat.Apart(func() {
		if x.limit > 0 {
			defer time.AfterFunc(x.limit, x.tooLate).Stop()
		}
		out, err = x.Server.Exchange(messages)
	})
	return out, err
}

func (x *patient) tooLate() {
	x.late.Store(true)
	x.cancel()
}

// blame adds why a statement was cancelled, or refused: a driver may tell of what follows only.
func (x *patient) blame(err error) error {
	var c *rows.CodeError
	if why := x.refused.Load(); why != nil && errors.As(err, &c) {
		return &rows.CodeError{What: c.What, Given: c.Given, Err: fmt.Errorf("it may use one connection at a time: %s. Then: %w", *why, c.Err)}
	}
	if err == nil || !x.late.Load() {
		return err
	}
	return &overdueError{err, x.limit}
}

// overdueError is an error of a statement that was cancelled after a time.
type overdueError struct {
	err   error
	after time.Duration
}

func (e *overdueError) late() string { return fmt.Sprintf(": it has not returned for %v", e.after) }

func (e *overdueError) Error() string { return e.err.Error() + e.late() }

func (e *overdueError) Unwrap() error { return e.err }

// Place is that of the statement's error.
func (e *overdueError) Place() (file string, line int) {
	if p := program.Placed(nil); errors.As(e.err, &p) {
		return p.Place()
	}
	return "", 0
}

// Reason is Error without the place.
func (e *overdueError) Reason() string {
	if p := program.Placed(nil); errors.As(e.err, &p) {
		return p.Reason() + e.late()
	}
	return e.Error()
}

// script is SQL text with its origin, for errors.
type script struct {
	rows.Script
	leave func(rows.Failed) bool // statements that fail and are left out; nil: none are
}

// run runs a script's statements one by one.
func (s script) run(x *patient) error {
	ctx := context.Background()
	c, err := dial(ctx, wire.NewHub(x, unwatched{}))
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	statements, err := x.Statements(s.Text)
	if err != nil { // the whole text: the server says what it cannot parse
		statements = []engine.Statement{{Text: s.Text}}
	}
	for _, each := range statements {
		if _, err := c.Exec(ctx, each.Text).ReadAll(); err != nil {
			failed := s.failed(each, err)
			if s.leave == nil || !s.leave(rows.Failed{Name: s.Name, At: each.At, Statement: each.Text, Err: failed}) {
				return failed
			}
		}
	}
	_, err = c.Exec(ctx, "DISCARD ALL").ReadAll()
	return err
}

// failed is the error of a statement.
func (s script) failed(each engine.Statement, err error) error {
	e, ok := err.(*pgconn.PgError)
	if !ok {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	at := s.At(each.At + offset(each.Text, int(e.Position)))
	return &ScriptError{Name: at.Name, Line: at.Line, Err: e, at: at}
}

// offset is the place in bytes of a position, counted in characters from 1; of none,
// the place of the first word.
func offset(text string, position int) int {
	if position <= 0 {
		return rows.Blank(text)
	}
	for at := range text {
		if position--; position == 0 {
			return at
		}
	}
	return len(text)
}

// code is Go code that makes schema or rows.
type code struct {
	name  string // "schema" or "seed"
	given rows.Place
	f     func(context.Context, *sql.DB) error
}

// run calls the code with a database whose connections are the instance's.
func (s code) run(x *patient) error {
	hub := wire.NewHub(x, x.recording())
	c, err := pgx.ParseConfig(address)
	if err != nil {
		return err
	}
	c.DialFunc = func(context.Context, string, string) (net.Conn, error) { return hub.Dial(), nil }
	db := stdlib.OpenDB(*c)
	defer db.Close()
	if err := s.f(context.Background(), db); err != nil {
		return &rows.CodeError{What: s.name, Given: s.given, Err: ofPgx(err)}
	}
	_, err = db.Exec("DISCARD ALL")
	return err
}

// ofPgx says of what pgx cannot encode, and other drivers can, that the database is pgx's.
func ofPgx(err error) error {
	if !strings.Contains(err.Error(), "cannot find encode plan") {
		return err
	}
	return fmt.Errorf("%w: this *sql.DB is pgx's; code that is written for another driver, such as lib/pq, opens an address with that one, "+
		"by pg.SchemaDSN or pg.SeedDSN here and by DB.DSN in sessions", err)
}

// ScriptError is a statement of the schema or the seed that fails.
type ScriptError struct {
	Name string // the file in which the statement is, or "the schema" or "the seed"
	Line int    // of that, counted from 1
	Err  *pgconn.PgError

	at rows.Spot
}

// Place is the line in the user's code or in a file beside it; "" for a file of an [fs.FS].
func (e *ScriptError) Place() (file string, line int) { return e.at.Place() }

// Error names the place and says what is wrong.
func (e *ScriptError) Error() string { return e.at.Around(e.what()) }

// Reason is Error without the line that Place returns.
func (e *ScriptError) Reason() string { return e.at.Within(e.what()) }

// what says what is wrong.
func (e *ScriptError) what() string {
	text := fmt.Sprintf("%s (SQLSTATE %s)", e.Err.Message, e.Err.Code)
	if e.Err.Detail != "" {
		text += ": " + e.Err.Detail
	}
	if e.Err.Hint != "" {
		text += "; " + e.Err.Hint
	}
	return text
}

// Unwrap returns PostgreSQL's error.
func (e *ScriptError) Unwrap() error { return e.Err }
