package mysql_test

import (
	"context"
	"database/sql"
	protocol "database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// byName are programs with locks by name: the statements of each session, on one connection,
// which is closed after the last one.
var byName = map[string][][]string{
	"one after another": {{"SELECT GET_LOCK('a', 100)", "SELECT n FROM t WHERE id = 1", "UPDATE t SET n = 1 + n WHERE id = 1", "SELECT RELEASE_LOCK('a')"},
		{"SELECT GET_LOCK('a', 100)", "SELECT n FROM t WHERE id = 1", "SELECT RELEASE_LOCK('a')"}},
	"without waiting": {{"SELECT GET_LOCK('a', 0), GET_LOCK('a', 0), GET_LOCK('b', 0), GET_LOCK('', 0)", "SELECT RELEASE_LOCK('a'), RELEASE_LOCK('A'), RELEASE_LOCK(NULL)", "SELECT RELEASE_ALL_LOCKS()"},
		{"SELECT GET_LOCK('a', 0), IS_FREE_LOCK('b'), RELEASE_LOCK('b')", "SELECT RELEASE_ALL_LOCKS()"}},
	"a transaction's end keeps them": {{"BEGIN", "SELECT GET_LOCK('a', 0)", "ROLLBACK", "SELECT n FROM t WHERE id = 1"}, {"SELECT GET_LOCK('a', 0)", "SELECT RELEASE_ALL_LOCKS()"}},
	"what is closed has none":        {{"SELECT GET_LOCK('a', 0)"}, {"SELECT GET_LOCK('a', 0)"}},
	"a circle": {{"SELECT GET_LOCK('a', 100)", "BEGIN", "UPDATE t SET n = 7 WHERE id = 1", "SELECT GET_LOCK('b', 100)", "COMMIT", "SELECT RELEASE_ALL_LOCKS()"},
		{"SELECT GET_LOCK('b', 100)", "BEGIN", "UPDATE t SET n = 8 WHERE id = 2", "SELECT GET_LOCK('a', 100)", "COMMIT", "SELECT RELEASE_ALL_LOCKS()"}},
}

// endless waits without a time limit, as MySQL has it; MariaDB answers NULL.
var endless = [][]string{{"SELECT GET_LOCK('a', -1)", "SELECT RELEASE_LOCK('a')"}, {"SELECT GET_LOCK('a', -1)", "SELECT RELEASE_LOCK('a')"}}

// long has names of MySQL's longest and of one more; MariaDB's may have 192 bytes.
var long = [][]string{{"SELECT GET_LOCK(REPEAT('é', 64), 0)", "SELECT GET_LOCK(REPEAT('e', 65), 0)"}}

// namedOutcomes are what the sessions of a program are answered, and may be.
var namedOutcomes = map[string][]string{
	"one after another": {"0 0  0 / 1 0 1 /", "0 0  0 / 1 1 1 /", "0 0  NULL / 1 0 1 /", "0 0  NULL / 1 1 1 /", "1 0  1 / 0 0 0 /", "1 0  1 / 0 0 NULL /", "1 0  1 / 0 1 0 /",
		"1 0  1 / 0 1 NULL /", "1 0  1 / 1 0 1 /", "1 0  1 / 1 1 1 /"},
	"without waiting":                {"0,0,1,NULL 0,NULL,NULL 1 / 1,1,NULL 1 /", "0,0,1,NULL NULL,NULL,NULL 1 / 1,1,NULL 1 /", "1,1,1,NULL 1,NULL,NULL 2 / 0,0,0 0 /", "1,1,1,NULL 1,NULL,NULL 2 / 1,1,NULL 1 /"},
	"a transaction's end keeps them": {" 0  0 / 1 1 /", " 1  0 / 0 0 /", " 1  0 / 1 1 /"},
	"a circle": {"0   0  0 / 1   1  2 /", "0   1  1 / 1   1  2 /", "1   !1213  1 / 1   0  1 /", "1   !1213  1 / 1   1  2 /", "1   0  1 / 1   !1213  1 /", "1   0  1 / 1   0  1 /", "1   0  1 / 1   1  2 /",
		"1   1  2 / 0   0  0 /", "1   1  2 / 0   1  1 /", "1   1  2 / 1   !1213  1 /", "1   1  2 / 1   0  1 /", "1   1  2 / 1   1  2 /"},
	"what is closed has none": {"0 / 1 /", "1 / 0 /", "1 / 1 /"},
	"long names":              {"1 !1059 /"},
	"without a time limit":    {"1 1 / 1 1 /"},
}

// sends declares the program, and notes each answer.
func sends(sessions [][]string) func(*program.Program) {
	return func(p *program.Program) {
		db := mysql.New(p, mysql.Schema("CREATE TABLE t (id INT PRIMARY KEY, n INT)"), mysql.Seed("INSERT INTO t VALUES (1, 0), (2, 0)"))
		for i, statements := range sessions {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				ctx := context.Background()
				conn, err := db.Open(s).Conn(ctx)
				s.Assert(err == nil, err)
				for _, text := range statements {
					s.Observe("", sent(ctx, conn, text))
				}
				s.Assert(errors.Is(conn.Raw(func(any) error { return protocol.ErrBadConn }), protocol.ErrBadConn)) // which closes it
			})
		}
	}
}

