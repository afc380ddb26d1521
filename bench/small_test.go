//go:build unix

package bench

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

var speedFlag = flag.Bool("speed", false, "measure the levels of small clients beside causal consistency")

// With -speed: it compares the processor time of whole explorations at PC, SI and SER with
// that at CC, by the engine swap and by what auto takes, for each client, behaviours
// recorded. Levels are measured in turn, many times for a moment. Each figure is the median
// of a level's ratios to what was measured beside it. So other work on the machine counts
// little.
func TestSmallClients(t *testing.T) {
	if !*speedFlag {
		t.Skip("it measures, with -speed")
	}
	programs, err := Load(Own(), Apps())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		c, err := program.NewClient(p.Name, p.Explore, program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		kinds := []dpor.Options{{Level: isolation.CC, Engine: dpor.Swap}}
		for _, e := range []dpor.Engine{dpor.Swap, dpor.Auto} {
			for _, l := range []isolation.Level{isolation.PC, isolation.SI, isolation.SER} {
				kinds = append(kinds, dpor.Options{Level: l, Engine: e})
			}
		}
		ratios, seconds, histories := ratios(t, c, kinds)
		var words []string
		for i, k := range kinds[1:] {
			words = append(words, fmt.Sprintf("%v %s %.2f", k.Level, k.Engine, ratios[i]))
		}
		t.Logf("%s/%s, %d histories: cc %.0f µs; %s", p.App.Name, p.Name, histories, 1e6*seconds, strings.Join(words, ", "))
	}
}

// ratios returns the processor time of each exploration by that of the first, the least of the
// first in seconds, and its histories.
func ratios(t *testing.T, c *program.Client, kinds []dpor.Options) (medians []float64, least float64, histories int64) {
	t.Helper()
	const rounds = 31
	by := make([][]float64, len(kinds)-1)
	times := 1
	least = math.Inf(1)
	for round := range rounds {
		first := 0.0
		for i, o := range kinds {
			o.Base, o.All, o.Workers = o.Level.Base(), true, 1
			s := ended(t, c, o) // what runs for the first time is not measured
			if round == 0 && i == 0 {
				histories, times = s.Histories, max(1, min(20, int(5_000/(s.Histories+1))))
			}
			before := cpuTime()
			for range times {
				ended(t, c, o)
			}
			spent := (cpuTime() - before) / float64(times)
			if i == 0 {
				first, least = spent, min(least, spent)
			} else {
				by[i-1] = append(by[i-1], spent/first)
			}
		}
	}
	for _, list := range by {
		slices.Sort(list)
		medians = append(medians, list[rounds/2])
	}
	return medians, least, histories
}
