package minimise

import (
	"context"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/innodb"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/isolation/postgres"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/access"
)

// Violations under a database's model. There the violation that takes least to
// understand is the one in which sessions switch least often, and then the one with the
// fewest steps.

// maxStates bounds the states of a search under a database's model.
const maxStates = 200_000

// Executed returns a violation in which sessions switch as seldom as possible. It is first,
// unless a bounded search finds one with fewer switches. The answer is the same in every run
// as long as the bounds are not met. Where they are, the schedule of first is changed in
// steps. A violation counts when one of its failures is wanted; each does when wanted is nil.
func Executed(ctx context.Context, client *program.Client, opts dpor.Options, first *dpor.Found, wanted func(*program.Failure) bool) *dpor.Found {
	if wanted == nil {
		wanted = func(*program.Failure) bool { return true }
	}
	within, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	opts = boundedStates(opts)
	for opts.Switches = 1; opts.Switches <= switches(first.Schedule); opts.Switches++ {
		best, complete := fewest(within, client, opts, wanted)
		if best != nil {
			return best
		}
		if !complete {
			return straighten(ctx, client, opts.Level, first, wanted)
		}
	}
	return first
}

// fewest returns the violation with the fewest steps that an exploration finds, nil
// without any, and whether it was complete.
func fewest(ctx context.Context, client *program.Client, opts dpor.Options, wanted func(*program.Failure) bool) (*dpor.Found, bool) {
	var best *Way
	x := dpor.Explore(ctx, client, opts)
	for found, err := range x.Histories() {
		switch {
		case err != nil:
			return nil, false
		case !slices.ContainsFunc(found.Failures, wanted):
		case best == nil:
			best = NewWay(found)
		default:
			best.Offer(found)
		}
	}
	if best == nil {
		return nil, x.Stats().Complete
	}
	return best.Found, true
}

func boundedStates(opts dpor.Options) dpor.Options {
	opts.All, opts.List, opts.Estimate, opts.MaxHistories = true, false, false, 0
	opts.Checkpoint, opts.Resume = nil, nil
	opts.Bound = &dpor.Bound{Calls: maxStates}
	return opts
}

// Way is the easiest to follow of some executions; the first of equals.
type Way struct {
	Found           *dpor.Found
	switches, steps int
}

// NewWay returns the easiest of one execution.
func NewWay(found *dpor.Found) *Way {
	return &Way{found, switches(found.Schedule), len(found.Schedule)}
}

// Offer takes an execution if it is easier to follow.
func (w *Way) Offer(found *dpor.Found) {
	n := switches(found.Schedule)
	if n < w.switches || n == w.switches && len(found.Schedule) < w.steps {
		*w = *NewWay(found)
	}
}

// Ranks are what executions are compared by: the least is the easiest to follow.
func (w *Way) Ranks() []int { return []int{w.switches, w.steps} }

// Compare orders executions by how easy they are to follow.
func (w *Way) Compare(v *Way) int {
	if w.switches != v.switches {
		return w.switches - v.switches
	}
	return w.steps - v.steps
}

// switches counts how often another session goes on.
func switches(way []model.Choice) (n int) {
	last := int8(-1)
	for _, c := range way {
		if c.Kind != model.RunSession {
			continue
		}
		if last >= 0 && c.N != last {
			n++
		}
		last = c.N
	}
	return n
}

// Cause is what is known of why an assertion failed at a level of a database.
type Cause struct {
	// Serially is what the assertion does when the transactions run one after another:
	// fails, holds, or "" when a bounded search cannot tell.
	Serially string
	// AtStrongest is what it does at the database's serializable level, for all
	// transactions; "" at that level itself.
	AtStrongest string
	// Errors are the SQLSTATEs that code meets there.
	Errors []string
}

// CauseOf looks for what would have kept an assertion that has failed.
func CauseOf(ctx context.Context, client *program.Client, opts dpor.Options, failure *program.Failure) (c Cause) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	serial := opts
	serial.Near, serial.Deviations = true, 0
	c.Serially, _ = judged(ctx, client, serial, failure)
	levels := isolation.LevelsOf(opts.Level.Database())
	strongest := levels[len(levels)-1]
	if strongest == opts.Level {
		return c
	}
	if client.UsesBackend() { // which tells the application at which level it runs
		var err error
		if client, err = client.DatabaseAt(strongest.String()); err != nil {
			return c
		}
	}
	opts.Level, opts.OneLevel = strongest, true
	c.AtStrongest, c.Errors = judged(ctx, client, opts, failure)
	return c
}

// judged tells what the assertion does in a bounded exploration, and which errors
// there are.
func judged(ctx context.Context, client *program.Client, opts dpor.Options, failure *program.Failure) (said string, errors []string) {
	x := dpor.Explore(ctx, client, boundedStates(opts))
	v := unknown
	for found, err := range x.Histories() {
		if err != nil {
			return "", nil
		}
		if !opts.Near && asksLess(client, found) {
			return "", nil
		}
		if slices.ContainsFunc(found.Failures, func(f *program.Failure) bool { return Same(f, failure) }) {
			v = fails
		}
	}
	stats := x.Stats()
	if v == unknown && stats.Complete {
		v = holds
	}
	for _, e := range stats.Errors {
		if !slices.Contains(errors, e.Code) {
			errors = append(errors, e.Code)
		}
	}
	return v.String(), errors
}

// asksLess reports whether a transaction in SQL asks for a level of its own that is not
// serializable: the server's executor runs it at that one whatever the others have.
func asksLess(client *program.Client, found *dpor.Found) bool {
	serializable := uint8(postgres.Serializable)
	if db := client.Storage(); db != nil && db.Engine == access.Trees {
		serializable = uint8(innodb.Serializable)
	}
	for session, end := range found.Ends {
		for _, n := range end.Path() {
			if session != client.Final() && n.Kind == program.Serve && n.Request != nil && n.Request.Level != serializable {
				return true
			}
		}
	}
	return false
}
