package explore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// At a level of a database each state is visited once, however many ways lead to it. So
// samples of ways do not tell how many states there are. Therefore smaller programs are
// explored to their ends, as far as there is time. Their number of states is known, and not
// estimated.

// fewestSessions is how many sessions a program has from which one may be left out. Of
// two sessions one alone would be left, and this shows nothing.
const fewestSessions = 3

// smaller returns smaller programs that an exploration at a level of a database finishes. One
// is the program with symmetry that was not made use of. Another is the program without one
// session, the session whose absence leaves least. Or it is the first sessions alone, as many
// as end. It is nil where none ends in time.
func (r *Run) smaller(ctx context.Context, client *program.Client, opts dpor.Options) *report.Size {
	sessions := realSessions(client)
	sets, err := client.LookAlike()
	if err != nil || len(sessions) < fewestSessions {
		return nil
	}
	p := &report.Size{}
	if len(opts.Symmetric) == 0 && len(sets) > 0 {
		if l := ended(ctx, 4, client, opts, sets); l != nil {
			l.What = r.symmetry(client, opts.Level)
			p.Smaller = append(p.Smaller, *l)
		}
	}
	best := withoutOne(ctx, client, opts, sessions, sets)
	if best == nil {
		best = firstOnes(ctx, client, opts, sessions)
	}
	if best != nil {
		p.Smaller = append(p.Smaller, *best)
	}
	if len(p.Smaller) == 0 {
		return nil
	}
	return p
}

// withoutOne leaves out the one session without which the least is left. Among sessions that
// are alike it tries the first only. It may use half of the time.
func withoutOne(ctx context.Context, client *program.Client, opts dpor.Options, sessions []int, sets [][]int) (best *report.Smaller) {
	ctx, done := context.WithTimeout(ctx, remaining(ctx)/2)
	defer done()
	tried := slices.DeleteFunc(slices.Clone(sessions), func(i int) bool { return secondOf(sets, i) })
	tried = tried[:min(mostSessions, len(tried))]
	for n, i := range tried {
		l := ended(ctx, len(tried)-n, client, opts, opts.Symmetric, i)
		if l != nil && (best == nil || l.States < best.States) {
			l.What = fmt.Sprintf("without session %q", client.SessionName(i))
			best = l
		}
	}
	return best
}

// firstOnes leaves the first sessions alone: two, and one more as long as that ends.
func firstOnes(ctx context.Context, client *program.Client, opts dpor.Options, sessions []int) (best *report.Smaller) {
	for n := 2; n < len(sessions)-1; n++ {
		l := ended(ctx, 1, client, opts, opts.Symmetric, sessions[n:]...)
		if l == nil {
			break
		}
		best = l
		best.What = firstAlone(n)
	}
	return best
}

// remaining is the time until the deadline.
func remaining(ctx context.Context) time.Duration {
	deadline, _ := ctx.Deadline()
	return max(0, time.Until(deadline))
}

// ended explores a program without sessions to its end, in a part of the time that is left;
// nil where it does not come there.
func ended(ctx context.Context, part int, client *program.Client, opts dpor.Options, sets [][]int, without ...int) *report.Smaller {
	st := tried(ctx, part, client, opts, sets, without...)
	if !st.Complete {
		return nil
	}
	return &report.Smaller{States: st.Explored, Seconds: st.Elapsed.Seconds()}
}

// tried explores a program without sessions, in a part of the time that is left.
func tried(ctx context.Context, part int, client *program.Client, opts dpor.Options, sets [][]int, without ...int) (st dpor.Stats) {
	ctx, done := context.WithTimeout(ctx, remaining(ctx)/time.Duration(part))
	defer done()
	smaller, err := client.Without(partsOf(client, without)...)
	if err != nil {
		return st
	}
	opts.All, opts.List, opts.Estimate, opts.MaxHistories = true, false, false, 0
	opts.Checkpoint, opts.Resume, opts.Part = nil, nil, nil
	opts.Symmetric = left(sets, without)
	x := dpor.Explore(ctx, smaller, opts)
	for _, err := range x.Histories() {
		if err != nil {
			return st
		}
	}
	return x.Stats()
}

// left are the sets of sessions without some.
func left(sets [][]int, without []int) (rest [][]int) {
	for _, set := range sets {
		set = slices.DeleteFunc(slices.Clone(set), func(i int) bool { return slices.Contains(without, i) })
		if len(set) > 1 {
			rest = append(rest, set)
		}
	}
	return rest
}
