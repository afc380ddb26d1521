package proxy

import (
	"regexp"
	"strings"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore/executed"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// Outcomes that no serial order gives: Program.Serializable is judged by the model, which runs
// the serial orders. A server that leaves, and lets sessions observe, what no order does
// confirms the violation.

// ofSequence is a number that a sequence has given: see Program.Serializable.
var ofSequence = regexp.MustCompile(`\b100000\d{4}\b`)

// unserializable adds to the failures on the server those of serial orders, where the server
// leaves what the model has left after the same statements; and, if it is that which no order
// shows, where the sessions, which end at some nodes, have observed the same.
func (x *execution) unserializable(v *report.Violation, ends []*program.Node, failures []report.Failure) ([]report.Failure, error) {
	for _, f := range v.Failures {
		if f.Message != dpor.NotLeft && f.Message != dpor.NotSeen {
			continue
		}
		if f.Message == dpor.NotSeen && unnumbered(executed.Observed(x.client, ends)) != unnumbered(v.Observed) {
			continue
		}
		left, err := x.db.Left(x.ctx)
		if err != nil {
			return nil, err
		}
		if unnumbered(left) == unnumbered(v.Left) {
			failures = append(failures, f)
		}
	}
	return failures, nil
}

// unnumbered is what is left without the numbers of sequences.
func unnumbered(left []report.Assigned) string {
	list := make([]report.Assigned, len(left))
	for i, a := range left {
		list[i] = report.Assigned{Key: ofSequence.ReplaceAllString(a.Key, "#"), Value: ofSequence.ReplaceAllString(a.Value, "#")}
	}
	return strings.TrimSpace(leftText(list))
}
