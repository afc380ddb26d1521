package work

import (
	"encoding/binary"
	"slices"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Verdicts are the verdicts of invariants on outcomes met before.
type Verdicts struct {
	known map[string][]*behaviour.Failure // by the sessions' ends
	key   []byte
	ends  []*behaviour.Node
	fresh bool // the last outcome had not been met
}

// maxVerdicts bounds the memory of verdicts.
const maxVerdicts = 1 << 16

// Of judges the outcome of sessions that ended at those nodes. Each distinct one is judged
// once: what an invariant can see is determined by the nodes at which the sessions ended.
func (v *Verdicts) Of(prog *program.Client, ends []*behaviour.Node) ([]*behaviour.Failure, error) {
	v.ends = append(v.ends[:0], ends...)
	return v.ofEnds(prog, v.ends)
}

// ofEnds judges the outcome of sessions that ended at those nodes.
func (v *Verdicts) ofEnds(prog *program.Client, ends []*behaviour.Node) ([]*behaviour.Failure, error) {
	v.key = v.key[:0]
	for _, n := range ends {
		v.key = binary.AppendUvarint(v.key, uint64(n.ID))
	}
	broken, ok := v.known[string(v.key)]
	if v.fresh = !ok; ok {
		return broken, nil
	}
	broken, err := prog.Judge(ends)
	if err != nil {
		return nil, err
	}
	if v.known == nil || len(v.known) >= maxVerdicts {
		v.known = map[string][]*behaviour.Failure{}
	}
	v.known[string(v.key)] = broken
	return broken, nil
}

// mirrors make images of the ends of sessions: see [program.Symmetry] and [program.Copies].
type mirrors interface {
	Exchanges() int
	Mirror(i int, ends, images []*behaviour.Node) ([]*behaviour.Node, error)
	Differs(i int, invariant string) error
}

// Mirrored judges the images of the outcome that was judged last, if it had not been
// met. The error is a [*program.Difference] when an invariant fails for one of two that
// mirror each other.
func (v *Verdicts) Mirrored(prog *program.Client, y mirrors) error {
	if prog.Invariants() == 0 || !v.fresh {
		return nil
	}
	seen := map[string]bool{}
	for open := [][]*behaviour.Node{slices.Clone(v.ends)}; len(open) > 0; {
		ends := open[len(open)-1]
		open = open[:len(open)-1]
		broken, err := v.ofEnds(prog, ends)
		if err != nil {
			return err
		}
		if seen[string(v.key)] {
			continue
		}
		seen[string(v.key)] = true
		for i := range y.Exchanges() {
			image, err := y.Mirror(i, ends, nil)
			if err != nil {
				return err
			}
			also, err := v.ofEnds(prog, image)
			if err != nil {
				return err
			}
			if name := onlyOne(broken, also); name != "" {
				return y.Differs(i, name)
			}
			if !seen[string(v.key)] {
				open = append(open, image)
			}
		}
	}
	return nil
}

// onlyOne is an invariant that is among those that fail in one list only, or "".
func onlyOne(a, b []*behaviour.Failure) string {
	for _, lists := range [][2][]*behaviour.Failure{{a, b}, {b, a}} {
		for _, f := range lists[0] {
			if !slices.ContainsFunc(lists[1], func(g *behaviour.Failure) bool { return g.Name == f.Name }) {
				return f.Name
			}
		}
	}
	return ""
}
