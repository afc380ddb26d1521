package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"regexp"
	"sync"

	"github.com/dolthub/vitess/go/sqltypes"
	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/mysql/engine"
	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/mysql/wire"
	"github.com/txmc/txmc/program/rows"
)

// What makes the schema and the initial rows: SQL text and Go code. Each step has
// connections of its own.

// step is a part of the schema or the seed.
type step interface {
	run(at *pool) error
}

// pool is a database whose connections run statements of no history.
type pool struct {
	open  *sql.DB
	dial  func() (net.Conn, error)
	watch *scripted
	close func()
	// remote: a real server answers, on which the database has a name of its own.
	remote bool
}

// ofDatabases finds statements that make a database, or choose one.
var ofDatabases = regexp.MustCompile(`(?i)^\s*(?:(?:CREATE|ALTER|DROP)\s+(?:DATABASE|SCHEMA)|USE)\b`)

// pool returns such a database. Its random numbers depend on the seed.
func (b *base) pool(on *storage.Run, seed uint64) *pool {
	watch := &scripted{}
	hub := wire.NewHub(b.engine, engine.NewRun(on, seed, false), watch)
	return &pool{sql.OpenDB(connector(hub.Dial)), hub.Dial, watch, hub.Close, false}
}

// end ends the connections.
func (p *pool) end() {
	p.open.Close()
	p.close()
}

// scripted watches code that makes schema or rows. It notes what a server may answer otherwise:
// the code may ignore the error.
type scripted struct {
	unwatched
	mu      sync.Mutex
	refused error // the first one

	made func(rows.Sent) // takes statements; nil: nobody does
}

// Statement implements wire.Watcher.
func (s *scripted) Statement(sql string) error {
	if s.made != nil {
		s.made(rows.Sent{SQL: sql})
	}
	return nil
}

// Refuse implements wire.Watcher.
func (s *scripted) Refuse(message string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused == nil {
		s.refused = errors.New(message)
	}
	return nil
}

// ended is the error of code: its own, or what it has ignored.
func (s *scripted) ended(name string, given rows.Place, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		err = s.refused
	}
	if err == nil {
		return nil
	}
	return &rows.CodeError{What: name, Given: given, Err: err}
}

// script is SQL text with its origin, for errors.
type script struct {
	rows.Script
	leave func(rows.Failed) bool // statements that fail and are left out; nil: none are
}

// run runs the statements one by one.
func (s script) run(at *pool) error {
	ctx, remote := context.Background(), at.remote
	conn, err := at.open.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for at, statement := range engine.Statements(s.Text) {
		if remote && ofDatabases.MatchString(rows.WithoutComment(statement)) {
			continue
		}
		_, err := conn.ExecContext(ctx, statement)
		if e := (*driver.MySQLError)(nil); errors.As(err, &e) {
			spot := s.At(at + rows.Blank(s.Text[at:]))
			failed := &ScriptError{Name: spot.Name, Line: spot.Line, Err: e, at: spot}
			if s.leave == nil || !s.leave(rows.Failed{Name: s.Name, At: at, Statement: statement, Err: failed}) {
				return failed
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return nil
}

// code is Go code that makes schema or rows.
type code struct {
	name  string // "schema" or "seed"
	given rows.Place
	f     func(context.Context, *sql.DB) error
}

// run calls the code with a database.
func (s code) run(at *pool) error {
	return at.watch.ended(s.name, s.given, s.f(context.Background(), at.open))
}

// unwatched runs scripts, which are of no history.
type unwatched struct{}

func (unwatched) Statement(string) error           { return nil }
func (unwatched) Refuse(m string) error            { return errors.New(m) }
func (unwatched) Answered(*sqltypes.Result, error) {}

// ScriptError is a statement of the schema or the seed that fails.
type ScriptError struct {
	Name string // the file in which the statement is, or "the schema" or "the seed"
	Line int    // of that, where the statement begins, counted from 1
	Err  *driver.MySQLError

	at rows.Spot
}

// Place is the line in the user's code or in a file beside it; "" for a file of an [fs.FS].
func (e *ScriptError) Place() (file string, line int) { return e.at.Place() }

// Error names the place and says what is wrong.
func (e *ScriptError) Error() string { return e.at.Around(e.Err.Error()) }

// Reason is Error without the line that Place returns.
func (e *ScriptError) Reason() string { return e.at.Within(e.Err.Error()) }

// Unwrap returns the server's error.
func (e *ScriptError) Unwrap() error { return e.Err }
