package minimise

import (
	"context"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Violations under a database's model. There the violation that takes least to
// understand is the one in which sessions switch least often, and then the one with the
// fewest steps.

// Any is every failure.
func Any(*behaviour.Failure) bool { return true }

// maxStates bounds the states of a search under a database's model.
const maxStates = 200_000

// Executed returns a violation in which sessions switch as seldom as possible. It is first,
// unless a bounded search finds one with fewer switches. The answer is the same in every run
// as long as the bounds are not met. Where they are, the schedule of first is changed in
// steps. A violation counts when one of its failures is wanted.
func Executed(ctx context.Context, client *program.Client, opts dpor.Options, first *dpor.Found, wanted func(*behaviour.Failure) bool) *dpor.Found {
	within, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	opts = boundedStates(opts)
	for opts.Switches = 1; opts.Switches <= switches(first.Schedule); opts.Switches++ {
		best, complete := fewest(within, client, opts, wanted)
		if best != nil {
			return best
		}
		if !complete {
			return straighten(ctx, client, opts, first, wanted)
		}
	}
	return first
}

// Unbroken returns a violation in which nobody runs inside a statement of another session, and
// the options of the searches for what it does not need. A client can make it on a server. It is
// first, with the options as they are, where a bounded search finds none.
func Unbroken(ctx context.Context, client *program.Client, opts dpor.Options, first *dpor.Found, wanted func(*behaviour.Failure) bool) (*dpor.Found, dpor.Options) {
	if !client.UsesBackend() { // whose operations are steps
		return first, opts
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	unbroken := opts
	unbroken.Steps = states.Unbroken
	if found := firstWith(ctx, client, unbroken, wanted); found != nil {
		return found, unbroken
	}
	return first, opts
}

// fewest returns the violation with the fewest steps that an exploration finds, nil
// without any, and whether it was complete.
func fewest(ctx context.Context, client *program.Client, opts dpor.Options, wanted func(*behaviour.Failure) bool) (*dpor.Found, bool) {
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
