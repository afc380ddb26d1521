package dpor

import (
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
)

// Prefer runs a program under a database's model to its end. At each step it takes the first
// of the preferred choices that is possible, each once; where none is possible, it takes the
// first choice. It returns nil when a session has assumed what does not hold.
func Prefer(prog *program.Client, level isolation.Level, preferred []model.Choice) (*Found, error) {
	e, m, err := beginSteps(prog, level, nil)
	if err != nil {
		return nil, err
	}
	var way []model.Choice
	left := slices.Clone(preferred)
	for len(m.choices) > 0 {
		c := m.choices[0]
		if i := slices.IndexFunc(left, m.has); i >= 0 {
			c = left[i]
			left = slices.Delete(left, i, i+1)
		}
		way = append(way, c)
		if err := e.step(m, c); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(m.nodes, func(n *program.Node) bool { return n.Dropped }) {
		return nil, nil
	}
	return e.ended(m, way)
}
