package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/program"
)

// Cause returns a key that violations with the same cause share: the same
// assertion, the same anomaly, and the same cycle up to the names of sessions
// and transactions. Assertion names what is broken, without its values; name gives
// the name of a variable.
func (e *Explanation) Cause(assertion string, name func(program.VarID) string) string {
	if e.Proof == nil {
		return assertion + "|serializable"
	}
	return strings.Join([]string{assertion, e.Anomaly.Name, e.Proof.Level.String(), e.Proof.pattern(name)}, "|")
}

// pattern is the proof without the names of transactions.
func (p *Proof) pattern(name func(program.VarID) string) string {
	switch {
	case p.BadRead != nil:
		return "bad read"
	case p.Exhausted:
		return "search"
	case p.Split != nil:
		cases := []string{p.Split.AFirst.pattern(name), p.Split.BFirst.pattern(name)}
		slices.Sort(cases)
		return fmt.Sprintf("split %q (%s) (%s)", name(p.Split.Var), cases[0], cases[1])
	}
	return rotation(p.Cycle, name)
}

// rotation is the least of the cycle's labels read from each of its edges. As no
// transaction occurs twice, two cycles are equal up to renaming exactly when
// these are.
func rotation(cycle []Edge, name func(program.VarID) string) string {
	var labels []string
	for _, e := range cycle {
		label := e.Kind.String()
		if e.Var != NoVar {
			label += fmt.Sprintf(" %q", name(e.Var))
		}
		labels = append(labels, label)
	}
	var best string
	for i := range labels {
		s := strings.Join(slices.Concat(labels[i:], labels[:i]), ", ")
		if best == "" || s < best {
			best = s
		}
	}
	return best
}
