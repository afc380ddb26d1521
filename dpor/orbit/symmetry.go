// Package orbit explores one execution of those that permutations of sessions turn into each
// other: an orbit (docs/symmetry.md).
//
// A [Symmetry] has the sets of sessions that are taken for alike, and looks at each node that
// is reached, as long as nothing tells two of them apart. Its group has the permutations.
// Engines compare what they find in three ways: decision by decision ([Canonical]), by the
// order in which sessions follow each other ([Following], [Representatives]), and by copies of
// a session's states ([program.Copies]). Each says how large the orbit is.
//
// It knows histories and sessions, and no engine.
package orbit

import (
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Criterion is how the executions of an orbit are compared, to explore one of them.
type Criterion uint8

const (
	// ByDecisions: histories are compared by the decisions that lead to them: see [Canonical].
	ByDecisions Criterion = iota
	// BySwaps: swaps take transactions out of histories again: see [Representatives].
	BySwaps
	// ByCopies: states of a database's model are compared, whose sessions are copies.
	ByCopies
)

// Symmetry is what an exploration up to permutations of sessions knows of the program:
// that each node that it has reached is mirrored. States of a database use copies, and
// histories the nodes and the group.
type Symmetry struct {
	by     Criterion
	sets   [][]int
	Nodes  *program.Symmetry
	group  *Group
	copies *program.Copies
}

// New returns the symmetry of some sets of sessions; nil without any.
func New(prog *program.Client, sets [][]int, by Criterion) *Symmetry {
	if len(sets) == 0 {
		return nil
	}
	if by == ByCopies {
		sets = cutSets(sets, maxOrbit)
		return &Symmetry{by: by, sets: sets, copies: prog.NewCopies(sets)}
	}
	g := newGroup(sets, prog.Sessions())
	return &Symmetry{by: by, sets: g.sets, Nodes: prog.NewSymmetry(g.sets), group: g}
}

// Group returns the group with which histories are compared in a way; nil without
// symmetry, and where they are compared in another way.
func (y *Symmetry) Group(by Criterion) *Group {
	if y == nil || y.by != by {
		return nil
	}
	return y.group
}

// Copies returns the copies; nil without symmetry.
func (y *Symmetry) Copies() *program.Copies {
	if y == nil {
		return nil
	}
	return y.copies
}

// Sets are the sets of a symmetry; none without one.
func (y *Symmetry) Sets() [][]int {
	if y == nil {
		return nil
	}
	return y.sets
}

// Holds looks at a node that was reached: see [program.Symmetry.Holds].
func (y *Symmetry) Holds(n *behaviour.Node) error {
	if y == nil {
		return nil
	}
	return y.Nodes.Holds(n)
}
