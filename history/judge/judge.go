package judge

import (
	"context"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/semantics"
)

// By is how a level is decided.
type By string

const (
	// ByReads looks for any order that explains what was read.
	ByReads By = "reads"
	// ByTimestamps takes the order from start and commit timestamps.
	ByTimestamps By = "timestamps"
	// BySerial takes the order of transactions that the history tells.
	BySerial By = "serial"
)

// Options say how histories are judged.
type Options struct {
	check.Options
	By      By
	Timeout time.Duration // for each level; 0 means none
	Workers int           // how many levels are decided at a time; 0 means one
}

// Verdict is what a history comes to at a level.
type Verdict struct {
	*check.Verdict
	Anomaly string // its name, when the level is violated
	// Seconds is the time it took to decide, without reading the file. The first
	// level has the time in which the writers of all reads are found besides.
	Seconds float64
	// PeakBytes is the most memory that the Go runtime had in use meanwhile.
	PeakBytes uint64
}

// Judge decides the levels, which come the weakest first, and hands on each verdict in
// that order. A history that violates a level violates the stronger ones by the same
// transactions. When ctx ends, what is left is undecided.
func (f *File) Judge(ctx context.Context, levels []isolation.Level, o Options, each func(*Verdict) error) error {
	if o.ClockError > 0 && f.Events {
		return history.Errorf(f.Path, "the history numbers calls and returns and tells no times, so that an error of the clocks means nothing")
	}
	start := time.Now()
	type made struct {
		c   *check.Checker
		err error
	}
	x, ok := await(ctx, func() made {
		c, err := f.recording.Checker(o.Options)
		return made{c, err}
	})
	if x.err != nil {
		return &history.FileError{File: f.Path, Err: x.err}
	}
	if !ok {
		for _, v := range undecided(ctx, levels) {
			if err := each(v); err != nil {
				return err
			}
		}
		return nil
	}
	resolving := time.Since(start).Seconds()
	j := newJudging(ctx, x.c, levels, o)
	defer j.stop()
	var before *Verdict
	for i := range levels {
		v, err := j.verdict(i, before)
		if err != nil {
			return &history.FileError{File: f.Path, Err: err}
		}
		v.Seconds += resolving
		resolving = 0
		if err := each(v); err != nil {
			return err
		}
		before = v
	}
	return nil
}

func decide(ctx context.Context, c *check.Checker, l isolation.Level, o Options) (*Verdict, error) {
	if ctx.Err() != nil {
		return undecided(ctx, []isolation.Level{l})[0], nil
	}
	limited := ctx
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	memory := watchMemory()
	start := time.Now()
	type made struct {
		v   *check.Verdict
		err error
	}
	x, ok := await(ctx, func() made {
		v, err := decideBy(limited, c, l, o.By)
		return made{v, err}
	})
	if !ok {
		x.v = &check.Verdict{Level: l, Why: ended(ctx)}
	}
	out := &Verdict{Verdict: x.v, Seconds: time.Since(start).Seconds(), PeakBytes: memory()}
	if x.err == nil && x.v.Outcome == check.Violated {
		out.Anomaly = anomalyName(x.v)
	}
	return out, x.err
}

func decideBy(ctx context.Context, c *check.Checker, l isolation.Level, by By) (*check.Verdict, error) {
	switch by {
	case ByTimestamps:
		return c.Timestamps(l)
	case BySerial:
		return c.Serial()
	}
	return c.Decide(ctx, l)
}

// anomalyName names what is wrong.
func anomalyName(v *check.Verdict) string {
	switch {
	case len(v.Faults) > 0:
		return v.Faults[0].Fault.String()
	case v.Mismatch != nil:
		return v.Mismatch.Kind.String()
	case v.Unordered != nil:
		return "not linearizable"
	case v.Violation == nil && v.Level == isolation.PSI, v.Violation == nil && v.Level == isolation.UA:
		return "write conflict"
	case v.Violation == nil:
		return "no choice of writers is possible"
	}
	if _, _, ok := semantics.Order(v.Violation.History); !ok {
		return cyclic
	}
	if v.Violation.RealTime != nil {
		return staleRead
	}
	e := anomaly.ExplainVersions(v.Violation.History, ExplainedAt(v.Violation.History, v.Level), Given(v.Violation, nil))
	return e.Anomaly.Name
}

// ExplainedAt is the level at which a violation is explained: of a level of recorded histories alone
// the weakest of the others that it violates.
func ExplainedAt(h *semantics.History, l isolation.Level) isolation.Level {
	if !l.Recorded() {
		return l
	}
	for _, weaker := range isolation.Levels() {
		if !isolation.Satisfies(h, weaker) {
			return weaker
		}
	}
	return isolation.SER
}

// staleRead is the name of what only the order in real time forbids.
const staleRead = "stale read"

// cyclic is the name of a cycle of session order and reads alone: Adya's G1c.
const cyclic = "cyclic information flow"

// watchMemory notes the memory in use, in bytes. The function that it returns ends that, and
// returns the most that there was.
func watchMemory() func() uint64 {
	var mu sync.Mutex
	var peak uint64
	look := func() {
		samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		metrics.Read(samples)
		mu.Lock()
		defer mu.Unlock()
		peak = max(peak, samples[0].Value.Uint64()-samples[1].Value.Uint64())
	}
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				look()
			case <-done:
				return
			}
		}
	}()
	return func() uint64 {
		close(done)
		look()
		mu.Lock()
		defer mu.Unlock()
		return peak
	}
}
