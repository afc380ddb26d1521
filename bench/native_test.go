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

// With -native: it compares an exploration of at most a hundred histories, behaviours recorded,
// with native runs of the client's sessions. The time by history is divided by the time of a
// native run. Levels are CC, and PC, SI and SER with what auto takes. Each time is the least of
// 1000 explorations, and of as many rounds of native runs, which take about as long. They are
// measured in turn, so that what else the machine does is the same for both. A native run of the
// sessions one after another may find less to do than most: at SER the exploration is also
// measured by native runs of all its histories, each in a serial order of its own.
func TestFewHistories(t *testing.T) {
	if !*nativeFlag {
		t.Skip("it measures, with -native")
	}
	programs, err := Load(Own(), Apps())
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []isolation.Level{isolation.CC, isolation.PC, isolation.SI, isolation.SER} {
		var ratios []float64
		slower := 0
		for _, p := range programs {
			ratio, few := byNative(t, p, level)
			if !few {
				continue
			}
			if ratios = append(ratios, ratio); ratio > 1 {
				slower++
			}
		}
		slices.Sort(ratios)
		if n := len(ratios); n > 0 {
			t.Logf("at %v of %d clients: %.2f to %.2f, %.2f in the median; %d above 1", level, n, ratios[0], ratios[n-1], ratios[n/2], slower)
		}
	}
}

// byNative is the time of an exploration by its histories and by a native run; few is false when there are too many
// histories.
func byNative(t *testing.T, p *client.Program, level isolation.Level) (ratio float64, few bool) {
	t.Helper()
	const most, rounds, runs = 100, 1000, 50
	c, err := program.NewClient(p.Name, p.Explore, program.Options{Recheck: sqltest.Recheck(t)})
	if err != nil {
		t.Fatal(err)
	}
	opts := dpor.Options{Level: level, Base: level.Base(), Engine: dpor.Auto, All: true, Workers: 1}
	histories := ended(t, c, opts).Histories
	if histories > most {
		return 0, false
	}
	inOrder := make([]call, 0, runs)
	for s, calls := range p.Sessions {
		for i := range calls {
			inOrder = append(inOrder, call{s, i})
		}
	}
	native := slices.Repeat([][]call{inOrder}, runs)
	measured := []func() time.Duration{
		func() time.Duration { return ended(t, c, opts).Elapsed },
		func() time.Duration { return nativeRuns(p, native) / runs },
	}
	if level == isolation.SER {
		orders := serialOrders(t, c)
		measured = append(measured, func() time.Duration { return nativeRuns(p, orders) / time.Duration(len(orders)) })
	}
	least := slices.Repeat([]time.Duration{time.Hour}, len(measured))
	for range rounds {
		for i, f := range measured {
			least[i] = min(least[i], f())
		}
	}
	by := func(native time.Duration) float64 { return float64(least[0]) / float64(histories) / float64(native) }
	own := ""
	if level == isolation.SER {
		own = fmt.Sprintf("; of its own order %v: %.2f", least[2], by(least[2]))
	}
	t.Logf("%s/%s at %v: %d histories in %v, a native run %v: %.2f%s", p.App.Name, p.Name, level, histories, least[0], least[1], by(least[1]), own)
	return by(least[1]), true
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

// nativeRuns returns how long native runs in all these orders take.
func nativeRuns(p *client.Program, orders [][]call) time.Duration {
	m := table.NewMemory()
	table.Load(m, p.App.Schema, p.Rows)
	mark := m.Mark()
	start := time.Now()
	for _, order := range orders {
		for _, c := range order {
			m.Txn(p.Sessions[c.session][c.index].Body)
		}
		m.Undo(mark)
	}
	return time.Since(start)
}
