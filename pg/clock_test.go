package pg_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// now() says that each session begins later than the one declared before it, and the
// Final after all of them; the schema and the seed come before.
func TestClocks(t *testing.T) {
	t.Parallel()
	const since = "SELECT (extract(epoch FROM now() - '2026-01-01 00:00:00+00') * 1000)::int"
	o := sqltest.Explore(t, func(p *program.Program) {
		db := pg.New(p, pg.Schema("CREATE TABLE job (id text PRIMARY KEY, due timestamptz)"), pg.Seed("INSERT INTO job VALUES ('seed', now())"))
		for _, name := range []string{"a", "b", "c"} {
			p.Session(name, func(s *program.Session) {
				var ms, due int
				conn := db.Open(s)
				err := conn.QueryRow(since).Scan(&ms)
				if err == nil {
					err = conn.QueryRow("SELECT count(*) FROM job WHERE id = 'seed' AND due < now()").Scan(&due)
				}
				s.Observe("now", fmt.Sprint(ms, " ", due, err))
			})
		}
		db.Final("last", func(ctx context.Context, db *sql.DB) error {
			var ms int
			if err := db.QueryRowContext(ctx, since).Scan(&ms); err != nil || ms != 45 {
				return fmt.Errorf("the Final is at %d ms, not 45: %v", ms, err)
			}
			return nil
		})
	}, isolation.SER)
	want := map[string]int{"now=15 1 <nil> now=25 1 <nil> now=35 1 <nil> ": 1}
	if !maps.Equal(o.Outcomes, want) {
		t.Errorf("%v, want %v", o.Outcomes, want)
	}
}

// The clock begins where the program says, for the schema and for sessions, and not before where it begins without.
func TestClockBegins(t *testing.T) {
	t.Parallel()
	for at, want := range map[time.Time]string{
		time.Date(2031, time.May, 6, 7, 8, 9, 0, time.UTC): "2031-05-06 2031-05-06",
		time.Date(2020, time.May, 6, 7, 8, 9, 0, time.UTC): "2026-01-01 2026-01-01",
		{}: "2026-01-01 2026-01-01",
	} {
		got := sqltest.ExploreAt(t, sqltest.NewClient(t, func(p *program.Program) {
			db := pg.New(p, pg.ClockBegins(at), pg.Schema("CREATE TABLE made AS SELECT now() AS at"))
			p.Session("ann", func(s *program.Session) {
				var text string
				if err := db.Open(s).QueryRow("SELECT at::date || ' ' || now()::date FROM made").Scan(&text); err != nil {
					t.Error(err)
				}
				s.Observe("", text)
			})
		}, program.Options{}), isolation.SER)
		if len(got.Outcomes) != 1 || !strings.Contains(fmt.Sprint(got.Outcomes), want) {
			t.Errorf("%v: %q, want %q", at, got.Outcomes, want)
		}
	}
}
