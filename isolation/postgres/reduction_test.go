package postgres

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/isolation/statement/random"
)

var programs = flag.Int("programs", 100, "random programs at each level")

var levels = []string{statement.ReadCommitted, statement.RepeatableRead, statement.Serializable, "mixed", "read only", "children"}

// randomProgram is a random program at a level. "mixed" has all levels in one program.
// "read only" is SERIALIZABLE with many READ ONLY and DEFERRABLE transactions.
// "children" has a foreign key at each level, with rows that change what they refer to.
func randomProgram(seed int64, level string, budget int) *statement.Program {
	f := random.Mix(seed, statement.PostgreSQL, level, budget)
	switch level {
	case "mixed":
		f.Level, f.Mixed = levels[seed%3], levels[:3]
	case "children":
		f.Level, f.Child, f.Adopted = levels[seed%3], true, true
	case "read only":
		f.Level, f.ReadOnly = statement.Serializable, true
		if seed%3 == 2 {
			f.Mixed = levels[:3]
		}
	}
	return random.Program(seed, f)
}

// TestReduction: sleep sets, states visited once, and both together
// give the outcomes of all interleavings.
func TestReduction(t *testing.T) {
	t.Parallel()
	for _, level := range levels {
		for _, races := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s races=%v", level, races), func(t *testing.T) {
				var total [4]explorer
				var spent [4]time.Duration
				outcomes := 0
				for seed := range int64(*programs) {
					if races && seed%3 != 0 {
						continue
					}
					p := randomProgram(seed, level, 2000)
					var full *explorer
					for k := range total {
						begin := time.Now()
						x := exploreReduced(t, p, races, k&1 == 1, k&2 == 2)
						spent[k] += time.Since(begin)
						total[k].executions += x.executions
						total[k].steps += x.steps
						if full == nil {
							full = x
							outcomes += len(x.outcomes)
						}
						sameOutcomes(t, p, full, x, k)
					}
				}
				for k, name := range []string{"all interleavings", "sleep sets", "states once", "both"} {
					t.Logf("%-18s %8d executions, %9d steps, %v", name, total[k].executions, total[k].steps, spent[k])
				}
				t.Logf("%-18s %8d", "outcomes", outcomes)
			})
		}
	}
}

func sameOutcomes(t *testing.T, p *statement.Program, full, reduced *explorer, k int) {
	t.Helper()
	for o := range full.outcomes {
		if _, is := reduced.outcomes[o]; !is {
			t.Fatalf("reduction %d loses %s\n%s", k, o, p.Text())
		}
	}
	for o := range reduced.outcomes {
		if _, is := full.outcomes[o]; !is {
			t.Fatalf("reduction %d adds %s\n%s", k, o, p.Text())
		}
	}
}
