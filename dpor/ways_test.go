package dpor_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// Each execution comes once, and not one for each outcome; with few switches those that have
// so few.
func TestWays(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(uint64(seed()), 22))
	more, fewer := 0, 0
	for range deadlinetest.Until(t, portion(100), func() bool { return more > 0 && fewer > 0 }) {
		p := byKeyProgram(r)
		outcomes, stats := onDatabase(t, p, dpor.Options{Selection: dpor.Selection{NoRaces: true}})
		if stats.Explored > 300 { // states: executions grow without a bound in them
			continue
		}
		all := ways(t, p, dpor.Options{})
		if got := byOutcome(all); !maps.Equal(got, outcomes) {
			t.Fatalf("got\n%s\nwant\n%s\nof\n%s", sorted(got), sorted(outcomes), p.Text())
		}
		if len(all) > len(outcomes) {
			more++
		}
		for most := 1; most <= 3; most++ {
			want := maps.Clone(all)
			maps.DeleteFunc(want, func(_ string, w way) bool { return switches(w.schedule) > most })
			got := ways(t, p, dpor.Options{Selection: dpor.Selection{Switches: most}})
			if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
				t.Fatalf("with %d switches %d executions, want %d, of\n%s", most, len(got), len(want), p.Text())
			}
			if len(got) < len(all) {
				fewer++
			}
		}
	}
	t.Logf("%d programs have more executions than outcomes, %d fewer with few switches", more, fewer)
}

// way is an execution.
type way struct {
	schedule []model.Choice
	outcome  string
}

// ways lists the executions of a program by their schedules.
func ways(t *testing.T, p *statement.Program, opts dpor.Options) map[string]way {
	t.Helper()
	client, err := program.NewClient("ExploreTest", asClient(p), program.Options{Database: true, Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Park()
	opts.Level, opts.List, opts.All, opts.Ways, opts.NoRaces = levelsOf[p.DB][p.Level], true, true, true, true
	list := map[string]way{}
	for f, err := range dpor.Explore(context.Background(), client, opts).Histories() {
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(f.Schedule)
		if _, twice := list[key]; twice {
			t.Fatalf("an execution comes twice: %s\n%s", key, p.Text())
		}
		list[key] = way{f.Schedule, outcomeText(p, client, f)}
	}
	return list
}

func byOutcome(ways map[string]way) map[string]bool {
	outcomes := map[string]bool{}
	for _, w := range ways {
		outcomes[w.outcome] = true
	}
	return outcomes
}

// switches counts how often another session goes on.
func switches(schedule []model.Choice) int {
	n, last := 0, -1
	for _, c := range schedule {
		if c.Kind != model.RunSession {
			continue
		}
		if last >= 0 && last != int(c.N) {
			n++
		}
		last = int(c.N)
	}
	return n
}
