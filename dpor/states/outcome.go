package states

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Outcomes that were handed on before an exploration under the model of a database began
// again. They are named up to permutations of the present sets, by what the sessions were
// answered: the numbers of classes do not outlast the sets.

// Outcome says which outcome it is, by the numbers that a [Memory] has.
type Outcome struct {
	Saw  [][]byte `json:"saw"`  // by session: the answers
	Left []byte   `json:"left"` // values and rows
}

// OutcomeOf says which outcome an execution has.
func OutcomeOf(f *work.Found, prog *program.Client) (o Outcome) {
	for _, end := range f.Ends {
		o.Saw = append(o.Saw, answersTo(end))
	}
	for _, r := range f.Rows {
		o.Left = binary.AppendVarint(o.Left, int64(r))
	}
	for x, v := range f.Values {
		if changed(prog, x, v) {
			o.Left = binary.AppendVarint(binary.AppendUvarint(append(o.Left, '='), uint64(x)), int64(v))
		}
	}
	return o
}

// Name is a text that stands for the outcome and its images.
func (o *Outcome) Name(sets [][]int) string {
	saw := slices.Clone(o.Saw)
	for _, set := range sets {
		var own [][]byte
		for _, s := range set {
			own = append(own, saw[s])
		}
		slices.SortFunc(own, bytes.Compare)
		for i, s := range set {
			saw[s] = own[i]
		}
	}
	var name []byte
	for _, s := range saw {
		name = append(binary.AppendUvarint(name, uint64(len(s))), s...)
	}
	return string(append(name, o.Left...))
}

// answersTo are the answers that have led a session to a node, or what its client has seen
// of them.
func answersTo(n *behaviour.Node) (text []byte) {
	if n.Past != 0 {
		return binary.AppendVarint(nil, int64(n.Past))
	}
	for ; n.Before() != nil; n = n.Before() {
		text = binary.AppendVarint(text, int64(n.Value()))
	}
	return append(text, 0)
}
