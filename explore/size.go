package explore

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// The size of an exploration that was stopped by a limit. It may have a long way to go. Then
// its report says how long this is, by an estimate of the tree. It also says which changes
// make the tree smaller, each with an estimate of the tree that is left.

const (
	farAway       = 1_000_000   // calls of explore: what is smaller needs no advice,
	farOff        = time.Minute // unless it takes longer than that
	samplesOfTree = 16
	adviceTime    = 8 * time.Second // at most, for all estimates
	leastAdvice   = time.Second     // or as long as the exploration, if that was longer
	mostSessions  = 8               // that are left out by turns
)

// noteSize puts the size into a result and its note.
func (r *Run) noteSize(ctx context.Context, client *program.Client, opts dpor.Options, st dpor.Stats, result *report.Result) {
	if result.Size = r.sizeOf(ctx, client, opts, st); result.Size != nil {
		result.Note = strings.TrimPrefix(result.Note+"; "+words(result.Size), "; ")
	}
}

// sizeOf returns how long the whole exploration of a program would take, and the changes that
// would shorten it; nil where there is nothing to say.
func (r *Run) sizeOf(ctx context.Context, client *program.Client, opts dpor.Options, st dpor.Stats) *report.Size {
	limit := st.Stopped == work.ByTimeout || st.Stopped == work.ByMaxHistories
	if !r.Estimate || !limit || st.Explored == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, min(adviceTime, max(leastAdvice, st.Elapsed)))
	defer cancel()
	return r.sizeIn(ctx, client, opts, st)
}

// sizeIn is sizeOf in the time that ctx leaves.
func (r *Run) sizeIn(ctx context.Context, client *program.Client, opts dpor.Options, st dpor.Stats) *report.Size {
	if len(st.Symmetry.Sets) == 0 { // none was made use of, whatever is declared
		opts.Symmetric = nil
	}
	if opts.Level.Database() != isolation.NoDatabase {
		return r.smaller(ctx, client, opts)
	}
	now := st.Estimate.Calls
	if st.Estimate.Samples < samplesOfTree {
		now = calls(ctx, client, opts)
	}
	rate := float64(st.Explored) / max(st.Elapsed.Seconds(), 1e-6)
	if now < farAway && now/rate < farOff.Seconds() || now < 2*float64(st.Explored) {
		return nil
	}
	sets, err := client.LookAlike()
	if err != nil {
		return nil
	}
	a := &sizing{r, client, opts, rate, &report.Size{Calls: now, Seconds: now / rate}}
	a.shorter(ctx, sets)
	had := max(leastAdvice, st.Elapsed).Seconds()
	if !slices.ContainsFunc(a.Smaller, func(l report.Smaller) bool { return l.Seconds < had }) {
		a.firstSessions(ctx)
	}
	return a.Size
}

// sizing finds what would shorten an exploration.
type sizing struct {
	*Run
	client *program.Client
	opts   dpor.Options
	rate   float64 // calls of explore in a second
	*report.Size
}

// shorter estimates what is left of a program with symmetry, without a session, and without
// Finals.
func (a *sizing) shorter(ctx context.Context, sets [][]int) {
	client := a.client
	if len(a.opts.Symmetric) == 0 && len(sets) > 0 {
		a.add(ctx, a.symmetry(client, a.opts.Level), sets)
	}
	session, least := -1, math.Inf(1)
	for i := range min(mostSessions, client.Sessions()) {
		if i == client.Final() || secondOf(sets, i) {
			continue
		}
		if n := a.without(ctx, a.opts.Symmetric, i); n > 0 && n < least {
			session, least = i, n
		}
	}
	if session >= 0 {
		a.add(ctx, fmt.Sprintf("without session %q", client.SessionName(session)), a.opts.Symmetric, session)
	}
	if f := client.Final(); f >= 0 {
		a.add(ctx, "with Invariants in place of the Finals, which read", a.opts.Symmetric, f)
	}
}

// add adds what is left without some sessions, with those of the sets taken for alike, if that
// is less than half. Samples miss large subtrees, those of sessions that are alike most of all.
// So what looks as if it ended in time is explored.
func (a *sizing) add(ctx context.Context, what string, sets [][]int, sessions ...int) {
	l := report.Smaller{What: what, Calls: a.without(ctx, sets, sessions...)}
	l.Seconds = l.Calls / a.rate
	if l.Calls > 0 && l.Seconds < remaining(ctx).Seconds()/4 {
		switch st := tried(ctx, 2, a.client, a.opts, sets, sessions...); {
		case st.Complete:
			l.Calls, l.Seconds = float64(st.Explored), st.Elapsed.Seconds()
		case l.Calls < 2*float64(st.Explored):
			return // it is larger than it looked
		case st.Explored > 0:
			l.Seconds = l.Calls / float64(st.Explored) * st.Elapsed.Seconds()
		}
	}
	if l.Calls > 0 && l.Calls < a.Calls/2 {
		a.Smaller = append(a.Smaller, l)
	}
}

