package bench

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/table"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

var nativeFlag = flag.Bool("native", false, "measure explorations of few histories beside a native run")

// With -native: an exploration with at most a hundred histories, behaviours recorded, by its
// histories and by a native run of the client's sessions, at CC and, with what auto
// takes, at PC, SI and SER: the least of 400 explorations, and of as many rounds of native runs, which take about as long.
// A native run of the sessions one after another may find less to do than most: at SER the exploration is also
// measured by native runs of all its histories, each in a serial order of its own.
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
			own := ""
			if level == isolation.SER {
				all := leastInOrder(p, serialOrders(t, c), times)
				own = fmt.Sprintf("; native runs of all histories %v: %.2f", all, float64(least)/float64(all))
			}
			t.Logf("%s/%s at %v: %d histories in %v, a native run %v: %.2f%s", p.App.Name, p.Name, level, histories, least, native, ratio, own)
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

// call is a transaction of a client: its session, and which of that session's it is.
type call struct{ session, index int }

// serialOrders returns a serial order of each history of the client at SER.
func serialOrders(t *testing.T, c *program.Client) (orders [][]call) {
	t.Helper()
	x := dpor.Explore(context.Background(), c, dpor.Options{Level: isolation.SER, Base: isolation.CC, Engine: dpor.Auto, All: true, List: true, Workers: 1})
	for found, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
		h, _, ok := semantics.Order(found.History)
		var known isolation.Known
		known.Reset(h, isolation.CC)
		if !ok || !known.Replay(h, 1) {
			t.Fatal("a history at SER does not satisfy CC")
		}
		var checker isolation.Checker
		order, ok := checker.Order(h, &known, isolation.SER)
		if !ok {
			t.Fatal("a history at SER has no serial order")
		}
		var calls []call
		for _, i := range order {
			if i > 0 {
				calls = append(calls, call{int(h.Txns[i].Session), int(h.Txns[i].Index)})
			}
		}
		orders = append(orders, calls)
	}
	return orders
}

// leastInOrder returns how long native runs in all these orders take, the least of so many rounds.
func leastInOrder(p *client.Program, orders [][]call, rounds int) time.Duration {
	m := table.NewMemory()
	table.Load(m, p.App.Schema, p.Rows)
	mark := m.Mark()
	best := time.Hour
	for range rounds {
		start := time.Now()
		for _, order := range orders {
			for _, c := range order {
				m.Txn(p.Sessions[c.session][c.index].Body)
			}
			m.Undo(mark)
		}
		best = min(best, time.Since(start))
	}
	return best
}
