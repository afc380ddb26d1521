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
	x := Explore(context.Background(), prog, Options{Level: level, Workers: 1})
	x.assign(States)
	e := x.workers[0].algorithm.(*states)
	f := &Followed{}
	e.note = func(ev Event) {
		ev.Step = f.Made
		f.Events = append(f.Events, ev)
	}
	m, err := e.first()
	if err != nil {
		return nil, err
	}
	e.enable(m)
	for ; f.Made < len(way) && m.has(way[f.Made]); f.Made++ {
		if err := e.step(m, way[f.Made]); err != nil {
			return nil, err
		}
	}
	if f.Stands = m.nodes; f.Made < len(way) || len(m.choices) > 0 {
		return f, nil
	}
	failures, err := e.judge(m)
	if err != nil {
		return nil, err
	}
	e.way, e.moments = way, []*moment{m}
	f.Found = e.found(0, failures)
	return f, nil
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
