package mysql_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/rows"
)

// Code may be given an address or a host and a port, for the schema, the seed and the
// sessions, and may name the database.
func TestAddress(t *testing.T) {
	run := func(dsn, text string) error {
		db, err := sql.Open("mysql", dsn)
		if err != nil {
			return err
		}
		defer db.Close()
		_, err = db.Exec(text)
		return err
	}
	names := []string{"by DSN", "by port"}
	byPort := func(host string, port int) string { return fmt.Sprintf("me:secret@tcp(%s:%d)/shop", host, port) }
	var made sync.Map
	got := sqltest.Explore(t, func(p *program.Program) {
		db := mysql.New(p, mysql.Database("shop"), mysql.SchemaRecorded(func(s rows.Sent) { made.Store(s.SQL, true) }),
			mysql.SchemaAddress(func(_ context.Context, host string, port int) error {
				return run(byPort(host, port), "CREATE TABLE t (id INT PRIMARY KEY)")
			}),
			mysql.SchemaDSN(func(_ context.Context, dsn string) error {
				if !strings.Contains(dsn, "/shop?") {
					t.Error(dsn)
				}
				return run(dsn, "CREATE TABLE u (id INT PRIMARY KEY)")
			}),
			mysql.SeedAddress(func(_ context.Context, host string, port int) error {
				return run(byPort(host, port), "INSERT INTO t VALUES (1)")
			}),
			mysql.SeedDSN(func(_ context.Context, dsn string) error { return run(dsn, "INSERT INTO u VALUES (1), (2)") }))
		for i, dsn := range []func(s *program.Session) string{db.DSN, func(s *program.Session) string { return byPort(db.Address(s)) }} {
			p.Session(names[i], func(s *program.Session) {
				c, err := sql.Open("mysql", dsn(s))
				if err != nil {
					t.Error(err)
					return
				}
				defer c.Close()
				var name string
				var n, m int
				err = c.QueryRow("SELECT database(), (SELECT count(*) FROM t), (SELECT count(*) FROM shop.u)").Scan(&name, &n, &m)
				s.Observe("rows", fmt.Sprint(name, n, m, err))
			})
		}
	}, isolation.SER)
	if _, told := made.Load("CREATE TABLE u (id INT PRIMARY KEY)"); !told {
		t.Error("the statement of the schema is not told")
	}
	if want := "rows=shop1 2 <nil> rows=shop1 2 <nil> "; len(got.Outcomes) != 1 || got.Outcomes[want] != 1 {
		t.Errorf("%v", got.Outcomes)
	}
}
