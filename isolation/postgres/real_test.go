package postgres

import (
	"context"
	"errors"
	"flag"
	"testing"
	"time"

	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/isolation/statement/realtest"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

var (
	serverPrograms = deadlinetest.Flag("server-programs", 2, 1, "random programs at each level on a real server")
	serverSeed     = flag.Int64("server-seed", 1, "the first program's seed")
	serverBudget   = deadlinetest.Flag("server-budget", 250, 80, "most interleavings of a program on a real server")
)

// exploreServer runs all interleavings, and again where an outcome is missing. Sessions that
// have waited for an updated row race for the new version. On a busy machine the session that
// has come later may be first.
func exploreServer(ctx context.Context, t *testing.T, srv realtest.Server, p *statement.Program) (*statement.Recorded, error) {
	rec, err := realtest.Explore(ctx, srv, p)
	for again := 0; err == nil && again < 4 && len(lacks(exploreAll(t, p, false), rec)) > 0; again++ {
		var more *statement.Recorded
		if more, err = realtest.Explore(ctx, srv, p); err == nil {
			rec.Executions += more.Executions
			for o, schedule := range more.Outcomes {
				rec.Outcomes[o] = schedule
			}
		}
	}
	return rec, err
}

// TestRealServer runs all interleavings of random programs on a PostgreSQL server
// that it starts, where one is installed, and compares the outcomes.
func TestRealServer(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	server := scratchtest.Start(t, scratch.Postgres, map[string]string{
		"synchronous_commit": "off", "deadlock_timeout": realtest.DeadlockTimeout.String()})
	srv, err := realtest.NewPostgres(ctx, server.DSN("postgres"), 3)
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close(ctx)
	t.Run("rules", func(t *testing.T) {
		for i, r := range claims {
			if i%deadlinetest.Of(5, 20) > 0 && serverPrograms.N() < 20 {
				continue // a wait on a server takes long: all claims run with many programs
			}
			if deadlinetest.Over(t) {
				break
			}
			rec, err := realtest.Explore(ctx, srv, sessionsOf(t, r.Level, r.Sessions...))
			if err != nil {
				t.Fatalf("%s: %v", r.Claim, err)
			}
			compareRecorded(t, rec)
		}
	})
	for _, level := range levels {
		t.Run(level, func(t *testing.T) {
			begin, executions, exact, strays := time.Now(), 0, 0, 0
			for k := range int64(serverPrograms.N()) {
				if deadlinetest.Over(t) {
					break
				}
				p := randomProgram(*serverSeed+k, level, serverBudget.N())
				rec, err := exploreServer(ctx, t, srv, p)
				if errors.Is(err, realtest.ErrStray) {
					strays++
					continue
				}
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", p.Seed, err, p.Text())
				}
				executions += rec.Executions
				if compareRecorded(t, rec) {
					exact++
				}
			}
			t.Logf("%d programs, %d executions on the server in %v; %d programs have no outcome that needs a race; %d could not be repeated",
				serverPrograms.N(), executions, time.Since(begin).Round(time.Second), exact, strays)
			if strays > 1+serverPrograms.N()/20 {
				t.Skipf("%d of %d programs could not be repeated: the machine is too busy to compare", strays, serverPrograms.N())
			}
		})
	}
}
