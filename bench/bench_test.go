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
		b.Run(level.String(), func(b *testing.B) { benchmarkExplore(b, increments, level, 0) })
	}
}

func increments(p *txmc.Program) {
	x := txmc.NewVar(p, "x", 0)
	for i := range 4 {
		p.Session(fmt.Sprintf("s%d", i), func(s *txmc.Session) {
			for range 2 {
				s.Txn("inc", func(tx *txmc.Tx) error {
					x.Set(tx, x.Get(tx)+1)
					return nil
				})
			}
		})
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
	var allocated uint64
	for b.Loop() {
		b.StopTimer()
		c, err := program.NewClient(b.Name(), explore, program.Options{})
		if err != nil {
			b.Fatal(err)
		}
		before := allocatedBytes()
		b.StartTimer()
		stats = run(b, c, level)
		b.StopTimer()
		allocated += allocatedBytes() - before
		spent += stats.Elapsed
		warm += run(b, c, level).Elapsed
		b.StartTimer()
	}
	n := float64(b.N) * float64(stats.Histories)
	b.ReportMetric(float64(stats.Histories), "histories")
	b.ReportMetric(n/spent.Seconds(), "histories/s")
	b.ReportMetric(float64(spent)/n, "ns/history")
	b.ReportMetric(float64(spent)/float64(b.N)/float64(stats.EndStates), "ns/state")
	b.ReportMetric(float64(warm)/n, "warm-ns/history")
	b.ReportMetric(float64(allocated)/n, "B/history")
	if native > 0 {
		b.ReportMetric(float64(native), "native")
		b.ReportMetric(float64(spent)/n/float64(native), "ratio")
		b.ReportMetric(float64(warm)/n/float64(native), "warm-ratio")
	}
}

func run(b *testing.B, c *program.Client, level isolation.Level) dpor.Stats {
	x := dpor.Explore(context.Background(), c, dpor.Options{Level: level, Base: dpor.DefaultBase(level), All: true})
	for _, err := range x.Histories() {
		if err != nil {
			b.Fatal(err)
		}
	}
	if s := x.Stats(); s.Complete {
		return s
	}
	b.Fatal("the exploration is not complete")
	return dpor.Stats{}
}

func allocatedBytes() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
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
func nativeRun(p *client.Program) time.Duration {
	m := table.NewMemory()
	table.Load(m, p.App.Schema, p.Rows)
	mark := m.Mark()
	once := func() {
		p.Run(m)
		m.Undo(mark)
	}
	// The least of several rounds, as others use the machine too.
	best := time.Duration(1<<63 - 1)
	for range 5 {
		const times = 2000
		start := time.Now()
		for range times {
			once()
		}
		best = min(best, time.Since(start)/times)
	}
	return best
}
