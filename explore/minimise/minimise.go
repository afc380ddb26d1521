// Package minimise chooses the violation that is shown, the one that takes least to
// understand. It also finds the parts of the client program that have nothing to do with it.
//
// A search stops at the first violation that it finds. This is seldom the smallest. So other
// searches look for smaller ones, on behaviour trees that the first has mostly recorded. They
// have one worker and bounds on their work: the answer is the same in every run. A bound on
// time ends them when client code is slow by itself.
package minimise

import (
	"context"
	"iter"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program"
)

// Bounds of the searches of this package.
const (
	maxHistories = 20_000
	maxCalls     = 100_000
	maxNodes     = 500
	maxTime      = time.Minute
	// maxDeviations is how far from serial near looks: what most need is one or two.
	maxDeviations = 4
)

// Violation returns first or a violation that [anomaly.Rank] puts before it. Bounded
// searches look for such a violation: among nearly serial runs, and among what the
// exploration finds soon. It prefers a nearly serial one to another of the same rank.
func Violation(ctx context.Context, client *program.Client, opts dpor.Options, first *dpor.Found) *dpor.Found {
	var best *Best
	offer := func(found *dpor.Found) {
		if best == nil {
			best = NewBest(found)
		}
		best.Offer(found)
	}
	for found := range near(ctx, client, opts) {
		offer(found)
	}
	offer(first)
	for found := range soon(ctx, client, opts) {
		offer(found)
	}
	return best.Found
}

// bounded returns the options of a search of this package.
func bounded(opts dpor.Options) dpor.Options {
	opts.All, opts.List, opts.Estimate, opts.MaxHistories = true, false, false, maxHistories
	opts.Bound = &dpor.Bound{Calls: maxCalls, Nodes: maxNodes}
	return opts
}

// soon yields the violations that the exploration finds within the bounds.
func soon(ctx context.Context, client *program.Client, opts dpor.Options) iter.Seq[*dpor.Found] {
	opts = bounded(opts)
	return func(yield func(*dpor.Found) bool) {
		ctx, cancel := context.WithTimeout(ctx, maxTime)
		defer cancel()
		for found, err := range dpor.Explore(ctx, client, opts).Histories() {
			// An error the search that found the first would have met too, or it is
			// not its concern.
			if err != nil || !yield(found) {
				return
			}
		}
	}
}

// near yields the violations of the runs that deviate least from serial ones,
// within the bounds: those that are told in the fewest words.
func near(ctx context.Context, client *program.Client, opts dpor.Options) iter.Seq[*dpor.Found] {
	opts.DFS, opts.Near = true, true
	return func(yield func(*dpor.Found) bool) {
		ctx, cancel := context.WithTimeout(ctx, maxTime)
		defer cancel()
		some := false
		for opts.Deviations = 0; opts.Deviations <= maxDeviations && !some && ctx.Err() == nil; opts.Deviations++ {
			for found := range soon(ctx, client, opts) {
				if some = true; !yield(found) {
					return
				}
			}
		}
	}
}

// Best is the smallest of some histories; the first of equals.
type Best struct {
	Found *dpor.Found
	Rank  anomaly.Rank
}

// NewBest returns the best of one history.
func NewBest(found *dpor.Found) *Best { return &Best{found, anomaly.RankOf(found.History)} }

// Offer takes a history if it is smaller.
func (b *Best) Offer(found *dpor.Found) {
	few := anomaly.Rank{Sessions: sessions(found), Txns: len(found.History.Txns) - 1, NonLatest: -1}
	if few.Compare(b.Rank) > 0 {
		return // what counts first is cheap to know
	}
	if rank := anomaly.RankOf(found.History); rank.Compare(b.Rank) < 0 {
		b.Found, b.Rank = found, rank
	}
}

// sessions counts the sessions with a transaction.
func sessions(found *dpor.Found) int {
	n, last := 0, -1
	for _, t := range found.History.Txns[1:] {
		if t.Session != last {
			n, last = n+1, t.Session
		}
	}
	return n
}
