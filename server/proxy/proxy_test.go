package proxy_test

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/proxy"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

func TestMain(m *testing.M) { scratchtest.Main(m) }

// start makes an empty database on a server that tests share, and returns the database's address.
// The test is skipped where there is no server, or nothing that parses its SQL. Transactions at
// SERIALIZABLE know those of other databases: a test with such runs beside no other, or [alone].
func start(t testing.TB) (server *scratch.Server, dsn string) {
	t.Helper()
	server = scratchtest.Shared(t, scratch.Postgres, nil)
	name := empty(t, server)
	t.Cleanup(func() { execute(t, server.DSN("postgres"), "DROP DATABASE "+name+" WITH (FORCE)") })
	return server, server.DSN(name)
}

// alone is start with a server of the test's own.
func alone(t testing.TB) (server *scratch.Server, dsn string) {
	t.Helper()
	server = scratchtest.Start(t, scratch.Postgres, nil)
	return server, server.DSN(empty(t, server))
}

// databases counts the databases of tests.
var databases atomic.Int64

// empty makes an empty database, and returns its name.
func empty(t testing.TB, server *scratch.Server) (name string) {
	t.Helper()
	if err := missing(); err != nil {
		t.Skipf("PostgreSQL's package is not to be had: %v", err)
	}
	name = fmt.Sprint("txmc_test", databases.Add(1))
	execute(t, server.DSN("postgres"), "CREATE DATABASE "+name)
	return name
}

// missing says why there is no package of PostgreSQL. To look takes half a second of processor time.
var missing = sync.OnceValue(func() error {
	e, err := engine.Open(context.Background(), engine.Options{})
	if err != nil {
		return err
	}
	return e.Close()
})

// execute runs statements and returns the first column of the last one's rows.
func execute(t testing.TB, dsn, sql string) (column []string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // when the test ends, too
	c, err := pgconn.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	results, err := c.Exec(ctx, sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	for _, row := range results[len(results)-1].Rows {
		column = append(column, string(row[0]))
	}
	return column
}

// claim claims the database for the time of a test, which must leave nothing in it.
func claim(t testing.TB, dsn string) {
	t.Helper()
	c, err := proxy.Take(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Release(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// events keeps what a run reports.
type events struct{ list []any }

func (*events) Turn(string, string, *dpor.Exploration) {}
func (e *events) Event(event any)                      { e.list = append(e.list, event) }

// of are the events of a type.
func of[T any](e *events) (list []T) {
	for _, event := range e.list {
		if x, ok := event.(T); ok {
			list = append(list, x)
		}
	}
	return list
}

// onServer is what is done with a program at levels on a server.
type onServer struct {
	at       explore.OnServer
	all      bool
	list     bool
	patience time.Duration
	timeout  time.Duration
}

// run does it.
func (o onServer) run(t *testing.T, ctx context.Context, f func(*program.Program), levels ...isolation.Level) *events {
	t.Helper()
	if o.patience == 0 {
		o.patience = 10 * time.Minute
	}
	e := &events{}
	server := proxy.New(o.at)
	defer server.Close()
	r := &explore.Run{
		Package: "test", Sink: e, Server: server, Confirm: o.at.Confirm, Scope: explore.Scope{All: o.all, Group: o.all, List: o.list},
		Options: explore.Options{Levels: levels, Patience: o.patience, MaxOps: 1000, Workers: 1, Recheck: min(4, sqltest.Recheck(t)), Shown: o.at.Compare, Timeout: o.timeout},
	}
	switch {
	case o.at.Free != nil:
		r.Task = server.Free(*o.at.Free)
	case !o.at.Confirm:
		r.Task = server.Find(o.at.Compare)
	}
	r.Programs(ctx, []explore.Program{{Name: nameOf(f), Explore: f}})
	return e
}

// only is the one error of a run, nil without any.
func (e *events) only(t *testing.T) *report.Error {
	t.Helper()
	switch list := of[*report.Error](e); len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	default:
		t.Fatalf("%d errors: %v", len(list), list)
		return nil
	}
}

func nameOf(f func(*program.Program)) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}
