package anomaly

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Cause returns a key that violations with the same cause share: the same
// assertion, the same anomaly, and the same cycle up to the names of sessions
// and transactions. Assertion names what is broken, without its values; name gives
// the name of a variable.
func (e *Explanation) Cause(assertion string, name func(behaviour.VarID) string) string {
	if e.Proof == nil {
		return assertion + "|serializable"
	}
	return strings.Join([]string{assertion, e.Anomaly.Name, e.Proof.Level.String(), e.Proof.pattern(name)}, "|")
}

// CauseOf is the key of a history's cause: [Explanation.CauseKey] of its explanation.
func CauseOf(h *semantics.History, failures []*behaviour.Failure, name func(behaviour.VarID) string) string {
	return Explain(h).CauseKey(failures, name)
}

// CauseKey is a short form of [Explanation.Cause] for the assertions that failed.
func (e *Explanation) CauseKey(failures []*behaviour.Failure, name func(behaviour.VarID) string) string {
	sum := sha256.Sum256([]byte(e.Cause(assertions(failures), name)))
	return hex.EncodeToString(sum[:6])
}

// assertions names what is broken, without values.
func assertions(failures []*behaviour.Failure) string {
	var names string
	for _, f := range failures {
		names += f.Kind.String() + " " + f.Name
		if f.Kind == behaviour.Assertion || f.Kind == behaviour.Panic {
			names += " " + f.At.String()
		}
		names += "\n"
	}
	return names
}

// pattern is the proof without the names of transactions.
func (p *Proof) pattern(name func(behaviour.VarID) string) string {
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
func rotation(cycle []Edge, name func(behaviour.VarID) string) string {
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
