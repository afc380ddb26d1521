package model_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation/statement/realtest"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

var (
	scriptCount = flag.Int("random-scripts", 1, "random scripts of SQL at each level on a real server")
	scriptSeed  = flag.Uint64("script-seed", 1, "the first script's seed")
)

// randomScript is a random script; at mixed levels its transactions ask for theirs.
func randomScript(seed uint64, mixed bool) *script {
	s := sqltest.RandomScript(seed, 2, mixed)
	return &script{fmt.Sprint("seed ", seed), s.Schema, "", s.Sessions}
}

// interleavings bounds what a script takes on a server.
const interleavings = 130

// TestRandomScriptsOnServer compares random scripts with a real PostgreSQL over all
// interleavings, at each level and at mixed ones.
func TestRandomScriptsOnServer(t *testing.T) {
	t.Parallel()
	server := scratchtest.Start(t, scratch.Postgres, map[string]string{
		"synchronous_commit": "off", "deadlock_timeout": realtest.DeadlockTimeout.String()})
	srv, err := realtest.NewPostgres(t.Context(), server.DSN("postgres"), 2)
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close(t.Context())
	for level, at := range randomLevels() {
		done := 0
		for seed := *scriptSeed; done < *scriptCount; seed++ {
			s := randomScript(seed, level == mixedLevels)
			if s.program(level).Interleavings() > interleavings {
				continue
			}
			done++
			t.Run(s.name+" at "+level, func(t *testing.T) {
				t.Cleanup(func() {
					if t.Failed() {
						t.Logf("%s\n%s\n%s", s.schema, strings.Join(s.sessions[0], "\n"), "-- and\n"+strings.Join(s.sessions[1], "\n"))
					}
				})
				s.compare(t, srv, level, at)
			})
		}
	}
}
