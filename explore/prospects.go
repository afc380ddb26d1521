package explore

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// An exploration that was stopped by a limit may have a long way to go. Then its report
// says how long, by an estimate of the tree, and what would make the tree smaller: each by
// an estimate of the tree that it would leave.

const (
	farAway       = 1_000_000 // calls of explore: what is smaller needs no advice
	samplesOfTree = 16
	adviceTime    = 8 * time.Second // at most, for all estimates
	leastAdvice   = time.Second     // or as long as the exploration, if that was longer
	mostSessions  = 8               // that are left out by turns
)

// foresee puts the prospects into a result and its note.
func (r *Run) foresee(ctx context.Context, client *program.Client, opts dpor.Options, st dpor.Stats, result *report.Result) {
	if result.Prospects = r.prospects(ctx, client, opts, st); result.Prospects != nil {
		result.Note = strings.TrimPrefix(result.Note+"; "+words(result.Prospects), "; ")
	}
}

// prospects returns how long the whole exploration of a program would take, and the changes
// that would shorten it; nil where there is nothing to say.
func (r *Run) prospects(ctx context.Context, client *program.Client, opts dpor.Options, st dpor.Stats) *report.Prospects {
	limit := st.Stopped == dpor.ByTimeout || st.Stopped == dpor.ByMaxHistories
	if !r.Estimate || !limit || st.Explored == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, min(adviceTime, max(leastAdvice, st.Elapsed)))
	defer cancel()
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
	if now < farAway || now < 2*float64(st.Explored) {
		return nil
	}
	rate := float64(st.Explored) / max(st.Elapsed.Seconds(), 1e-6)
	p := &report.Prospects{Calls: now, Seconds: now / rate}
	less := func(what string, n float64) {
		if n > 0 && n < now/2 {
			p.Less = append(p.Less, report.Less{What: what, Calls: n, Seconds: n / rate})
		}
	}
	sets, err := client.LookAlike()
	if err != nil {
		return nil
	}
	if len(opts.Symmetric) == 0 && len(sets) > 0 && opts.Engine != dpor.Swap {
		alike := opts
		alike.Symmetric = sets
		less(r.symmetry(client), calls(ctx, client, alike))
	}
	session, least := "", math.Inf(1)
	for i := range min(mostSessions, client.Sessions()) {
		if i == client.Final() || secondOf(sets, i) {
			continue
		}
		if n := without(ctx, client, i, opts); n > 0 && n < least {
			session, least = client.SessionName(i), n
		}
	}
	if session != "" {
		less(fmt.Sprintf("without session %q", session), least)
	}
	if f := client.Final(); f >= 0 {
		less("with Invariants in place of the Finals, which read", without(ctx, client, f, opts))
	}
	return p
}

// symmetry names the symmetry that was not made use of.
func (r *Run) symmetry(client *program.Client) string {
	switch {
	case len(client.Alike()) == 0 || strings.EqualFold(r.Options.Symmetry, NoSymmetry):
		return r.named("symmetry", FindAlike)
	case r.Elsewhere != nil:
		return "symmetry, which goes without checkpoints on a cluster,"
	}
	return "symmetry"
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

// without is the estimate of the tree that is left without a session. A set of sessions
// that are alike is not used, as the session may be one of them.
func without(ctx context.Context, client *program.Client, session int, opts dpor.Options) float64 {
	smaller, err := client.Without(program.Part{Session: client.SessionName(session), Txn: -1})
	if err != nil {
		return 0
	}
	opts.Symmetric = nil
	return calls(ctx, smaller, opts)
}

// calls is the estimate of a tree; 0 where there is none.
func calls(ctx context.Context, client *program.Client, opts dpor.Options) float64 {
	e, err := dpor.Measure(ctx, client, opts, samplesOfTree)
	if err != nil {
		return 0
	}
	return e.Calls
}

// words are the prospects for people.
func words(p *report.Prospects) string {
	list := []string{fmt.Sprintf("about %s calls of explore in all, %s at this rate", roughly(p.Calls), long(p.Seconds))}
	if p.Calls == 0 {
		list[0] = "how many states there are is not known"
	}
	for _, l := range p.Less {
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
