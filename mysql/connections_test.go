package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
)

// Under the model each connection of a session is a session of the server's. A statement on the pool
// while a transaction is open is a transaction of its own, which stays when the other one is rolled
// back; one that waits for the session's own transaction is a violation, and so is a lock by name that
// is given up on another connection than the one that has taken it.
func TestConnections(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, c := range []struct {
		name, fails string
		run         func(db *sql.DB, tx *sql.Tx) error
	}{
		{"beside", "", func(db *sql.DB, _ *sql.Tx) error {
			_, err := db.ExecContext(ctx, "UPDATE acct SET bal = 7 WHERE id = 2")
			return err
		}},
		{"itself", "hang", func(db *sql.DB, _ *sql.Tx) error {
			_, err := db.ExecContext(ctx, "UPDATE acct SET bal = 7 WHERE id = 1")
			return err
		}},
		{"lock", "kept", func(db *sql.DB, tx *sql.Tx) error {
			var released int
			_, err := tx.ExecContext(ctx, "DO GET_LOCK('month', 10)")
			return errors.Join(err, db.QueryRowContext(ctx, "SELECT IFNULL(RELEASE_LOCK('month'), 0)").Scan(&released))
		}},
		{"variables", "", func(db *sql.DB, tx *sql.Tx) error {
			var own, other sql.NullInt64
			_, err := tx.ExecContext(ctx, "SET @mine = 1")
			err = errors.Join(err, tx.QueryRowContext(ctx, "SELECT @mine").Scan(&own), db.QueryRowContext(ctx, "SELECT @mine").Scan(&other))
			if own.Int64 != 1 || other.Valid {
				err = errors.Join(err, fmt.Errorf("@mine is %v and %v", own, other))
			}
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			client := sqltest.NewClient(t, func(p *program.Program) {
				db := mysql.New(p, mysql.Schema(accounts), mysql.Seed(seed))
				p.Session("s", func(s *program.Session) {
					pool := db.Open(s)
					tx, err := pool.BeginTx(ctx, nil)
					s.Assert(err == nil, err)
					defer tx.Rollback()
					_, err = tx.ExecContext(ctx, "UPDATE acct SET bal = 1 WHERE id = 1")
					s.Assert(err == nil, err)
					err = c.run(pool, tx)
					s.Assert(err == nil, err)
				})
				db.Final("left", func(ctx context.Context, db *sql.DB) error {
					var first, second int
					err := errors.Join(db.QueryRowContext(ctx, "SELECT bal FROM acct WHERE id = 1").Scan(&first), db.QueryRowContext(ctx, "SELECT bal FROM acct WHERE id = 2").Scan(&second))
					if first == 1 || c.name == "beside" && second != 7 {
						err = errors.Join(err, fmt.Errorf("%d and %d are left", first, second))
					}
					return err
				})
			}, program.Options{Database: true, Level: isolation.InnoRR.String(), Recheck: -1})
			var kinds []string
			for found, err := range dpor.Explore(t.Context(), client, dpor.Options{Level: isolation.InnoRR, All: true, List: true, Workers: 1}).Histories() {
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range found.Failures {
					kinds = append(kinds, f.Kind.String())
					t.Log(f.Message)
				}
			}
			if strings.Join(kinds, " ") != c.fails {
				t.Errorf("failures: %v, want %q", kinds, c.fails)
			}
		})
	}
}