// sent is the answer to a statement.
func sent(ctx context.Context, conn *sql.Conn, text string) string {
	var list []string
	var err error
	if strings.HasPrefix(text, "SELECT") {
		list, err = answered(conn.QueryContext(ctx, text))
	} else {
		_, err = conn.ExecContext(ctx, text)
	}
	if failed := (*driver.MySQLError)(nil); errors.As(err, &failed) {
		return fmt.Sprint("!", failed.Number)
	}
	if err != nil {
		return err.Error()
	}
	return strings.Join(list, ",")
}

// answered are the values of rows.
func answered(rows *sql.Rows, err error) (list []string, _ error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		for _, v := range values {
			if !v.Valid {
				v.String = "NULL"
			}
			list = append(list, v.String)
		}
	}
	return list, rows.Err()
}

// Migrations lock a name while they make the schema, where nobody else is: at an axiomatic
// level too, at which sessions have no such locks.
func TestLocksOfMigrations(t *testing.T) {
	migrate := func(ctx context.Context, db *sql.DB) error {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
		var before, again, after, none any
		if err := conn.QueryRowContext(ctx, "SELECT GET_LOCK('migrations', 10), IS_FREE_LOCK('migrations')").Scan(&before, &again); err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, "CREATE TABLE t (id INT PRIMARY KEY)"); err != nil {
			return err
		}
		err = conn.QueryRowContext(ctx, "SELECT RELEASE_LOCK('migrations'), RELEASE_LOCK('migrations')").Scan(&after, &none)
		if got := fmt.Sprint(before, again, after, none, err); got != "1 0 1 <nil> <nil>" {
			return errors.New(got)
		}
		return nil
	}
	got := sqltest.Explore(t, func(p *program.Program) {
		db := mysql.New(p, mysql.SchemaFunc(migrate))
		p.Session("s", func(s *program.Session) {
			_, err := db.Open(s).Exec("INSERT INTO t VALUES (1)")
			s.Observe("error", fmt.Sprint(err))
		})
	}, isolation.SER)
	if len(got.Outcomes) != 1 {
		t.Error(got.Outcomes)
	}
	for o := range got.Outcomes {
		if !strings.HasPrefix(o, "error=<nil>") {
			t.Error(o)
		}
	}
}

// GET_LOCK and its kin: what is answered.
func TestNamedLocks(t *testing.T) {
	programs := maps.Clone(byName)
	programs["without a time limit"], programs["long names"] = endless, long
	for name, sessions := range programs {
		t.Run(name, func(t *testing.T) {
			c, err := program.NewClient(t.Name(), sends(sessions), program.Options{Database: true, Level: isolation.InnoRR.String(), Recheck: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Park()
			got := map[string]bool{}
			for found, err := range dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.InnoRR, Selection: dpor.Selection{Steps: states.Statements}, All: true, List: true, Workers: 1}).Histories() {
				if err != nil {
					t.Fatal(err)
				}
				var all []string
				for _, end := range found.Ends[:len(sessions)] {
					for _, n := range end.Path() {
						for _, e := range n.Events {
							if e.Kind == behaviour.ObserveEvent {
								all = append(all, c.Value(e.Val).(string))
							}
						}
					}
					all = append(all, "/")
				}
				got[strings.Join(all, " ")] = true
			}
			if list := slices.Sorted(maps.Keys(got)); !slices.Equal(list, namedOutcomes[name]) {
				t.Errorf("got %q", list)
			}
		})
	}
}

// The server has them too, but for waits that have ended by their time.
func TestNamedLocksOnServer(t *testing.T) {
	at := lent(t)
	at.Compare = true
	for name, sessions := range byName {
		t.Run(name, func(t *testing.T) {
			list := reportsOf[*report.ServerComparison](runOn(t, at, sends(sessions), isolation.InnoRR))
			if len(list) != 1 || len(list[0].OnlyServer) > 0 || !list[0].Complete || list[0].Outcomes == 0 {
				t.Errorf("compared: %+v", list)
			}
		})
	}
}
