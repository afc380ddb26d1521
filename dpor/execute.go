package dpor

import (
	"context"

	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
)

// Follow runs a schedule under a database's model as far as the program makes its choices.
func Follow(prog *program.Client, level isolation.Level, schedule []model.Choice) (*states.Followed, error) {
	return onDatabase(prog, level, states.Points).Follow(schedule)
}

// Step begins an execution under a database's model that somebody takes step by step, and whose sessions
// may ask for what they do (program.Session.Given): a driver of scripts does so. Note, unless nil, gets
// what happens.
func Step(prog *program.Client, level isolation.Level, steps states.Steps, note func(states.Event)) (*states.Execution, error) {
	prog.Steps()
	return onDatabase(prog, level, steps).Begin(note)
}

// Execute runs a schedule to its end. It is a [*MisfitError] when the program does not
// follow it.
func Execute(prog *program.Client, level isolation.Level, schedule []model.Choice) (*work.Found, error) {
	f, err := Follow(prog, level, schedule)
	if err == nil && f.Found == nil {
		err = work.Misfit("a schedule that the program does not follow")
	}
	if err != nil {
		return nil, err
	}
	return f.Found, nil
}

// Prefer runs a program under a database's model to its end. At each step it takes the first
// of the preferred choices that is possible, each once; where none is possible, it takes the
// first choice. Steps are Points or Unbroken. It returns nil when a session has assumed what does not hold.
func Prefer(prog *program.Client, level isolation.Level, steps states.Steps, preferred []model.Choice) (*work.Found, error) {
	return onDatabase(prog, level, steps).Prefer(preferred)
}

// Together returns an execution with the outcome of f in which nobody runs inside a statement of
// another session: each statement stands where it ends in f. It is f where that comes to
// something else.
func Together(prog *program.Client, level isolation.Level, f *work.Found) (*work.Found, error) {
	x := onDatabase(prog, level, states.Points)
	ends, err := x.StatementEnds(f.Schedule)
	if err != nil {
		return nil, err
	}
	if len(ends) == len(f.Schedule) {
		return f, nil
	}
	together, err := Prefer(prog, level, states.Unbroken, ends)
	if err != nil || together == nil || !x.SameOutcome(f, together) {
		return f, err
	}
	return together, nil
}

// onDatabase prepares executions of a program that are taken step by step.
func onDatabase(prog *program.Client, level isolation.Level, steps states.Steps) *states.Exploration {
	x := Explore(context.Background(), prog, Options{Level: level, Workers: 1, Selection: Selection{Steps: steps}})
	x.assign(States)
	return x.states
}
