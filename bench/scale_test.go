package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// BenchmarkWorkers explores with one worker and with two what takes one of them
// some seconds, behaviours recorded before. s/run is the time of an exploration.
func BenchmarkWorkers(b *testing.B) {
	for _, p := range []struct {
		name    string
		explore func(*txmc.Program)
		opts    dpor.Options
	}{
		{"increments", countUp(5, 2), dpor.Options{Level: isolation.CC}},
		{"wide", randomAccesses(5, 3, 3), dpor.Options{Level: isolation.CC}},
		{"wide-ser", randomAccesses(5, 3, 3), dpor.Options{Level: isolation.SER}},
	} {
		c, err := program.NewClient(p.name, p.explore, program.Options{})
		if err != nil {
			b.Fatal(err)
		}
		run(b, c, p.opts)
		for workers := 1; workers <= 2; workers++ {
			b.Run(fmt.Sprintf("%s/%d", p.name, workers), func(b *testing.B) {
				opts := p.opts
				opts.Workers = workers
				var s dpor.Stats
				for b.Loop() {
					s = run(b, c, opts)
				}
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/run")
				b.ReportMetric(float64(s.EndStates), "states")
			})
		}
	}
}

// BenchmarkMemory explores ten thousand and ten million histories of the same
// program, from a fresh client each. peak-MB is the most that the Go runtime had
// in use during the run, the process's own part included.
func BenchmarkMemory(b *testing.B) {
	defer harness.SpareMemory()()
	for _, p := range []struct {
		name    string
		explore func(*txmc.Program)
	}{
		{"increments", countUp(4, 3)},
		{"wide", randomAccesses(6, 4, 4)},
	} {
		for _, n := range []int64{10_000, 10_000_000} {
			b.Run(fmt.Sprintf("%s/%d", p.name, n), func(b *testing.B) {
				var peak uint64
				for b.Loop() {
					peak = max(peak, peakOf(b, p.explore, n))
				}
				b.ReportMetric(float64(peak)/1e6, "peak-MB")
			})
		}
	}
}

// peakOf explores n histories of a program and returns the peak in bytes.
func peakOf(b *testing.B, explore func(*txmc.Program), n int64) uint64 {
	c, err := program.NewClient(b.Name(), explore, program.Options{})
	if err != nil {
		b.Fatal(err)
	}
	debug.FreeOSMemory()
	s := run(b, c, dpor.Options{Level: isolation.CC, Scope: dpor.Scope{MaxHistories: n}})
	if s.Histories != n {
		b.Fatalf("%d histories, want %d", s.Histories, n)
	}
	return s.PeakBytes
}

// countUp has sessions of some transactions each that increment one variable.
func countUp(sessions, txns int) func(*txmc.Program) {
	return func(p *txmc.Program) {
		x := txmc.NewVar(p, "x", 0)
		for i := range sessions {
			p.Session(fmt.Sprintf("s%d", i), func(s *txmc.Session) {
				for range txns {
					s.Txn("inc", func(tx *txmc.Tx) error {
						x.Set(tx, x.Get(tx)+1)
						return nil
					})
				}
			})
		}
	}
}

// randomAccesses has transactions that read one random variable and write
// another.
func randomAccesses(sessions, txns, variables int) func(*txmc.Program) {
	return func(p *txmc.Program) {
		rng := rand.New(rand.NewPCG(1, 2))
		vars := make([]*txmc.Var[int], variables)
		for i := range vars {
			vars[i] = txmc.NewVar(p, fmt.Sprintf("x%d", i), 0)
		}
		for i := range sessions {
			type access struct{ read, write *txmc.Var[int] }
			plan := make([]access, txns)
			for k := range plan {
				plan[k] = access{vars[rng.IntN(variables)], vars[rng.IntN(variables)]}
			}
			p.Session(fmt.Sprintf("s%d", i), func(s *txmc.Session) {
				for k, a := range plan {
					s.Txn("t", func(tx *txmc.Tx) error {
						a.read.Get(tx)
						a.write.Set(tx, i*txns+k+1)
						return nil
					})
				}
			})
		}
	}
}
