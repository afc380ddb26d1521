// Package smallest chooses the violation that is shown: the one that takes least
// to understand, and what of the client program has nothing to do with it.
//
// A search stops at the first violation that it finds, which is seldom the
// smallest. So a second search, on behaviour trees that the first has mostly
// recorded, looks on for a bounded while. It has one worker and a bound on
// histories, so that for all but large programs the answer is the same in every
// run; the bound on time is for those.
package smallest

import (
	"context"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report/explain"
)

// Bounds of the searches of this package.
const (
	maxHistories = 20_000
	maxTime      = 300 * time.Millisecond
)

// Violation returns first or a violation that [explain.Rank] puts before it, as
// far as a bounded search finds one.
func Violation(ctx context.Context, client *program.Client, opts dpor.Options, first *dpor.Found) *dpor.Found {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	best := NewBest(first)
	opts.All, opts.List, opts.Workers, opts.MaxHistories = true, false, 1, maxHistories
	for found, err := range dpor.Explore(ctx, client, opts).Histories() {
		if err != nil {
			break // the search that found the first would have met it too, or it is not its concern
		}
		best.Offer(found)
	}
	return best.Found
}

// Best is the smallest of some histories; the first of equals.
type Best struct {
	Found *dpor.Found
	Rank  explain.Rank
}

// NewBest returns the best of one history.
func NewBest(found *dpor.Found) *Best { return &Best{found, explain.RankOf(found.History)} }

// Offer takes a history if it is smaller.
func (b *Best) Offer(found *dpor.Found) {
	few := explain.Rank{Sessions: sessions(found), Txns: len(found.History.Txns) - 1, NonLatest: -1}
	if few.Compare(b.Rank) > 0 {
		return // what counts first is cheap to know
	}
	if rank := explain.RankOf(found.History); rank.Compare(b.Rank) < 0 {
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
