package explore

import (
	"context"
	"fmt"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// At a level of a database each state is visited once, however many ways lead to it, so that
// samples of ways do not tell how many states there are. So smaller programs are explored to
// their ends, as far as there is time: how many states they have is known, and not estimated.

// fewestSessions is how many sessions a program has of which one may be left out: of two,
// one alone is left, which shows nothing.
const fewestSessions = 3

// smaller returns what an exploration at a level of a database finishes: the program without
// the session that leaves least, or the first two sessions alone. It is nil where neither ends in time.
func smaller(ctx context.Context, client *program.Client, opts dpor.Options) *report.Prospects {
	var sessions []int
	for i := range client.Sessions() {
		if i != client.Final() {
			sessions = append(sessions, i)
		}
	}
	if len(sessions) < fewestSessions {
		return nil
	}
	opts.All, opts.List, opts.Estimate, opts.MaxHistories = true, false, false, 0
	opts.Checkpoint, opts.Resume, opts.Symmetric, opts.Part = nil, nil, nil, nil
	tried := sessions[:min(mostSessions, len(sessions))]
	var best *report.Less
	for n, i := range tried {
		few, done := context.WithTimeout(ctx, remaining(ctx)/time.Duration(len(tried)-n+1))
		l := ended(few, client, opts, i)
		done()
		if l != nil && (best == nil || l.States < best.States) {
			l.What = fmt.Sprintf("without session %q", client.SessionName(i))
			best = l
		}
	}
	if best == nil && len(sessions) > fewestSessions {
		if best = ended(ctx, client, opts, sessions[2:]...); best != nil {
			best.What = fmt.Sprintf("with sessions %q and %q alone", client.SessionName(sessions[0]), client.SessionName(sessions[1]))
		}
	}
	if best == nil {
		return nil
	}
	return &report.Prospects{Less: []report.Less{*best}}
}

// remaining is the time until the deadline.
func remaining(ctx context.Context) time.Duration {
	deadline, _ := ctx.Deadline()
	return max(0, time.Until(deadline))
}

// ended explores a program without sessions to its end; nil where it does not come there.
func ended(ctx context.Context, client *program.Client, opts dpor.Options, without ...int) *report.Less {
	var parts []program.Part
	for _, i := range without {
		parts = append(parts, program.Part{Session: client.SessionName(i), Txn: -1})
	}
	less, err := client.Without(parts...)
	if err != nil {
		return nil
	}
	x := dpor.Explore(ctx, less, opts)
	for _, err := range x.Histories() {
		if err != nil {
			return nil
		}
	}
	st := x.Stats()
	if !st.Complete {
		return nil
	}
	return &report.Less{States: st.Explored, Seconds: st.Elapsed.Seconds()}
}
