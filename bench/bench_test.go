package bench

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/table"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// What the benchmarks report, apart from the time of a whole exploration, which
// includes running the client code but not program.NewClient:
//
//	ns/history   time by histories that the level allows
//	ns/state     time by complete histories before the filter
//	histories/s  the same the other way round
//	B/history    bytes allocated by histories, not all in use at a time
//	allocs/history  allocations of a second exploration, by histories
//	native       ns of one run of the same sessions, one after another, on a map
//	ratio        ns/history by native
//	warm-ns/history  of a second exploration, which finds all behaviours of the
//	             client code recorded
var benchLevels = []isolation.Level{isolation.CC, isolation.SI, isolation.SER}

// BenchmarkClients explores three clients of each application.
func BenchmarkClients(b *testing.B) {
	for _, p := range benchClients(b) {
		native := nativeRun(p)
		for _, level := range benchLevels {
			b.Run(fmt.Sprintf("%s/%s/%v", p.App.Name, p.Name, level), func(b *testing.B) {
				benchmarkExplore(b, p.Explore, level, native)
			})
		}
	}
}

// BenchmarkIncrements has four sessions of two transactions each that increment
// the same variable.
func BenchmarkIncrements(b *testing.B) {
	for _, level := range benchLevels {
		b.Run(level.String(), func(b *testing.B) { benchmarkExplore(b, countUp(4, 2), level, 0) })
	}
}

// BenchmarkReadsAndWrites is w x ; r y ; w x ; r y | w y ; r x ; w y ; r x |
// w x ; r y | w y ; r x.
func BenchmarkReadsAndWrites(b *testing.B) {
	for _, level := range benchLevels {
		b.Run(level.String(), func(b *testing.B) { benchmarkExplore(b, readsAndWrites, level, 0) })
	}
}

func readsAndWrites(p *txmc.Program) {
	x, y := txmc.NewVar(p, "x", 0), txmc.NewVar(p, "y", 0)
	next := 1
	session := func(times int, w, r *txmc.Var[int]) {
		first := next
		next += times
		p.Session(fmt.Sprintf("s%d", first), func(s *txmc.Session) {
			for i := range times {
				s.Txn("w", func(tx *txmc.Tx) error { w.Set(tx, first+i); return nil })
				s.Txn("r", func(tx *txmc.Tx) error { r.Get(tx); return nil })
			}
		})
	}
	session(2, x, y)
	session(2, y, x)
	session(1, x, y)
	session(1, y, x)
}

// benchmarkExplore reports what exploring a program at a level costs, from a
// fresh client each time.
func benchmarkExplore(b *testing.B, explore func(*txmc.Program), level isolation.Level, native time.Duration) {
	var stats dpor.Stats
	var spent, warm time.Duration
	var bytes, allocations uint64
	for b.Loop() {
		b.StopTimer()
		c, err := program.NewClient(b.Name(), explore, program.Options{})
		if err != nil {
			b.Fatal(err)
		}
		before, _ := allocated()
		b.StartTimer()
		stats = run(b, c, dpor.Options{Level: level})
		b.StopTimer()
		between, _ := allocated()
		bytes += between - before
		spent += stats.Elapsed
		runtime.GC() // what the first left is no matter of the second
		_, count := allocated()
		warm += run(b, c, dpor.Options{Level: level}).Elapsed
		_, after := allocated()
		allocations += after - count
		b.StartTimer()
	}
	n := float64(b.N) * float64(stats.Histories)
	b.ReportMetric(float64(stats.Histories), "histories")
	b.ReportMetric(n/spent.Seconds(), "histories/s")
	b.ReportMetric(float64(spent)/n, "ns/history")
	b.ReportMetric(float64(spent)/float64(b.N)/float64(stats.EndStates), "ns/state")
	b.ReportMetric(float64(warm)/n, "warm-ns/history")
	b.ReportMetric(float64(bytes)/n, "B/history")
	b.ReportMetric(float64(allocations)/n, "allocs/history")
	if native > 0 {
		b.ReportMetric(float64(native), "native")
		b.ReportMetric(float64(spent)/n/float64(native), "ratio")
		b.ReportMetric(float64(warm)/n/float64(native), "warm-ratio")
	}
}

// run explores c to the end, or to the limit in opts.
func run(b *testing.B, c *program.Client, opts dpor.Options) dpor.Stats {
	opts.Base, opts.All = opts.Level.Base(), true
	x := dpor.Explore(context.Background(), c, opts)
	for _, err := range x.Histories() {
		if err != nil {
			b.Fatal(err)
		}
	}
	if s := x.Stats(); s.Complete || s.Histories == opts.MaxHistories {
		return s
	}
	b.Fatal("the exploration is not complete")
	return dpor.Stats{}
}

// allocated returns what was allocated so far, in bytes and in objects.
func allocated() (bytes, objects uint64) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc, m.Mallocs
}

// benchClients are the first three clients of each application: the published
// ones if they are here, else the project's own.
func benchClients(b *testing.B) []*client.Program {
	clients := Own()
	if dir := publishedDir(); dir != "" {
		clients = os.DirFS(dir)
	}
	programs, err := Load(clients, Apps())
	if err != nil {
		b.Fatal(err)
	}
	var list []*client.Program
	of := map[string]int{}
	for _, p := range programs {
		if of[p.App.Name]++; of[p.App.Name] <= 3 {
			list = append(list, p)
		}
	}
	return list
}

// nativeRun measures one run of a client's sessions, one after another, by the
// same Go code on a map: what the client's work costs without any exploration.
// Undoing the run, so that the next one starts from the initial rows, is part of
// it; aborted transactions need that anyway.
func nativeRun(p *client.Program) time.Duration { return leastNative(p, 5, 2000) }

// leastNative is the least of so many rounds of so many runs each, as others use the machine too.
func leastNative(p *client.Program, rounds, times int) time.Duration {
	m := table.NewMemory()
	table.Load(m, p.App.Schema, p.Rows)
	mark := m.Mark()
	once := func() {
		p.Run(m)
		m.Undo(mark)
	}
	best := time.Duration(1<<63 - 1)
	for range rounds {
		start := time.Now()
		for range times {
			once()
		}
		best = min(best, time.Since(start)/time.Duration(times))
	}
	return best
}
