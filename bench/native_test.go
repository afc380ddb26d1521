package bench

import (
	"context"
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

var nativeFlag = flag.Bool("native", false, "measure explorations of few histories beside a native run")

// With -native: an exploration with at most a hundred histories, behaviours recorded, by its
// histories and by a native run of the client's sessions, at CC and, with what auto
// takes, at PC, SI and SER: the least of 400 explorations, and of as many rounds of native runs, which take about as long.
func TestFewHistories(t *testing.T) {
	if !*nativeFlag {
		t.Skip("it measures, with -native")
	}
	const most, times = 100, 400
	programs, err := Load(Own(), Apps())
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []isolation.Level{isolation.CC, isolation.PC, isolation.SI, isolation.SER} {
		var ratios []float64
		slower := 0
		for _, p := range programs {
			c, err := program.NewClient(p.Name, p.Explore, program.Options{Recheck: sqltest.Recheck(t)})
			if err != nil {
				t.Fatal(err)
			}
			least, histories := leastExploration(t, c, level, most, times)
			if histories > most {
				continue
			}
			native := leastNative(p, times, 50)
			ratio := float64(least) / float64(histories) / float64(native)
			if ratios = append(ratios, ratio); ratio > 1 {
				slower++
			}
			t.Logf("%s/%s at %v: %d histories in %v, a native run %v: %.2f", p.App.Name, p.Name, level, histories, least, native, ratio)
		}
		slices.Sort(ratios)
		if n := len(ratios); n > 0 {
			t.Logf("at %v of %d clients: %.2f to %.2f, %.2f in the median; %d above 1", level, n, ratios[0], ratios[n-1], ratios[n/2], slower)
		}
	}
}

// leastExploration returns how long an exploration takes that has at most so many
// histories, and how many it has.
func leastExploration(t *testing.T, c *program.Client, l isolation.Level, most, times int64) (least time.Duration, histories int64) {
	t.Helper()
	least = time.Hour
	for range times {
		x := dpor.Explore(context.Background(), c, dpor.Options{Level: l, Base: l.Base(), Engine: dpor.Auto, All: true, Workers: 1})
		for _, err := range x.Histories() {
			if err != nil {
				t.Fatal(err)
			}
		}
		s := x.Stats()
		if least, histories = min(least, s.Elapsed), s.Histories; histories > most {
			break
		}
	}
	return least, histories
}
