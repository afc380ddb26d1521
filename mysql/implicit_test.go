package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// The ways in which a session adds a user who is not there, each in autocommit.
var implied = map[string]func(context.Context, *sql.DB) error{
	"text protocol": func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, "INSERT INTO users (name) SELECT 'ann' FROM dual WHERE NOT EXISTS (SELECT 1 FROM users WHERE name = 'ann')")
		return err
	},
	"binary protocol": func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, "INSERT INTO users (name) SELECT ? FROM dual WHERE NOT EXISTS (SELECT 1 FROM users WHERE name = 'ann')", "ann")
		return err
	},
}

// Between a statement in autocommit and its commit others run, under the model and on the
// server. The same outcomes are found, two users among them, and confirmed.
func TestImpliedCommit(t *testing.T) {
	at := lent(t)
	for name, add := range implied {
		t.Run(name, func(t *testing.T) {
			p := func(p *program.Program) {
				db := mysql.New(p, mysql.Schema("CREATE TABLE users (id int AUTO_INCREMENT PRIMARY KEY, name varchar(20))"))
				for _, name := range []string{"a", "b"} {
					p.Session(name, func(s *program.Session) { s.Assert(add(context.Background(), db.Open(s)) == nil, "an error") })
				}
				db.Final("one ann", func(ctx context.Context, d *sql.DB) error {
					var n int
					if err := d.QueryRowContext(ctx, "SELECT count(*) FROM users").Scan(&n); err != nil || n != 1 {
						return fmt.Errorf("%d users, %v", n, err)
					}
					return nil
				})
			}
			compare, confirm := at, at
			compare.Compare, confirm.Confirm = true, true
			list := reportsOf[*report.ServerComparison](runOn(t, compare, p, isolation.InnoRC))
			if len(list) != 1 || list[0].Differ() > 0 || !list[0].Complete || list[0].Outcomes < 3 {
				t.Fatalf("compared: %+v", list)
			}
			if v := reportsOf[*report.Violation](runOn(t, confirm, p, isolation.InnoRC)); len(v) == 0 || v[0].Confirmation.Verdict != report.Confirmed {
				t.Errorf("%d violations, none confirmed", len(v))
			}
		})
	}
}

// On a server a client hears of a statement in autocommit what it does without another one in
// between: numbers, errors, and the state of the transaction. Locks are gone after it.
func TestImpliedAnswers(t *testing.T) {
	at := lent(t)
	at.Compare = true
	number := func(err error) (n uint16) {
		var failed *driver.MySQLError
		errors.As(err, &failed)
		if failed != nil {
			n = failed.Number
		}
		return n
	}
	p := func(p *program.Program) {
		db := mysql.New(p, mysql.Schema("CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, n int, UNIQUE (n))"), mysql.Seed("INSERT INTO t VALUES (1, 1), (2, 2)"))
		p.Session("a", func(s *program.Session) {
			ctx := context.Background()
			conn, err := db.Open(s).Conn(ctx)
			if err != nil {
				s.Assert(false, err.Error())
				return
			}
			defer conn.Close()
			exec := func(q string, args ...any) (n, id int64, code uint16) {
				r, err := conn.ExecContext(ctx, q, args...)
				if err != nil {
					return 0, 0, number(err)
				}
				n, _ = r.RowsAffected()
				id, _ = r.LastInsertId()
				return n, id, 0
			}
			for _, c := range []struct {
				text string
				args []any
				want string
			}{
				{"UPDATE t SET n = n + 10", nil, "2 0 0"}, {"UPDATE t SET n = n + ?", []any{10}, "2 0 0"}, {"UPDATE t SET n = 5", nil, "0 0 1062"}, {"UPDATE t SET n = ?", []any{5}, "0 0 1062"},
				{"INSERT INTO t (n) VALUES (7), (8)", nil, "2 3 0"}, {"DELETE FROM t WHERE n = 7", nil, "1 0 0"}, {"SET autocommit = 0", nil, "0 0 0"}, {"UPDATE t SET n = 70 WHERE n = 8", nil, "1 0 0"},
				{"ROLLBACK", nil, "0 0 0"}, {"UPDATE t SET n = 71 WHERE n = 70", nil, "0 0 0"}, {"ROLLBACK", nil, "0 0 0"}, {"SET autocommit = 1", nil, "0 0 0"},
			} {
				n, id, code := exec(c.text, c.args...)
				s.Assert(fmt.Sprint(n, id, code) == c.want, fmt.Sprintf("%s: %d %d %d, want %s", c.text, n, id, code, c.want))
			}
			var n int
			err = conn.QueryRowContext(ctx, "SELECT n FROM t WHERE id = 1 FOR UPDATE").Scan(&n)
			s.Assert(err == nil && n == 21, fmt.Sprintf("%d, %v", n, err))
			err = db.Open(s).QueryRowContext(ctx, "SELECT n FROM t WHERE id = 1 FOR UPDATE NOWAIT").Scan(&n)
			s.Assert(err == nil && n == 21, fmt.Sprintf("%d, %v", n, err))
		})
	}
	list := reportsOf[*report.ServerComparison](runOn(t, at, p, isolation.InnoRR))
	if len(list) != 1 || list[0].Differ() > 0 || list[0].Outcomes != 1 {
		t.Fatalf("compared: %+v", list)
	}
	at.Compare = false
	for _, v := range reportsOf[*report.Violation](runOn(t, at, p, isolation.InnoRR)) {
		t.Errorf("%+v", v)
	}
}
