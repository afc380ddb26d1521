package bench

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program"
)

// Result is what one run found and cost.
type Result struct {
	Experiment   string  `json:"experiment"`
	App          string  `json:"app"`
	Client       string  `json:"client"`
	Sessions     int     `json:"sessions"`
	Transactions int     `json:"transactions"` // per session, at most
	Algorithm    string  `json:"algorithm"`
	Histories    int64   `json:"histories"`
	EndStates    int64   `json:"end_states"`
	Explored     int64   `json:"explored"` // calls of explore
	Blocked      int64   `json:"blocked"`  // of them, those that led nowhere
	Seconds      float64 `json:"seconds"`
	// PeakBytes is the most memory that the Go runtime had in use, sampled, beyond its
	// use before the run. A large run leaves bookkeeping of the runtime behind: this
	// does not count for the next run.
	PeakBytes uint64 `json:"peak_bytes"`
	Timeout   bool   `json:"timeout"` // the counts are those reached so far
}

// one runs an algorithm on a client, from a fresh behaviour tree. Memory that
// earlier runs used is given back before, so that the peak is this run's.
func one(ctx context.Context, p *client.Program, a Algorithm, timeout time.Duration) (Result, error) {
	r := Result{App: p.App.Name, Client: p.Name, Algorithm: a.Name, Sessions: len(p.Sessions)}
	for _, calls := range p.Sessions {
		r.Transactions = max(r.Transactions, len(calls))
	}
	runtime.GC()
	debug.FreeOSMemory()
	before := inUse()
	c, err := program.NewClient(p.App.Name+"/"+p.Name, p.Explore, program.Options{})
	if err != nil {
		return r, err
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	x := dpor.Explore(limited, c, a.options())
	for _, err := range x.Histories() {
		if err != nil {
			return r, fmt.Errorf("%s/%s with %s: %w", r.App, r.Client, a.Name, err)
		}
	}
	s := x.Stats()
	r.Histories, r.EndStates, r.Explored, r.Blocked = s.Histories, s.EndStates, s.Explored, s.Blocked
	r.Seconds = s.Elapsed.Seconds()
	r.PeakBytes = s.PeakBytes - min(s.PeakBytes, before)
	r.Timeout = s.Stopped == work.ByTimeout
	if !s.Complete && !r.Timeout {
		return r, context.Cause(ctx)
	}
	return r, ctx.Err()
}

// inUse is the memory in use by the Go runtime, as [dpor.Stats].PeakBytes has it.
func inUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
