package dpor

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
)

// InPlaces takes a random way through the states of a program whose sessions are copies, and
// the same way with the sessions in each other's places, step by step. It returns an error
// where the models do not treat sessions alike. Then the image of a state has another key than
// the state to which the image of the way has led. It returns how many steps were compared.
func InPlaces(c *program.Client, level isolation.Level, races bool, set []int, r *rand.Rand) (steps int, err error) {
	y := orbit.New(c, [][]int{set}, orbit.ByCopies)
	p := places{on: (&states.Exploration{Prog: c, Rules: states.Rules{Level: level, Races: races}, Symmetry: y}).Prepare(), copies: y.Copies(), to: make([]int8, c.Sessions()), same: make([]int8, c.Sessions())}
	for s := range p.to {
		p.to[s], p.same[s] = int8(s), int8(s)
	}
	for i, k := range r.Perm(len(set)) {
		p.to[set[i]] = int8(set[k])
	}
	x, err := p.on.Begin(nil)
	if err != nil {
		return 0, err
	}
	image, err := p.on.Begin(nil)
	if err != nil {
		return 0, err
	}
	for ; len(x.Choices()) > 0; steps++ {
		choice := x.Choices()[r.IntN(len(x.Choices()))]
		if err := x.Take(choice); err != nil {
			return steps, err
		}
		if image, err = p.follow(image, choice, p.key(x, p.to)); err != nil {
			return steps, fmt.Errorf("after %d steps, %+v by %v: %w", steps, choice, p.to, err)
		}
		if len(x.Choices()) != len(image.Choices()) {
			return steps, fmt.Errorf("after %d steps and %+v there are %d choices, and %d with sessions in places %v", steps, choice, len(x.Choices()), len(image.Choices()), p.to)
		}
	}
	return steps, nil
}

// places are the places that sessions take.
type places struct {
	on       *states.Exploration
	copies   *program.Copies
	to, same []int8
}

// key is the key of the state with sessions in these places.
func (p *places) key(x *states.Execution, to []int8) model.Key {
	rows := x.Database().Empty().(model.Permutable)
	rows.CopyFrom(x.Database())
	rows.Permute(to)
	ids := make([]uint64, len(x.Nodes()))
	for s, n := range x.Nodes() {
		ids[to[s]] = uint64(n.ID)
		if class, ok := p.copies.Class(n); ok {
			ids[to[s]] = uint64(class)
		}
	}
	if err := rows.Check(); err != nil {
		return model.Key{}
	}
	return rows.NewKeyer().Key(rows, ids)
}

// follow takes the image of a choice: one of that kind that leads to the key. That of a
// session is the choice of the session in its place; tasks have numbers of their own.
func (p *places) follow(x *states.Execution, choice model.Choice, key model.Key) (*states.Execution, error) {
	if choice.Kind != model.RunTask {
		choice.N = p.to[choice.N]
		if !slices.Contains(x.Choices(), choice) {
			return nil, fmt.Errorf("%+v is not open in the image", choice)
		}
	}
	for _, c := range x.Choices() {
		if c.Kind != choice.Kind || c.Kind != model.RunTask && c != choice {
			continue
		}
		next := x.Clone()
		if err := next.Take(c); err != nil {
			return nil, err
		}
		if p.key(next, p.same) == key {
			return next, nil
		}
	}
	return nil, fmt.Errorf("no choice leads to the image")
}