// firstSessions leaves the first sessions alone: two, and one more as long as that ends.
func (a *sizing) firstSessions(ctx context.Context) {
	sessions := realSessions(a.client)
	var best *report.Smaller
	for n := 2; n < len(sessions)-1; n++ {
		st := tried(ctx, 1, a.client, a.opts, a.opts.Symmetric, sessions[n:]...)
		if !st.Complete {
			break
		}
		best = &report.Smaller{What: firstAlone(n), Calls: float64(st.Explored), Seconds: st.Elapsed.Seconds()}
	}
	if best != nil {
		a.Smaller = append(a.Smaller, *best)
	}
}

// firstAlone names a program of its first sessions.
func firstAlone(n int) string { return fmt.Sprintf("with the first %d sessions alone", n) }

// realSessions are those that are not the Finals.
func realSessions(client *program.Client) (sessions []int) {
	for i := range client.Sessions() {
		if i != client.Final() {
			sessions = append(sessions, i)
		}
	}
	return sessions
}

// symmetry names the symmetry that was not made use of.
func (r *Run) symmetry(client *program.Client, level isolation.Level) string {
	switch {
	case len(client.Alike()) == 0 || strings.EqualFold(r.Options.Symmetry, NoSymmetry):
		return r.named("symmetry", FindAlike)
	case level.Database() != isolation.NoDatabase && r.Elsewhere != nil:
		return "symmetry, which goes without a cluster,"
	}
	return "symmetry from the beginning"
}

// secondOf reports whether a session is in a set, and not the first: what holds of the
// first is likely to hold of it.
func secondOf(sets [][]int, session int) bool {
	for _, set := range sets {
		if slices.Contains(set[1:], session) {
			return true
		}
	}
	return false
}

// without is the estimate of the tree that is left without sessions.
func (a *sizing) without(ctx context.Context, sets [][]int, sessions ...int) float64 {
	smaller, err := a.client.Without(partsOf(a.client, sessions)...)
	if err != nil {
		return 0
	}
	opts := a.opts
	opts.Symmetric = left(sets, sessions)
	return calls(ctx, smaller, opts)
}

// partsOf are whole sessions.
func partsOf(client *program.Client, sessions []int) (parts []program.Part) {
	for _, i := range sessions {
		parts = append(parts, program.Part{Session: client.SessionName(i), Txn: -1})
	}
	return parts
}

// calls is the estimate of a tree; 0 where there is none.
func calls(ctx context.Context, client *program.Client, opts dpor.Options) float64 {
	e, err := dpor.Measure(ctx, client, opts, samplesOfTree)
	if err != nil {
		return 0
	}
	return e.Calls
}

// words are the size for people.
func words(p *report.Size) string {
	list := []string{fmt.Sprintf("about %s calls of explore in all, %s at this rate", roughly(p.Calls), long(p.Seconds))}
	if p.Calls == 0 {
		list[0] = "how many states there are is not known"
	}
	for _, l := range p.Smaller {
		if l.States > 0 {
			list = append(list, fmt.Sprintf("%s %d states, %s", l.What, l.States, long(l.Seconds)))
			continue
		}
		list = append(list, fmt.Sprintf("%s about %s, %s", l.What, roughly(l.Calls), long(l.Seconds)))
	}
	return strings.Join(list, "; ")
}

// roughly is a number with one digit that counts.
func roughly(n float64) string {
	if n < 1000 {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.1g", n)
}

// long is a time as people say it.
func long(seconds float64) string {
	const day, year = 24 * 3600, 365 * 24 * 3600
	switch {
	case seconds >= 1000*year:
		return "more than a thousand years"
	case seconds >= 2*year:
		return fmt.Sprintf("%.0f years", seconds/year)
	case seconds >= 2*day:
		return fmt.Sprintf("%.0f days", seconds/day)
	case seconds < 1:
		return "less than a second"
	case seconds < 10:
		return fmt.Sprintf("%.1gs", seconds)
	}
	return brief((time.Duration(seconds) * time.Second).Round(time.Second))
}
