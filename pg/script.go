package pg

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/repeat"
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

// blame adds why a statement was cancelled.
func (x *patient) blame(err error) error {
	if err == nil || !x.late.Load() {
		return err
	}
	return fmt.Errorf("%w: it has not returned for %v", err, x.limit)
}

// place is a line of the user's code.
type place struct {
	file string // absolute, as the compiler recorded it
	line int
}

// caller is where the function that calls it was called.
func caller() place {
	_, file, line, _ := runtime.Caller(2)
	return place{file, line}
}

func (p place) String() string { return fmt.Sprintf("%s:%d", filepath.Base(p.file), p.line) }

// script is SQL text with its origin, for errors.
type script struct {
	name  string // of the file, else "schema" or "seed"
	text  string
	given place // where a text was given that is no file's
}

// text is a script that is given by the caller of the calling function.
func text(name, sql string) script {
	_, file, line, _ := runtime.Caller(2)
	return script{name, sql, place{file, line}}
}

// downs begin the way back in files of migrations: see [SchemaFS].
var downs = []string{"-- +goose down", "-- +migrate down", "-- migrate:down", "---- create above / drop below ----"}

// forwards is the part of a file before the way back.
func forwards(text string) string {
	at := 0
	for line := range strings.Lines(text) {
		words := strings.ToLower(strings.Join(strings.Fields(line), " "))
		if slices.ContainsFunc(downs, func(down string) bool { return strings.HasPrefix(words, down) }) {
			return text[:at]
		}
		at += len(line)
	}
	return text
}

// run runs a script's statements one by one.
func (s script) run(x *patient) error {
	ctx := context.Background()
	c, err := dial(ctx, wire.NewHub(x, unwatched{}))
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	statements, err := x.Statements(s.text)
	if err != nil { // the whole text: the server says what it cannot parse
		statements = []engine.Statement{{Text: s.text}}
	}
	for _, each := range statements {
		if _, err := c.Exec(ctx, each.Text).ReadAll(); err != nil {
			return s.failed(each, err)
		}
	}
	_, err = c.Exec(ctx, "DISCARD ALL").ReadAll()
	return err
}

// failed is the error of a statement.
func (s script) failed(each engine.Statement, err error) error {
	e, ok := err.(*pgconn.PgError)
	if !ok {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	at := each.At + offset(each.Text, int(e.Position))
	failed := &ScriptError{Name: s.name, Line: 1 + strings.Count(s.text[:at], "\n"), Err: e}
	if s.given.file == "" {
		return failed
	}
	if file, first, ok := s.source(); ok {
		failed.Name, failed.Line = filepath.Base(file), failed.Line+first-1
		failed.at = place{file, failed.Line}
	} else {
		failed.at = s.given
		failed.Name = fmt.Sprintf("%s: the %s, line", s.given, s.name)
	}
	return failed
}

// offset is the place in bytes of a position, counted in characters from 1; of none,
// the place of the first word.
func offset(text string, position int) int {
	if position <= 0 {
		return wire.Blank(text)
	}
	for at := range text {
		if position--; position == 0 {
			return at
		}
	}
	return len(text)
}

// source looks for the text among the files of the directory from which it was given,
// where it is a literal or an embedded file. It returns the path of the file and the line
// where the text begins.
func (s script) source() (file string, line int, ok bool) {
	dir := filepath.Dir(s.given.file)
	names, _ := filepath.Glob(filepath.Join(dir, "*")) // the pattern is well-formed
	names = append([]string{s.given.file}, names...)
	for _, name := range names {
		if ext := filepath.Ext(name); ext != ".go" && ext != ".sql" {
			continue
		}
		b, err := os.ReadFile(name)
		if at := strings.Index(string(b), s.text); err == nil && at >= 0 && strings.TrimSpace(s.text) != "" {
			return name, 1 + strings.Count(string(b[:at]), "\n"), true
		}
	}
	return "", 0, false
}

// code is Go code that makes schema or rows.
type code struct {
	name  string // "schema" or "seed"
	given place
	f     func(context.Context, *sql.DB) error
}

// run calls the code with a database whose connections are the instance's.
func (s code) run(x *patient) error {
	hub := wire.NewHub(x, unwatched{})
	c, err := pgx.ParseConfig(address)
	if err != nil {
		return err
	}
	c.DialFunc = func(context.Context, string, string) (net.Conn, error) { return hub.Dial(), nil }
	db := stdlib.OpenDB(*c)
	defer db.Close()
	if err := s.f(context.Background(), db); err != nil {
		return &codeError{s, err}
	}
	_, err = db.Exec("DISCARD ALL")
	return err
}

// codeError is an error of Go code that makes schema or rows.
type codeError struct {
	code
	err error
}

func (e *codeError) Error() string { return fmt.Sprintf("%s: the %s: %v", e.given, e.name, e.err) }

func (e *codeError) Unwrap() error { return e.err }

// Place is where the code was given.
func (e *codeError) Place() (file string, line int) { return e.given.file, e.given.line }

// ScriptError is a statement of the schema or the seed that fails.
type ScriptError struct {
	Name string // the file in which the statement is
	Line int    // of the file, counted from 1
	Err  *pgconn.PgError

	at place
}

// Place is the line in the user's code or in a file beside it; "" for a file of an [fs.FS].
func (e *ScriptError) Place() (file string, line int) { return e.at.file, e.at.line }

// Error names the place and says what is wrong.
func (e *ScriptError) Error() string {
	separator := ":"
	if strings.Contains(e.Name, " ") {
		separator = " "
	}
	text := fmt.Sprintf("%s%s%d: %s (SQLSTATE %s)", e.Name, separator, e.Line, e.Err.Message, e.Err.Code)
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
