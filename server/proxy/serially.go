package proxy

import (
	"fmt"
	"strings"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore/executed"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// Outcomes that no serial order gives: see Program.Serializable. Violations under the model
// are judged there: a server that leaves, and lets sessions observe, what no order does
// confirms one. Outcomes on the server are judged by the serial orders on it.

// serially are the outcomes of all serial orders on the server.
type serially struct {
	client         *program.Client
	of             program.Judge
	outcomes, left map[string]bool
}

// serialOrders runs the serial orders; nil where the program does not ask for them.
func (f *finding) serialOrders() (*serially, error) {
	d, wanted := f.client.Serializable()
	if !wanted {
		return nil, nil
	}
	s := &serially{f.client, d, map[string]bool{}, map[string]bool{}}
	e := newSearch(f.Server, f.client, f.level)
	e.serial, e.everyOne = true, true
	for {
		o, err := e.next(f.ctx)
		if o == nil {
			return s, f.stop(err)
		}
		left := unmadeLeft(o.left)
		s.left[left], s.outcomes[s.observed(o)+left] = true, true
	}
}

// judge returns the failure of an outcome that no serial order has. One in which a conflict
// has ended a transaction is not judged.
func (s *serially) judge(o *result) *program.Failure {
	for _, end := range o.ends {
		if s.client.Seen(end).Conflicts > 0 {
			return nil
		}
	}
	left := unmadeLeft(o.left)
	if s.outcomes[s.observed(o)+left] {
		return nil
	}
	failure := &program.Failure{Kind: s.of.Kind, Session: -1, Txn: -1, Name: s.of.Name, At: s.of.At, Message: dpor.NotLeft}
	if s.left[left] {
		failure.Message = dpor.NotSeen
	}
	return failure
}

// observed puts what the sessions have observed into words.
func (s *serially) observed(o *result) string {
	var b strings.Builder
	for i, end := range o.ends {
		if i != s.client.Final() {
			fmt.Fprintf(&b, "%s: %s\n", s.client.SessionName(i), unmade(s.client.Seen(end).Observed))
		}
	}
	return b.String()
}

// unserializable adds to the failures on the server those of serial orders, where the server
// leaves what the model has left after the same statements; and, if it is that which no order
// shows, where the sessions, which end at some nodes, have observed the same.
func (x *execution) unserializable(v *report.Violation, ends []*program.Node, failures []report.Failure) ([]report.Failure, error) {
	same := func(a, b []report.Assigned) bool {
		return x.dialect.alike(unmadeLeft(a)) == x.dialect.alike(unmadeLeft(b))
	}
	for _, f := range v.Failures {
		if f.Message != dpor.NotLeft && f.Message != dpor.NotSeen {
			continue
		}
		if f.Message == dpor.NotSeen && !same(executed.Observed(x.client, ends), v.Observed) {
			continue
		}
		left, err := x.db.Left(x.ctx)
		if err != nil {
			return nil, err
		}
		if same(left, v.Left) {
			failures = append(failures, f)
		}
	}
	return failures, nil
}

// unmadeLeft is what is left without what a server makes up.
func unmadeLeft(left []report.Assigned) string {
	list := make([]report.Assigned, len(left))
	for i, a := range left {
		list[i] = report.Assigned{Key: unmade(a.Key), Value: unmade(a.Value)}
	}
	return strings.TrimSpace(leftText(list))
}
