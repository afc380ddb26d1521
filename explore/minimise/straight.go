package minimise

import (
	"context"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// A program may have more executions with few switches than a search looks at. Then the
// schedule that was found is changed in small steps. A session's steps move together, or to
// the end, as long as the assertion fails and sessions switch less often. What has nothing to
// do with the failure runs by itself then. (Choi and Zeller: Isolating failure-inducing thread
// schedules, ISSTA 2002.)

// maxChoices bounds the choices of all executions that are tried.
const maxChoices = 200_000

// straighten returns an execution with a wanted failure. Its sessions switch at most as
// often as those of first.
func straighten(ctx context.Context, client *program.Client, opts dpor.Options, first *dpor.Found, wanted func(*behaviour.Failure) bool) *dpor.Found {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	best, turns := first, turnsOf(first, wanted)
	for choices, better := 0, true; better; {
		better = false
		for s := range int8(len(first.Ends)) {
			for _, way := range moves(best.Schedule, s) {
				if choices += len(way); choices > maxChoices || ctx.Err() != nil {
					return best
				}
				found, err := dpor.Prefer(client, opts.Level, opts.Steps, way)
				if err != nil {
					return best
				}
				if found == nil || !slices.ContainsFunc(found.Failures, wanted) {
					continue
				}
				if now := turnsOf(found, wanted); slices.Compare(now, turns) < 0 {
					best, turns, better = found, now, true
				}
			}
		}
	}
	return best
}

// turnsOf is what executions with a failure are compared by: how often sessions switch, how many steps
// there are, and after how many the session has ended that fails first.
func turnsOf(found *dpor.Found, wanted func(*behaviour.Failure) bool) []int {
	w := NewWay(found)
	session := found.Failures[slices.IndexFunc(found.Failures, wanted)].Session
	end := len(found.Schedule)
	for end > 0 && session >= 0 && !(found.Schedule[end-1].Kind == model.RunSession && int(found.Schedule[end-1].N) == session) {
		end--
	}
	return append(w.Ranks(), end)
}

// moves lists schedules in which all steps of a session come last, or first, or at the place
// of the first or the last of them. It also lists schedules in which two neighbours of the
// session's blocks are one. Only the order matters: what cannot be done yet is done when it
// can be.
func moves(way []model.Choice, session int8) (list [][]model.Choice) {
	own := func(c model.Choice) bool { return c.Kind == model.RunSession && c.N == session }
	var at []int // where the session's steps are
	for i, c := range way {
		if own(c) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	for _, to := range []int{len(way), 0, at[0], at[len(at)-1] + 1} {
		list = append(list, move(way, at, to))
	}
	for i := 1; i < len(at); i++ {
		if at[i] > at[i-1]+1 {
			list = append(list, move(way, at[i:], at[i-1]+1), move(way, at[:i], at[i]))
		}
	}
	return list
}

// move puts the steps at some positions, in their order, where position to is.
func move(way []model.Choice, at []int, to int) []model.Choice {
	moved := make([]model.Choice, 0, len(way))
	put := func() {
		for _, i := range at {
			moved = append(moved, way[i])
		}
	}
	for i, c := range way {
		if i == to {
			put()
		}
		if _, own := slices.BinarySearch(at, i); !own {
			moved = append(moved, c)
		}
	}
	if to == len(way) {
		put()
	}
	return moved
}
