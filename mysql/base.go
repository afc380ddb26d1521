package mysql

import (
	"context"
	"math"
	"net"
	"slices"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/mysql/engine"
	"github.com/txmc/txmc/mysql/model"
	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/repeat"
	"github.com/txmc/txmc/program/rows"
)

// base is a program's database before any session: the tables, and the rows that the
// seed made.
type base struct {
	database string // its name
	engine   *engine.Engine
	initial  map[string]any
	seeded   *storage.Run // has run the scripts

	changes *changes

	// On a real server:
	remote access.Server
	asks   string // the level of transactions that ask for none

	// Under a model of the database:
	catalog *model.Catalog
	storage *access.Database
	level   model.Level // of transactions that ask for none
}

func newBase(c *config) (b *base, err error) {
	if c.err != nil {
		return nil, c.err
	}
	memory := rows.NewMemory()
	repeat.Apart(func() {
		b = &base{database: c.database, engine: engine.New(c.database).As(c.product)}
		run := storage.NewRun("seed", 0, memory.Log())
		for i, s := range slices.Concat(c.schema, c.seed) {
			at := b.pool(run, math.MaxUint64-uint64(i)) // sessions have their numbers
			at.watch.made = c.made
			err = s.run(at)
			if at.end(); err != nil {
				return
			}
		}
		run.Keep()
		b.seeded = run
	})
	b.initial = memory.All()
	return b, err
}

// newModelled is newBase under a model of the database, at a level of InnoDB for
// transactions that ask for none.
func newModelled(c *config, level string) (*base, error) {
	b, err := newBase(c)
	if err != nil {
		return nil, err
	}
	b.level = innodbLevels[level]
	b.catalog, b.storage, err = b.engine.Model(b.seeded)
	return b, err
}

// levelOf is the level of the transactions of a session that ask for none.
func (b *base) levelOf(session string) model.Level {
	if l := b.changes.level(session, ""); l != "" {
		return innodbLevels[l]
	}
	return b.level
}

// innodbLevels are the levels of InnoDB by their names.
var innodbLevels = map[string]model.Level{"innodb-rc": model.ReadCommitted, "innodb-rr": model.RepeatableRead,
	"innodb-rr-si": model.SnapshotIsolation, "innodb-ser": model.Serializable, "innodb-ru": model.ReadUncommitted}

// driverConfig is a configuration of the driver that dials by a function. The connections begin
// with the one database there is.
func driverConfig(dial func() (net.Conn, error)) *driver.Config {
	c := driver.NewConfig()
	c.User, c.Net, c.Addr, c.DBName, c.ParseTime = "root", "unix", "/txmc/mysql.sock", "", true
	c.DialFunc = func(context.Context, string, string) (net.Conn, error) { return dial() }
	c.Logger = &driver.NopLogger{} // the end of a run closes connections: no news for who reads the report
	return c
}
