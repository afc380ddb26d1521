package pg_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// TestRandomNumbers: the schema, the seed and each session have random numbers of their
// own, also where the seed has asked for some, and the same ones in each run.
func TestRandomNumbers(t *testing.T) {
	t.Parallel()
	const schema = "CREATE TABLE t (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), r float UNIQUE DEFAULT random())"
	for _, level := range []isolation.Level{isolation.RC, isolation.PgRC} {
		owners := map[string]string{}
		declare := func(p *program.Program) {
			db := pg.New(p, pg.Schema(schema), pg.Seed("INSERT INTO t DEFAULT VALUES; INSERT INTO t DEFAULT VALUES"))
			for i := range 3 {
				p.Session(fmt.Sprint("s", i), func(s *program.Session) {
					c := db.Open(s)
					for k := range 2 {
						var id, r string
						if err := c.QueryRowContext(context.Background(), "INSERT INTO t DEFAULT VALUES RETURNING id, r").Scan(&id, &r); err != nil {
							if strings.Contains(err.Error(), "duplicate") {
								t.Errorf("%v: %v", level, err)
							}
							return // or the run has been ended
						}
						for _, x := range []string{id, r} {
							owner := fmt.Sprint(i, "/", k)
							if was, known := owners[x]; known && was != owner {
								t.Errorf("%v: %s is given to %s and to %s", level, x, was, owner)
							}
							owners[x] = owner
						}
					}
				})
			}
		}
		c, err := program.NewClient("ExploreRandom", declare, program.Options{Database: level.Database() != isolation.NoDatabase, Level: level.String(), Recheck: 1, Patience: 10 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range dpor.Explore(t.Context(), c, dpor.Options{Level: level, Base: level.Base(), Scope: dpor.Scope{MaxHistories: 50}}).Histories() {
			if err != nil {
				t.Fatal(err)
			}
		}
		c.Park()
		if len(owners) != 12 {
			t.Errorf("%v: %d numbers, not 12: %v", level, len(owners), owners)
		}
	}
}
