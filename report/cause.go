package report

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report/explain"
)

// Cause is a key that violations of a program share when they have the same
// cause: the same assertion, the same anomaly, and the same cycle up to the names
// of sessions and transactions.
func (s Source) Cause(f *dpor.Found) string { return s.cause(f, explain.Explain(f.History)) }

func (s Source) cause(f *dpor.Found, e *explain.Explanation) string {
	sum := sha256.Sum256([]byte(e.Cause(assertions(f.Failures), s.namer().Key)))
	return hex.EncodeToString(sum[:6])
}

// assertions names what is broken, without values.
func assertions(failures []*program.Failure) string {
	var names string
	for _, f := range failures {
		names += f.Kind.String() + " " + f.Name
		if f.Kind == program.Assertion || f.Kind == program.Panic {
			names += " " + f.At.String()
		}
		names += "\n"
	}
	return names
}

// Group is how many violations have a cause.
type Group struct {
	Cause      string `json:"cause"`
	Violations int64  `json:"violations"`
}
