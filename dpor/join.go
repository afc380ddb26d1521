package dpor

import (
	"errors"
	"slices"

	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program"
)

// Symmetry of parts. The proof that sessions are alike is about all nodes that the
// exploration has met, under one renaming (docs/symmetry.md). A part meets some nodes, and
// has a renaming of its own. So all parts say which nodes they have met, and when none is
// left somebody looks at them all, under one renaming. If that is one, the parts together are
// what one process would have done. If not, two sessions differ, and the exploration begins
// again.

// Joined is what comes after the parts of an exploration, or of a pass, up to permutations.
type Joined struct {
	// Apart tells two sessions apart: the exploration begins again, with sets that
	// Separate them. nil: they are alike.
	Apart *program.Difference
	// Pass is where the next pass begins; nil when there is none.
	Pass *Frontier
}

// Join looks at what the parts of an exploration have met. An error is the client's, or a
// [*MisfitError].
func Join(prog *program.Client, f *Frontier) (j Joined, err error) {
	a := f.Symmetry
	if !orbit.Valid(a.Sets, prog) {
		return j, work.Misfit("sessions are said to be alike that are not there")
	}
	y := orbit.New(prog, a.Sets, compared(f.Engine))
	if y == nil {
		return j, nil
	}
	switch err := meetAll(y, a); {
	case errors.As(err, &j.Apart):
		return j, nil
	case err != nil:
		return j, err
	}
	if f.Passes != nil {
		j.Pass = nextPass(y, prog, f)
	}
	return j, nil
}

// meetAll looks at all nodes that other processes have met.
func meetAll(y *orbit.Symmetry, a *Alike) error {
	if y.Copies() != nil {
		return nil // what copies do is looked at node by node, and was
	}
	for _, list := range append([][]program.Met{a.Met}, a.Parts...) {
		if err := y.Nodes.Meet(list); err != nil {
			return err
		}
	}
	return nil
}

// nextPass is the next pass, whose knowledge is closed under the renamings. There is one when
// the last has noted something, or when its own was not closed: no part of it knew all
// renamings.
func nextPass(y *orbit.Symmetry, prog *program.Client, f *Frontier) *Frontier {
	passes := f.Passes.NextClosed(y, prog)
	if passes == nil {
		return nil
	}
	next := *f
	next.Passes = passes
	next.Subtrees = []work.Subtree{{Kind: work.WholeCall}}
	return &next
}

// takeAlike adds the nodes that a part has met to those of the other parts.
func (f *Frontier) takeAlike(part *Alike) {
	switch {
	case part == nil || len(part.Sets) == 0:
		return
	case f.Symmetry == nil:
		f.Symmetry = &Alike{Sets: part.Sets}
	default:
		own := *f.Symmetry
		f.Symmetry = &own
	}
	a := f.Symmetry
	a.Histories, a.Violations = a.Histories+part.Histories, a.Violations+part.Violations
	if len(part.Met) > 0 && !slices.ContainsFunc(a.Parts, func(other []program.Met) bool { return slices.Equal(other, part.Met) }) {
		a.Parts = append(slices.Clip(a.Parts), part.Met)
	}
}

// GivenUp is what a [program.Difference] says where it is not known whether sessions are alike.
const GivenUp = "nodes were given up for memory, so that it is not known whether sessions are alike"

// unknown tells sessions apart of which is not known any more what they have done.
func (y *symmetric) unknown() *program.Difference {
	set := y.sets()[0]
	return &program.Difference{A: set[0], B: set[1], What: GivenUp}
}
