package dpor

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
)

// InPlaces takes a random way through the states of a program whose sessions are copies, and
// the same way with the sessions in each other's places, step by step. It returns an error
// where the models do not treat sessions alike. Then the image of a moment has another key than
// the moment to which the image of the way has led. It returns how many steps were compared.
func InPlaces(c *program.Client, level isolation.Level, races bool, set []int, r *rand.Rand) (steps int, err error) {
	y := newSymmetry(c, [][]int{set}, States)
	e := &states{keys: keys{alike: newAlike(y, c, false)}, database: database{copies: y.copies, prog: c, level: level, races: races, final: c.Final()}}
	p := places{e: e, to: make([]int8, c.Sessions()), same: make([]int8, c.Sessions())}
	for s := range p.to {
		p.to[s], p.same[s] = int8(s), int8(s)
	}
	for i, k := range r.Perm(len(set)) {
		p.to[set[i]] = int8(set[k])
	}
	m, err := p.begin()
	if err != nil {
		return 0, err
	}
	image, err := p.begin()
	if err != nil {
		return 0, err
	}
	for ; len(m.choices) > 0; steps++ {
		next := m.own()
		choice := m.choices[r.IntN(len(m.choices))]
		if err := e.step(next, choice); err != nil {
			return steps, err
		}
		if image, err = p.follow(image, choice, p.key(next, p.to)); err != nil {
			return steps, fmt.Errorf("after %d steps, %+v by %v: %w", steps, choice, p.to, err)
		}
		if m = next; len(m.choices) != len(image.choices) {
			return steps, fmt.Errorf("after %d steps and %+v there are %d choices, and %d with sessions in places %v", steps, choice, len(m.choices), len(image.choices), p.to)
		}
	}
	return steps, nil
}

// places are the places that sessions take.
type places struct {
	e        *states
	to, same []int8
}

func (p *places) begin() (*moment, error) {
	m, err := p.e.first()
	if err == nil {
		p.e.enable(m)
	}
	return m, err
}

// key is the key of the moment with sessions in these places.
func (p *places) key(m *moment, to []int8) model.Key {
	rows := m.rows.Empty().(model.Permutable)
	rows.CopyFrom(m.rows)
	rows.Permute(to)
	ids := make([]uint64, len(m.nodes))
	for s, n := range m.nodes {
		ids[to[s]] = uint64(n.ID)
		if class, ok := p.e.copies.Class(n); ok {
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
func (p *places) follow(m *moment, choice model.Choice, key model.Key) (*moment, error) {
	if choice.Kind != model.RunTask {
		choice.N = p.to[choice.N]
		if !slices.Contains(m.choices, choice) {
			return nil, fmt.Errorf("%+v is not open in the image", choice)
		}
	}
	for _, c := range m.choices {
		if c.Kind != choice.Kind || c.Kind != model.RunTask && c != choice {
			continue
		}
		next := m.own()
		if err := p.e.step(next, c); err != nil {
			return nil, err
		}
		if p.key(next, p.same) == key {
			return next, nil
		}
	}
	return nil, fmt.Errorf("no choice leads to the image")
}
