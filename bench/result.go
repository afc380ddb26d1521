package bench

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/dpor"
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
	Seconds      float64 `json:"seconds"`
	PeakBytes    uint64  `json:"peak_bytes"` // in use by the Go runtime, sampled
	Timeout      bool    `json:"timeout"`    // the counts are those reached so far
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
	r.Histories, r.EndStates, r.Explored = s.Histories, s.EndStates, s.Explored
	r.Seconds, r.PeakBytes = s.Elapsed.Seconds(), s.PeakBytes
	r.Timeout = s.Stopped == dpor.ByTimeout
	if !s.Complete && !r.Timeout {
		return r, context.Cause(ctx)
	}
	return r, ctx.Err()
}
