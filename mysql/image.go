package mysql

import (
	"net"

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
	var c config
	for _, o := range opts {
		o(&c)
	}
	b, err := newBase(database, &c)
	if err != nil {
		return nil, err
	}
	return &Image{b}, nil
}

// Initial returns the initial values of the variables that stand for rows.
func (i *Image) Initial() map[string]any { return i.base.initial }

// Log is the log of a client, which knows whether its transaction has failed by itself, as a
// deadlock makes it fail.
type Log interface {
	rows.Log
	// Failed reports, once, that the transaction has failed.
	Failed() bool
}

// Connect opens a client's connection. The number is the client's, counted from 1: it tells
// rows without a primary key and numbers of AUTO_INCREMENT apart. Reading from the
// connection runs the statements.
func (i *Image) Connect(owner string, number int, log Log) (net.Conn, error) {
	run := storage.NewRun(owner, number, log)
	return wire.NewHub(i.base.engine, engine.NewRun(run, uint64(number), true), &failures{run: run, log: log}).Dial()
}

// failures ends transactions that have failed by themselves, before the next statement: as
// in a server, that begins another one.
type failures struct {
	unwatched
	run *storage.Run
	log Log
}

// Statement is called before a statement.
func (f *failures) Statement(string) error {
	if f.log.Failed() {
		return f.run.Abort()
	}
	return nil
}
