package pg_test

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// The sessions of one call of the Explore function have databases of their own, also while both are
// at work. What they share besides is noticed, but for a lock that they hold while the database works.
func TestSessionsMeet(t *testing.T) {
	t.Parallel()
	type clerk struct {
		mu  sync.Mutex
		bal int
	}
	add := func(s *program.Session, get func(string) (int, error), set func(string, int) error, n int) {
		bal, err := get("SELECT bal FROM acct WHERE id = 1")
		if err == nil {
			err = set("UPDATE acct SET bal = $1 WHERE id = 1", bal+n)
		}
		s.Assert(err == nil, err)
	}
	on := func(s *program.Session, db *sql.DB, n int) {
		add(s, func(q string) (bal int, err error) { err = db.QueryRow(q).Scan(&bal); return bal, err },
			func(q string, bal int) error { _, err := db.Exec(q, bal); return err }, n)
	}
	for name, test := range map[string]struct {
		work func(*clerk, *program.Session, *pg.DB)
		want string
	}{
		"a pool": {func(_ *clerk, s *program.Session, db *pg.DB) {
			ctx := context.Background()
			pool, err := pgxpool.New(ctx, db.DSN(s))
			if err != nil {
				s.Assert(false, err)
				return
			}
			defer pool.Close()
			add(s, func(q string) (bal int, err error) { err = pool.QueryRow(ctx, q).Scan(&bal); return bal, err },
				func(q string, bal int) error { _, err := pool.Exec(ctx, q, bal); return err }, 1)
		}, ""},
		"a lock": {func(c *clerk, s *program.Session, db *pg.DB) {
			c.mu.Lock()
			defer c.mu.Unlock()
			on(s, db.Open(s), 1)
		}, ""},
		"a field": {func(c *clerk, s *program.Session, db *pg.DB) {
			c.bal = len(s.Name())
			open := db.Open(s)
			on(s, open, 1)
			on(s, open, c.bal) // the other session's name is longer
		}, "between two of its operations"},
	} {
		err := failure(t, program.Options{}, func(p *program.Program) {
			db, c := pg.New(p, pg.Schema(accounts), pg.Seed(seed)), &clerk{}
			for _, name := range []string{"ann", "robert"} {
				p.Session(name, func(s *program.Session) { test.work(c, s, db) })
			}
		})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: want %q, got %v", name, test.want, err)
		}
	}
}
