package mysql

import (
	"context"

	"github.com/txmc/txmc/mysql/engine"
	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/mysql/wire"
	"github.com/txmc/txmc/program/rows"
)

// Image is a database with its schema and its initial rows, which any number of clients can
// be served, each on the transactions of a log of its own.
type Image struct{ base *base }

// NewImage runs the schema and the seed.
func NewImage(opts ...Option) (*Image, error) {
	b, err := newBase(newConfig(opts))
	if err != nil {
		return nil, err
	}
	return &Image{b}, nil
}

// Initial returns the initial values of the variables that stand for rows.
func (i *Image) Initial() map[string]any { return i.base.initial }

// Describe describes the tables: see [storage.Database.Describe].
func (i *Image) Describe() (tables []storage.TableInfo, triggers []string) {
	return i.base.engine.Describe()
}

// Log is the log of a client, which knows whether its transaction has failed by itself, as a
// deadlock makes it fail.
type Log interface {
	rows.Log
	// Failed reports, once, that the transaction has failed.
	Failed() bool
}

// Client is who opens a connection.
type Client struct {
	Owner string
	// Number is the client's, counted from 1: it tells rows without a primary key and
	// numbers of AUTO_INCREMENT apart.
	Number int
	Log    Log
	// Password is what the client has to know, whatever user it names; "": nothing.
	Password string
	// Refused is told which statements fail here that a server may answer, and why.
	Refused func(message string)
	// Statement, unless nil, is called before a statement, which ends with during. What it
	// returns is called behind it.
	Statement func(ctx context.Context) (during context.Context, done func())
}

// Connect opens a client's connection. Reading from the connection runs the statements.
func (i *Image) Connect(c Client) (*wire.Conn, error) {
	run := storage.NewRun(c.Owner, c.Number, c.Log)
	h := wire.NewHub(i.base.engine, engine.NewRun(run, uint64(c.Number), true), &failures{run: run, log: c.Log, refused: c.Refused})
	h.Password, h.Around = c.Password, c.Statement
	return h.Connect()
}

// Forget drops what the image knows of rows and contents that nobody can read any more. It
// asks which variables and which contents, by [rows.Content.Key], are in use.
func (i *Image) Forget(variable, content func(string) bool) { i.base.engine.Forget(variable, content) }

// failures ends transactions that have failed by themselves, before the next statement: as
// in a server, that begins another one.
type failures struct {
	unwatched
	run     *storage.Run
	log     Log
	refused func(message string)
}

// Refuse tells who serves; the client has the error.
func (f *failures) Refuse(message string) error {
	if f.refused != nil {
		f.refused(message)
	}
	return nil
}

// Statement is called before a statement.
func (f *failures) Statement(string) error {
	if f.log.Failed() {
		return f.run.Abort()
	}
	return nil
}

// Known is how many rows the image knows.
func (i *Image) Known() int { return i.base.engine.Known() }
