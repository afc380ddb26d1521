package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"

	"github.com/dolthub/vitess/go/sqltypes"
	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/mysql/engine"
	"github.com/txmc/txmc/mysql/model"
	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/mysql/wire"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/repeat"
	"github.com/txmc/txmc/program/rows"
)

// database is the name of the one database.
const database = "app"

// base is a program's database before any session: the tables, and the rows that the
// seed made.
type base struct {
	engine  *engine.Engine
	initial map[string]any
	seeded  *storage.Run // has run the scripts

	// On a real server:
	remote access.Server
	asks   string // the level of transactions that ask for none

	// Under a model of the database:
	catalog *model.Catalog
	storage *access.Database
	level   model.Level // of transactions that ask for none
}

func newBase(name string, c *rows.Scripts) (b *base, err error) {
	scripts, err := c.All()
	if err != nil {
		return nil, err
	}
	memory := rows.NewMemory()
	repeat.Apart(func() {
		b = &base{engine: engine.New(name)}
		run := storage.NewRun("seed", 0, memory.Log())
		for _, s := range scripts {
			if err = b.script(run, s); err != nil {
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
func newModelled(name string, c *rows.Scripts, level string) (*base, error) {
	b, err := newBase(name, c)
	if err != nil {
		return nil, err
	}
	b.level = innodbLevels[level]
	b.catalog, b.storage, err = b.engine.Model(b.seeded)
	return b, err
}

// innodbLevels are the levels of InnoDB by their names.
var innodbLevels = map[string]model.Level{"innodb-rc": model.ReadCommitted, "innodb-rr": model.RepeatableRead,
	"innodb-rr-si": model.SnapshotIsolation, "innodb-ser": model.Serializable}

// script runs the statements of a script.
func (b *base) script(run *storage.Run, s rows.Script) error {
	hub := wire.NewHub(b.engine, engine.NewRun(run, 0, false), unwatched{})
	defer hub.Close()
	open := sql.OpenDB(connector(hub.Dial))
	defer open.Close()
	conn, err := open.Conn(context.Background())
	if err != nil {
		return err
	}
	defer conn.Close()
	return runScript(conn, s)
}

// unwatched runs scripts, which are of no history.
type unwatched struct{}

func (unwatched) Statement(string) error           { return nil }
func (unwatched) Refuse(m string) error            { return errors.New(m) }
func (unwatched) Answered(*sqltypes.Result, error) {}

// ScriptError is a statement of the schema or the seed that fails.
type ScriptError struct {
	Name string // the file, or "schema 1", "seed 1" and so on
	Line int    // where the statement begins, counted from 1
	Err  *driver.MySQLError
}

// Error names the place and says what is wrong.
func (e *ScriptError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }

// Unwrap returns the server's error.
func (e *ScriptError) Unwrap() error { return e.Err }

// config is a configuration of the driver that dials by a function. The connections begin
// with the one database there is.
func config(dial func() (net.Conn, error)) *driver.Config {
	c := driver.NewConfig()
	c.User, c.Net, c.Addr, c.DBName, c.ParseTime = "root", "unix", "/txmc/mysql.sock", "", true
	c.DialFunc = func(context.Context, string, string) (net.Conn, error) { return dial() }
	return c
}
