package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/access"
)

// TestProductsExplored: which errors the sessions of a program meet in MySQL 8.4 and in two releases of MariaDB, chosen by
// the program or by the command.
func TestProductsExplored(t *testing.T) {
	t.Parallel()
	const schema = "CREATE TABLE q (id INT AUTO_INCREMENT PRIMARY KEY, v INT); CREATE TABLE src (v INT PRIMARY KEY, w INT); INSERT INTO src VALUES (1, 0), (2, 0)"
	for _, test := range []struct {
		what string
		a, b []string
		want map[string]string // by the product
	}{
		{"AUTO-INC", []string{"INSERT INTO q (v) SELECT v FROM src"}, []string{"BEGIN", "UPDATE src SET w = 1 WHERE v = 2", "INSERT INTO q (v) VALUES (9)", "COMMIT"},
			map[string]string{"mysql:8.4": "0", "mariadb:10.11": "0 1213 1467", "mariadb:11.8": "0 1213 1467"}},
		{"GET_LOCK", []string{"SELECT GET_LOCK('a', -1)", "SELECT GET_LOCK('b', -1)", "SELECT RELEASE_ALL_LOCKS()"}, []string{"SELECT GET_LOCK('b', -1)", "SELECT GET_LOCK('a', -1)", "SELECT RELEASE_ALL_LOCKS()"},
			map[string]string{"mysql:8.4": "0 3058", "mariadb:10.11": "0 1213", "mariadb:11.8": "0 1213"}},
		{"snapshot", []string{"BEGIN", "SELECT w FROM src", "UPDATE src SET w = w + 1 WHERE v = 1", "COMMIT"}, []string{"UPDATE src SET w = 5 WHERE v = 1"},
			map[string]string{"mysql:8.4": "0", "mariadb:10.11": "0", "mariadb:11.8": "0 1020"}},
		{"snapshot off", []string{"SET innodb_snapshot_isolation = OFF", "BEGIN", "SELECT w FROM src", "UPDATE src SET w = w + 1 WHERE v = 1", "COMMIT"}, []string{"UPDATE src SET w = 5 WHERE v = 1"},
			map[string]string{"mariadb:11.8": "0"}},
		{"snapshot at READ COMMITTED", []string{"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "BEGIN", "SELECT w FROM src", "UPDATE src SET w = w + 1 WHERE v = 1", "COMMIT"},
			[]string{"UPDATE src SET w = 5 WHERE v = 1"}, map[string]string{"mariadb:11.8": "0"}},
	} {
		for product, want := range test.want {
			number, err := access.ProductNamed(product)
			if err != nil {
				t.Fatal(err)
			}
			for _, chosen := range []bool{true, false} {
				options, version := []mysql.Option{mysql.Schema(schema)}, int(number)
				if chosen {
					options, version = append(options, mysql.Version(product)), 0
				}
				if got := errorsOf(t, version, options, test.a, test.b); got != want {
					t.Errorf("%s in %s: %s, want %s", test.what, product, got, want)
				}
			}
		}
	}
}

// errorsOf are the numbers of the errors that two sessions meet in all executions, 0 for none.
func errorsOf(t *testing.T, version int, options []mysql.Option, sessions ...[]string) string {
	t.Helper()
	met := map[string]bool{}
	declare := func(p *program.Program) {
		db := mysql.New(p, options...)
		for i, statements := range sessions {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				c, err := db.Open(s).Conn(context.Background())
				for _, q := range statements {
					if err == nil {
						err = send(c, q)
					}
				}
				var failed *driver.MySQLError
				switch {
				case err == nil:
					met["0"] = true
				case errors.As(err, &failed) && failed.Number != 1053: // the run has been ended
					met[fmt.Sprint(failed.Number)] = true
				}
				s.Observe("error", fmt.Sprint(err))
			})
		}
	}
	c, err := program.NewClient("ExploreProducts", declare, program.Options{Database: true, Level: isolation.InnoRR.String(), Patience: 10 * time.Minute, Serving: program.Serving{Version: version}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	for _, err := range dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.InnoRR, Base: isolation.InnoRR.Base()}).Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(met)), " ")
}

func send(c *sql.Conn, q string) error {
	if !strings.HasPrefix(q, "SELECT") {
		_, err := c.ExecContext(context.Background(), q)
		return err
	}
	rows, err := c.QueryContext(context.Background(), q)
	if err != nil {
		return err
	}
	for rows.Next() {
	}
	return errors.Join(rows.Err(), rows.Close())
}
