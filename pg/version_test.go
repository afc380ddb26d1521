package pg_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

const restricted = `CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE c (p int REFERENCES p ON DELETE RESTRICT);
INSERT INTO p VALUES (1); INSERT INTO c VALUES (1);`

// TestVersion: a row that RESTRICT keeps has the code, the message and the detail of the version (PostgreSQL 15.18 and 18.1).
func TestVersion(t *testing.T) {
	t.Parallel()
	newest := "23001 update or delete on table \"p\" violates RESTRICT setting of foreign key constraint \"c_p_fkey\" on table \"c\" Key (id)=(1) is referenced from table \"c\"."
	older := "23503 update or delete on table \"p\" violates foreign key constraint \"c_p_fkey\" on table \"c\" Key (id)=(1) is still referenced from table \"c\"."
	for _, test := range []struct {
		version, asked int // by the program, and by who explores it
		want           string
	}{{0, 0, newest}, {18, 0, newest}, {17, 0, older}, {15, 0, older}, {0, 15, older}, {0, 18, newest}, {18, 15, newest}, {15, 18, older}} {
		version, want, options := test.version, test.want, []pg.Option{pg.Schema(restricted)}
		if version > 0 {
			options = append(options, pg.Version(version))
		}
		got := sqltest.ExploreAt(t, sqltest.NewClient(t, func(q *program.Program) {
			db := pg.New(q, options...)
			q.Session("s", func(s *program.Session) {
				c, err := pgconn.ConnectConfig(context.Background(), &db.Config(s).Config)
				if err != nil {
					t.Error(err)
					return
				}
				defer c.Close(context.Background())
				_, err = c.Exec(context.Background(), "DELETE FROM p").ReadAll()
				var e *pgconn.PgError
				if !errors.As(err, &e) {
					t.Errorf("version %d: %v", version, err)
					return
				}
				s.Observe("", e.Code+" "+e.Message+" "+e.Detail)
			})
		}, program.Options{Serving: program.Serving{Version: test.asked}}), isolation.SER)
		if len(got.Outcomes) != 1 || !strings.Contains(fmt.Sprint(got.Outcomes), want) {
			t.Errorf("version %d, asked for %d: %q, want %q", version, test.asked, got.Outcomes, want)
		}
	}
	if _, _, err := pg.Connect(t.Context(), nil, pg.Version(12)); err == nil || !strings.Contains(err.Error(), "pg.Version(12): give a version from 13 to 18") {
		t.Errorf("got %v", err)
	}
}
