//go:build unix

package bench

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

var speedFlag = flag.Bool("speed", false, "measure the levels of small clients beside causal consistency")

// With -speed: the user CPU of whole explorations at PC, SI and SER by that at CC, with
// the engine swap and with what auto takes, of each client, behaviours recorded. Each is
// the least of seven.
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
		least, histories := leastTimes(t, c, kinds)
		var ratios []string
		for i, k := range kinds[1:] {
			ratios = append(ratios, fmt.Sprintf("%v %s %.2f", k.Level, k.Engine, least[i+1]/least[0]))
		}
		t.Logf("%s/%s, %d histories: cc %.0f µs; %s", p.App.Name, p.Name, histories, 1e6*least[0], strings.Join(ratios, ", "))
	}
}

// leastTimes returns the least user CPU of each exploration, in seconds, and the histories
// of the first.
func leastTimes(t *testing.T, c *program.Client, kinds []dpor.Options) (least []float64, histories int64) {
	t.Helper()
	for range kinds {
		least = append(least, math.Inf(1))
	}
	times := 1
	for round := range 7 {
		for i, o := range kinds {
			o.Base, o.All, o.Workers = o.Level.Base(), true, 1
			s := ended(t, c, o) // what runs for the first time is not measured
			if round == 0 && i == 0 {
				histories, times = s.Histories, max(3, min(40, int(20_000/(s.Histories+1))))
			}
			before := userTime()
			for range times {
				ended(t, c, o)
			}
			least[i] = min(least[i], (userTime()-before)/float64(times))
		}
	}
	return least, histories
}
