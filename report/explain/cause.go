package explain

import (
	"fmt"
	"slices"
	"strings"
)

// Cause returns a key that violations with the same cause share: the same
// assertion, the same anomaly, and the same cycle up to the names of sessions
// and transactions. The key is stable from run to run as far as the numbers of
// variables are. Assertion names what is broken, without its values.
func (e *Explanation) Cause(assertion string) string {
	if e.Proof == nil {
		return assertion + "|serializable"
	}
	return strings.Join([]string{assertion, e.Anomaly.Name, e.Proof.Level.String(), e.Proof.pattern()}, "|")
}

// pattern is the proof without the names of transactions.
func (p *Proof) pattern() string {
	switch {
	case p.BadRead != nil:
		return "bad read"
	case p.Exhausted:
		return "search"
	case p.Split != nil:
		cases := []string{p.Split.AFirst.pattern(), p.Split.BFirst.pattern()}
		slices.Sort(cases)
		return fmt.Sprintf("split %d (%s) (%s)", p.Split.Var, cases[0], cases[1])
	}
	return rotation(p.Cycle)
}

// rotation is the least of the cycle's labels read from each of its edges. As no
// transaction occurs twice, two cycles are equal up to renaming exactly when
// these are.
func rotation(cycle []Edge) string {
	var labels []string
	for _, e := range cycle {
		label := e.Kind.String()
		if e.Var != NoVar {
			label += fmt.Sprint(" ", e.Var)
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
