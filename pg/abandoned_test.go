package pg_test

import (
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// TestAbandoned: a run that waits for an answer and is given up leaves no instance behind. Its driver
// dials once more, to cancel the statement.
func TestAbandoned(t *testing.T) {
	var db *pg.DB
	c, err := program.NewClient("ExploreAbandoned", func(p *program.Program) {
		db = pg.New(p, pg.Schema("CREATE TABLE t (k int PRIMARY KEY, n int)"), pg.Seed("INSERT INTO t VALUES (1, 0)"))
		for _, name := range []string{"a", "b"} {
			p.Session(name, func(s *program.Session) {
				d := db.Open(s)
				for range 2 {
					var n int
					s.Assert(d.QueryRow("SELECT n FROM t WHERE k = 1").Scan(&n) == nil)
					_, err := d.Exec("UPDATE t SET n = $1 WHERE k = 1", n+1)
					s.Assert(err == nil, err)
				}
			})
		}
	}, program.Options{Patience: 10 * time.Minute, Database: true, Level: "pg-rc", Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.PgRC, All: true})
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	c.Park()
	const patience = 100
	left := 0
	for range patience { // drivers cancel on goroutines of their own
		time.Sleep(10 * time.Millisecond)
		if left = db.InUse(); left > 0 {
			break
		}
	}
	if left > 0 {
		t.Errorf("%d instances are left behind by %d states", left, x.Stats().Explored)
	}
}
