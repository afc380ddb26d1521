package dpor

import (
	"context"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
)

// Followed is how far a program has followed a schedule under a database's model.
type Followed struct {
	Events []Event
	Made   int    // choices that it has made
	Found  *Found // when it has made all of them and has ended
	// Stands are the nodes at which the sessions stand.
	Stands []*program.Node
}

// Follow runs a schedule as far as the program makes its choices.
func Follow(prog *program.Client, level isolation.Level, way []model.Choice) (*Followed, error) {
	f := &Followed{}
	e, m, err := beginSteps(prog, level, func(ev Event) {
		ev.Step = f.Made
		f.Events = append(f.Events, ev)
	})
	if err != nil {
		return nil, err
	}
	for ; f.Made < len(way) && m.has(way[f.Made]); f.Made++ {
		if err := e.step(m, way[f.Made]); err != nil {
			return nil, err
		}
	}
	if f.Stands = m.nodes; f.Made < len(way) || len(m.choices) > 0 {
		return f, nil
	}
	f.Found, err = e.ended(m, way)
	return f, err
}

// beginSteps returns the first moment of a program, and what makes its steps. Note, unless nil, gets
// what happens.
func beginSteps(prog *program.Client, level isolation.Level, note func(Event)) (*states, *moment, error) {
	x := Explore(context.Background(), prog, Options{Level: level, Workers: 1})
	x.assign(States)
	e := x.workers[0].algorithm.(*states)
	e.note = note
	m, err := e.first()
	if err != nil {
		return nil, nil, err
	}
	e.enable(m)
	return e, m, nil
}

// ended is the execution that has come to its end on that way.
func (e *states) ended(m *moment, way []model.Choice) (*Found, error) {
	failures, err := e.judge(m)
	if err != nil {
		return nil, err
	}
	e.way, e.moments = way, []*moment{m}
	return e.found(0, failures), nil
}

// Execute runs a schedule to its end. It is a [*MisfitError] when the program does not
// follow it.
func Execute(prog *program.Client, level isolation.Level, way []model.Choice) (*Found, error) {
	f, err := Follow(prog, level, way)
	if err == nil && f.Found == nil {
		err = misfit("a schedule that the program does not follow")
	}
	if err != nil {
		return nil, err
	}
	return f.Found, nil
}
