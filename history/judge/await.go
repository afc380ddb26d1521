package judge

import (
	"context"
	"errors"
	"time"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation"
)

// patience is how long what was interrupted may go on for an end of its own.
const patience = 50 * time.Millisecond

// interrupted is why nothing was decided when the user has ended it.
const interrupted = "interrupted"

// await runs do, which may not look at its context for seconds, as in a history of millions
// of transactions. When the context ends, do is left to itself, and there is no result: ok
// is false. do must not change what others go on with, as it may still run then.
func await[T any](ctx context.Context, do func() T) (result T, ok bool) {
	done := make(chan T, 1)
	go func() { done <- do() }()
	select {
	case result = <-done:
		return result, true
	case <-ctx.Done():
	}
	select {
	case result = <-done:
		return result, true
	case <-time.After(patience):
		return result, false
	}
}

// ended is why nothing was decided when a context has ended.
func ended(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "out of time"
	}
	return interrupted
}

// undecided are the verdicts of a history of which nothing was decided before ctx ended.
func undecided(ctx context.Context, levels []isolation.Level) []*Verdict {
	var list []*Verdict
	for _, l := range levels {
		list = append(list, &Verdict{Verdict: &check.Verdict{Level: l, Why: ended(ctx)}})
	}
	return list
}
