package model_test

import (
	"errors"
	"flag"
	"testing"

	"github.com/txmc/txmc/isolation/statement/realtest"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

var serverPrograms = flag.Int("server-programs", 1, "random programs at each level on a real server")

// TestModelOnServer runs all interleavings of random programs on a PostgreSQL server that
// it starts, where one is installed. SQL under the model has every outcome of the
// server's; it may have more, as the server runs each schedule once, and only time decides
// races.
func TestModelOnServer(t *testing.T) {
	t.Parallel()
	server := scratchtest.Start(t, scratch.Postgres, map[string]string{
		"synchronous_commit": "off", "deadlock_timeout": realtest.DeadlockTimeout.String()})
	srv, err := realtest.NewPostgres(t.Context(), server.DSN("postgres"), 3)
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close(t.Context())
	for level, at := range randomLevels() {
		t.Run(level, func(t *testing.T) {
			for seed := *modelSeed; seed < *modelSeed+int64(*serverPrograms); seed++ {
				p := randomSQL(seed, level)
				rec, err := realtest.Explore(t.Context(), srv, p)
				if errors.Is(err, realtest.ErrStray) {
					t.Logf("seed %d: %v", seed, err)
					continue
				}
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, p.Text())
				}
				got := modelOutcomes(t, p, at)
				for o, schedule := range rec.Outcomes {
					if !got[o] {
						t.Errorf("seed %d: SQL under the model lacks %s of schedule %s\n%s", seed, o, schedule, p.Text())
					}
				}
			}
		})
	}
}
