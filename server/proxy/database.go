package proxy

import (
	"context"
	"errors"
	"regexp"
	"time"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/report"
)

// Database is a database on a server, with all that differs between the kinds of servers.
// Its methods are for one goroutine.
type Database interface {
	// Dialect is the language of the server, the same each time.
	Dialect() *Dialect
	// Version is the server's, as PostgreSQL 15.18.
	Version() string
	// Deadlocks returns how long a wait lasts at most before it is looked at for a
	// deadlock, and whether that is short enough to wait for it each time.
	Deadlocks() (check time.Duration, quick bool)
	// Connect opens a connection for a session that begins with a driver's parameters.
	Connect(ctx context.Context, startup string) (Link, error)
	// Refusal is the answer to a connection that the server has refused with an error; nil
	// where it was not the server.
	Refusal(err error) []byte
	// Clean makes a connection on which nothing is open as it was when it began, and
	// reports whether it is.
	Clean(l Link) bool

	// Clear empties the database.
	Clear(ctx context.Context) error
	// Capture keeps what is in the database, for Reset.
	Capture(ctx context.Context) (Content, error)
	// Reset puts back what Capture has kept. The error is ErrRebuild where the user may
	// not.
	Reset(ctx context.Context) error
	// Left are the rows of all tables, each with the name of its table, in the words that
	// reports have for a database's model.
	Left(ctx context.Context) ([]report.Assigned, error)

	// Waits returns, for each connection, for which others it waits, by their IDs: nil for
	// one whose statement runs. A wait for somebody whom the server does not name is an
	// empty list that is not nil. sent are the statements that the connections run.
	Waits(ctx context.Context, busy []Link, sent []*access.Sent) ([][]string, error)
	// Blockers are the IDs of those for whom a connection waits. It may take longer than
	// Waits.
	Blockers(ctx context.Context, l Link) ([]string, error)
	// Describe says who has an ID, for people.
	Describe(ctx context.Context, ids []string) string
	// End ends connections, also those that wait.
	End(ctx context.Context, links []Link) error
	// Alive reports whether the server can be asked.
	Alive() bool
	// Close ends the proxy's own connections, also those on which a statement runs.
	Close() error
}

// Link is a connection of a session to the server.
type Link interface {
	// Exchange sends what a session has sent and returns the answer. It is the only method
	// that may be called from another goroutine, while no other runs.
	Exchange(q *access.Sent) ([]byte, error)
	// Run runs a statement of the proxy's own.
	Run(sql string) error
	// Status is the state of the transaction: I none, T open, E failed; of PostgreSQL also
	// P between the statements of a batch.
	Status() byte
	// ID is the connection's on the server.
	ID() string
	// Greeting is what a driver is told of the connection, the same for equal parameters.
	Greeting() []byte
	// Interrupt makes what runs fail. It may be called from another goroutine.
	Interrupt()
	// Close ends the connection.
	Close()
}

// Content is what is known of the database before any session.
type Content struct {
	Plain     bool // statements have no effects that they do not name
	Sequences bool // there are numbers that depend on the order of statements
}

// ErrRebuild says that rows cannot be put back one by one: schema and seed have to run
// again.
var ErrRebuild = errors.New("triggers and foreign keys cannot be turned off")

// Dialect is what the proxy knows of the language of a kind of server. Its functions take
// what one session has sent.
type Dialect struct {
	Naming
	// Levels are, of axiomatic levels, those of the server that keep the same promise.
	Levels map[isolation.Level]isolation.Level
	// NoLevel says what to do at a level that the server does not have.
	NoLevel string

	// Unnamed is true where Waits does not say for whom a connection waits, and Blockers
	// takes long.
	Unnamed bool
	// KeepsBlanks is true where JSON comes back as it was sent, and the model writes its own
	// blanks.
	KeepsBlanks bool
	Language
	// Troubles are the codes of errors that end a run, by their beginnings, and what to do.
	Troubles []Trouble
}

// Naming is what the database and what belongs to it are called.
type Naming struct {
	// Of is the database whose levels the server has; Title is its name, and Name the one
	// that --db has.
	Of          isolation.Database
	Title, Name string
	// Package is where programs declare a database that this server can have.
	Package string
	// Code is what codes of errors are called.
	Code string
}

// Language says what statements mean.
type Language struct {
	// Words tells of an answer what it says of a statement: see program.Backend.Answered.
	Words func(answer []byte) string
	// Kind is what a statement means to other sessions.
	Kind func(q *access.Sent) Kind
	// Writes is the table that a statement writes, and whether it puts rows into it; ""
	// where it may do something else.
	Writes func(q *access.Sent) (table string, adds bool)
	// Locking is what makes a SELECT more than a read; Weaker is what sets a level, by its
	// name, at which reads commute with what is not committed.
	Locking, Weaker *regexp.Regexp
	// Known are the first words of statements that change no definitions.
	Known map[string]bool
}

// Trouble is an error after which a run cannot go on.
type Trouble struct {
	Code string // its beginning
	What string // it means, and what to do
	// Timed is true of a time limit. In a free run it is an answer.
	Timed bool
}
