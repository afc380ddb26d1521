package recorded

import (
	"context"
	"fmt"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/txmc/txmc/checker"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report/explain"
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
	checker.Options
	By      By
	Timeout time.Duration // for each level; 0 means none
}

// Verdict is what a history comes to at a level.
type Verdict struct {
	*checker.Verdict
	Anomaly string // its name, when the level is violated
	// Seconds is the time it took to decide, without reading the file. The first
	// level has the time in which the writers of all reads are found besides.
	Seconds float64
	// PeakBytes is the most memory that the Go runtime had in use meanwhile.
	PeakBytes uint64
}

// Judge decides the levels, the weakest first, and hands on each verdict. A
// history that violates a level violates the stronger ones by the same
// transactions.
func (f *File) Judge(ctx context.Context, levels []isolation.Level, o Options, each func(*Verdict) error) error {
	start := time.Now()
	c, err := f.recording.Checker(o.Options)
	resolving := time.Since(start).Seconds()
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	var before *Verdict
	for _, l := range levels {
		v, err := decide(ctx, c, l, o, before)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
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

func decide(ctx context.Context, c *checker.Checker, l isolation.Level, o Options, before *Verdict) (*Verdict, error) {
	if o.By == ByReads && before != nil && before.Outcome == checker.Violated {
		same := *before.Verdict
		same.Level = l
		return &Verdict{Verdict: &same, Anomaly: before.Anomaly, PeakBytes: before.PeakBytes}, nil
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	memory := watchMemory()
	start := time.Now()
	v, err := decideBy(ctx, c, l, o.By)
	out := &Verdict{Verdict: v, Seconds: time.Since(start).Seconds(), PeakBytes: memory()}
	if err == nil && v.Outcome == checker.Violated {
		out.Anomaly = anomaly(v)
	}
	return out, err
}

func decideBy(ctx context.Context, c *checker.Checker, l isolation.Level, by By) (*checker.Verdict, error) {
	switch by {
	case ByTimestamps:
		return c.Timestamps(l)
	case BySerial:
		return c.Serial()
	}
	return c.Decide(ctx, l)
}

// anomaly names what is wrong.
func anomaly(v *checker.Verdict) string {
	switch {
	case len(v.Faults) > 0:
		return v.Faults[0].Fault.String()
	case v.Claim != nil:
		return v.Claim.Kind.String()
	case v.Violation == nil:
		return "no choice of writers is possible"
	}
	if _, _, ok := semantics.Order(v.Violation.History); !ok {
		return cyclic
	}
	if e := explain.Explain(v.Violation.History); e.Proof != nil {
		return e.Anomaly.Name
	}
	return v.Level.String() + " violation"
}

// cyclic is the name of a cycle of session order and reads alone: Adya's G1c.
const cyclic = "cyclic information flow"

// watchMemory notes the memory in use until the function that it returns is
// called, which returns the most there was, in bytes.
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
