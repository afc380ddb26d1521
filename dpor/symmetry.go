package dpor

import (
	"github.com/txmc/txmc/program"
)

// symmetry is what an exploration up to permutations of sessions knows of the program:
// that each node that it has reached is mirrored. The engine States uses copies, and the
// others the nodes and the group.
type symmetry struct {
	engine Engine
	sets   [][]int
	nodes  *program.Symmetry
	group  *group
	copies *program.Copies
}

func newSymmetry(prog *program.Client, sets [][]int, engine Engine) *symmetry {
	if len(sets) == 0 {
		return nil
	}
	if engine == States {
		sets = cutSets(sets, maxOrbit)
		return &symmetry{engine: engine, sets: sets, copies: prog.NewCopies(sets)}
	}
	g := newGroup(sets, prog.Sessions())
	return &symmetry{engine: engine, sets: g.sets, nodes: prog.NewSymmetry(g.sets), group: g}
}

// permutations returns the group with which an engine compares histories; nil without
// symmetry, and for another engine.
func (y *symmetry) permutations(of Engine) *group {
	if y == nil || y.engine != of {
		return nil
	}
	return y.group
}

// copied returns the copies; nil without symmetry.
func (y *symmetry) copied() *program.Copies {
	if y == nil {
		return nil
	}
	return y.copies
}

// holds looks at a node that was reached: see [program.Symmetry.Holds].
func (y *symmetry) holds(n *program.Node) error {
	if y == nil {
		return nil
	}
	return y.nodes.Holds(n)
}

// close adds to what is known the accesses that mirror it. So a history has only known
// accesses if its images have.
func (y *symmetry) close(a *accesses) {
	for again := y != nil; again; {
		again = false
		for i := range y.nodes.Exchanges() {
			rename := func(x program.VarID) (program.VarID, bool) { return y.nodes.Variable(i, x) }
			left, right := y.nodes.Sessions(i)
			for s := range a.sessions {
				image := s
				switch s {
				case left:
					image = right
				case right:
					image = left
				}
				for k := range a.sessions[s] {
					own := a.sessions[s][k]
					other := a.at(image, k)
					reads, writes := other.reads.mirror(own.reads, rename), other.writes.mirror(own.writes, rename)
					again = again || reads || writes
				}
			}
		}
	}
}

// mirror adds the variables of w, renamed, and reports whether there was a new one.
func (v *varSet) mirror(w varSet, rename func(program.VarID) (program.VarID, bool)) (fresh bool) {
	for i := range 64 * len(w) {
		x := program.VarID(i)
		if !w.has(x) {
			continue
		}
		if to, known := rename(x); known && !v.has(to) {
			v.add(to)
			fresh = true
		}
	}
	return fresh
}
