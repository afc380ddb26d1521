package mysql_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
)

// TestRandomNumbers: the schema, each seed and each session have random numbers of their
// own, and the same ones in each run.
func TestRandomNumbers(t *testing.T) {
	const schema = "CREATE TABLE t (id varchar(36) PRIMARY KEY DEFAULT (uuid()), r double UNIQUE)"
	const insert = "INSERT INTO t (r) VALUES (rand())"
	for _, level := range []isolation.Level{isolation.RC, isolation.InnoRR} {
		inserted := 0
		declare := func(p *program.Program) {
			db := mysql.New(p, mysql.Schema(schema), mysql.Seed(insert), mysql.Seed(insert))
			for i := range 3 {
				p.Session(fmt.Sprint("s", i), func(s *program.Session) {
					c := db.Open(s)
					for range 2 {
						_, err := c.ExecContext(context.Background(), insert)
						switch {
						case err == nil:
							inserted++
						case strings.Contains(err.Error(), "Duplicate"):
							t.Errorf("%v: %v", level, err)
						default:
							return // the run has been ended
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
		if inserted < 6 {
			t.Errorf("%v: %d rows inserted", level, inserted)
		}
	}
}
