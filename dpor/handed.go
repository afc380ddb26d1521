package dpor

import (
	"encoding/binary"
	"slices"

	"github.com/txmc/txmc/program"
)

// Outcomes that were handed on before an exploration under the model of a database began
// again. They are named up to permutations of the present sets, by what the sessions were
// answered: the numbers of classes do not outlast the sets.

// repeatsOutcome reports whether an outcome was handed on before the exploration began again,
// or an image of it.
func (y *symmetric) repeatsOutcome(f *Found, prog *program.Client) bool {
	name := nameOf(f, prog, y.sets())
	if y.anew && y.handed[name] {
		return true
	}
	if y.now != nil {
		y.handed[name] = true
		y.given = append(y.given, &Found{Ends: f.Ends, Values: f.Values, Rows: f.Rows})
	}
	return false
}

// renamed names what was handed on, up to permutations of the present sets.
func (y *symmetric) renamed(prog *program.Client) map[string]bool {
	if y.given == nil {
		return y.handed
	}
	handed := map[string]bool{}
	for _, f := range y.given {
		handed[nameOf(f, prog, y.sets())] = true
	}
	return handed
}

// nameOf is a text that stands for an outcome and its images.
func nameOf(f *Found, prog *program.Client, sets [][]int) string {
	saws := make([]string, len(f.Ends))
	for s, end := range f.Ends {
		saws[s] = string(answersTo(end))
	}
	for _, set := range sets {
		var own []string
		for _, s := range set {
			own = append(own, saws[s])
		}
		slices.Sort(own)
		for i, s := range set {
			saws[s] = own[i]
		}
	}
	var name []byte
	for _, saw := range saws {
		name = append(binary.AppendUvarint(name, uint64(len(saw))), saw...)
	}
	for _, r := range f.Rows {
		name = binary.AppendVarint(name, int64(r))
	}
	for x, v := range f.Values {
		if changed(prog, x, v) {
			name = binary.AppendVarint(binary.AppendUvarint(append(name, '='), uint64(x)), int64(v))
		}
	}
	return string(name)
}

// answersTo are the answers that have led a session to a node, or what its client has seen
// of them.
func answersTo(n *program.Node) (text []byte) {
	if n.Past != 0 {
		return binary.AppendVarint(nil, int64(n.Past))
	}
	for ; n.Before() != nil; n = n.Before() {
		text = binary.AppendVarint(text, int64(n.Value()))
	}
	return append(text, 0)
}
