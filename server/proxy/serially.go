package proxy

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/explore/executed"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// Outcomes that no serial order gives: see Program.Serializable. Violations under the model
// are judged there: a server that leaves, and lets sessions observe, what no order does
// confirms one. Outcomes on the server are judged by the serial orders on it.

// serially are the outcomes of all serial orders on the server.
type serially struct {
	client *program.Client
	of     program.Judge
	orders []orders // of the transactions and, where that is wanted, of the sessions
}

// orders are the outcomes of serial orders of one kind. The messages are for outcomes that no
// order has: of what is left, and of what sessions have observed.
type orders struct {
	outcomes, left   map[string]bool
	notLeft, notSeen string
}

// serialOrders runs the serial orders; nil where the program does not ask for them.
func (f *finding) serialOrders() (*serially, error) {
	d, wanted := f.client.Serializable()
	if !wanted {
		return nil, nil
	}
	s := &serially{client: f.client, of: d, orders: []orders{{notLeft: states.NotLeft, notSeen: states.NotSeen}}}
	if f.client.SerialSessions() {
		s.orders = append(s.orders, orders{notLeft: states.NotLeftWhole, notSeen: states.NotSeenWhole})
	}
	for i := range s.orders {
		if err := f.ordered(s, &s.orders[i], i > 0); err != nil {
			return s, err
		}
	}
	return s, nil
}

// ordered runs the orders of the transactions, or of whole sessions.
func (f *finding) ordered(s *serially, all *orders, whole bool) error {
	all.outcomes, all.left = map[string]bool{}, map[string]bool{}
	e := newSearch(f.Server, f.client, f.level)
	e.serial, e.whole, e.everyOne = true, whole, true
	for {
		o, err := e.next(f.ctx)
		if o == nil {
			return f.stop(err)
		}
		left := unmadeLeft(o.left)
		all.left[left], all.outcomes[s.observed(o)+left] = true, true
	}
}

// judge returns the failure of an outcome that no serial order has. One in which a conflict
// has ended a transaction is not judged.
func (s *serially) judge(o *result) *behaviour.Failure {
	for _, end := range o.ends {
		if s.client.Seen(end).Conflicts > 0 {
			return nil
		}
	}
	left := unmadeLeft(o.left)
	for _, all := range s.orders {
		if all.outcomes[s.observed(o)+left] {
			continue
		}
		if all.left[left] {
			return s.of.Failure(all.notSeen)
		}
		return s.of.Failure(all.notLeft)
	}
	return nil
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
func (s *Server) unserializable(client *program.Client, v *report.Violation, o *result, failures []report.Failure) []report.Failure {
	same := func(a, b []report.Assigned) bool {
		return s.dialect.alike(unmadeLeft(a)) == s.dialect.alike(unmadeLeft(b))
	}
	for _, f := range v.Failures {
		seen := f.Message == states.NotSeen || f.Message == states.NotSeenWhole
		if !seen && f.Message != states.NotLeft && f.Message != states.NotLeftWhole {
			continue
		}
		if seen && !same(bareErrors(executed.Observed(client, o.ends)), bareErrors(v.Observed)) {
			continue
		}
		if same(o.left, v.Left) {
			failures = append(failures, f)
		}
	}
	return failures
}

// messageOf is an error of MySQL's driver in what a session has observed, which is JSON.
var messageOf = regexp.MustCompile(`(Error \d{4} \(\w{5}\)): (?:[^"\\]|\\.)*`)

// bareErrors is what sessions have observed, of errors of MySQL the numbers alone: versions word them differently.
func bareErrors(list []report.Assigned) []report.Assigned {
	bare := make([]report.Assigned, len(list))
	for i, a := range list {
		bare[i] = report.Assigned{Key: a.Key, Value: messageOf.ReplaceAllString(a.Value, "$1")}
	}
	return bare
}

// unmadeLeft is what is left without what a server makes up.
func unmadeLeft(left []report.Assigned) string {
	list := make([]report.Assigned, len(left))
	for i, a := range left {
		list[i] = report.Assigned{Key: unmade(a.Key), Value: unmade(a.Value)}
	}
	return strings.TrimSpace(leftText(list))
}
