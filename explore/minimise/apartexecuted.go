package minimise

import (
	"context"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// A session may be left out of a program, and yet be the culprit in the execution that was found:
// another one would do what it does. So an execution is looked for in which the sessions that are
// said to be irrelevant do nothing that the failure needs. The program without them has it, and they
// run when all others have ended.

// ApartExecuted returns an execution with the first failure of found, and the parts that it does not
// need, of those given. Where there is none without all of the sessions, fewer are left out.
func ApartExecuted(ctx context.Context, client *program.Client, opts dpor.Options, found *dpor.Found, parts []program.Part) (*dpor.Found, []program.Part) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	whole := func(p program.Part) bool { return p.Txn < 0 }
	sessions := slices.DeleteFunc(slices.Clone(parts), func(p program.Part) bool { return !whole(p) })
	single := slices.DeleteFunc(slices.Clone(parts), whole)
	for ; len(sessions) > 0 && ctx.Err() == nil; sessions = sessions[:len(sessions)-1] {
		if apart := runApart(ctx, client, opts, found, sessions); apart != nil {
			return apart, append(sessions, single...)
		}
	}
	return found, single
}

// runApart returns such an execution for all of the sessions, or nil.
func runApart(ctx context.Context, client *program.Client, opts dpor.Options, found *dpor.Found, sessions []program.Part) *dpor.Found {
	failure := found.Failures[0]
	same := func(f *behaviour.Failure) bool { return Same(f, failure) }
	fails := func(f *dpor.Found, err error) bool {
		return err == nil && f != nil && slices.ContainsFunc(f.Failures, same)
	}
	rest, err := client.Without(sessions...)
	if err != nil {
		return nil
	}
	defer rest.Park()
	shown, err := dpor.Prefer(rest, opts.Level, opts.Steps, found.Schedule)
	if !fails(shown, err) {
		if shown = firstWith(ctx, rest, opts, same); shown == nil {
			return nil
		}
		shown = Executed(ctx, rest, opts, shown, same)
	}
	apart, err := dpor.Prefer(client, opts.Level, opts.Steps, shown.Schedule)
	if !fails(apart, err) {
		return nil
	}
	for i, f := range apart.Failures { // what is explained comes first
		if same(f) {
			apart.Failures[0], apart.Failures[i] = f, apart.Failures[0]
			break
		}
	}
	return apart
}

// firstWith returns the first execution with a wanted failure that a bounded exploration comes to.
func firstWith(ctx context.Context, client *program.Client, opts dpor.Options, wanted func(*behaviour.Failure) bool) *dpor.Found {
	for found, err := range dpor.Explore(ctx, client, boundedStates(opts)).Histories() {
		if err != nil {
			return nil
		}
		if slices.ContainsFunc(found.Failures, wanted) {
			return found
		}
	}
	return nil
}
