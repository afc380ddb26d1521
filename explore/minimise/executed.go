package minimise

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// IrrelevantExecuted is Irrelevant under a database's model. It returns sessions, and
// transactions of the tiny API, that can all be left out of the program. The first failure
// of an execution is then still possible at the level. Serially is what the assertion does
// when the transactions run one after another: without the parts it must do the same. Where
// a program is too large to know, it is asked without the sessions that begin after the
// failure.
func IrrelevantExecuted(ctx context.Context, client *program.Client, opts dpor.Options, found *dpor.Found, serially string) []program.Part {
	if len(found.Failures) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*maxTime)
	defer cancel()
	s := statesSearch{client, boundedStates(opts), found.Failures[0], serially}
	var out []program.Part
	if serially == "" {
		if out = s.later(found); !s.holdsWithout(ctx, found, out) {
			return nil
		}
		s.serially = holds.String()
	}
	for _, part := range s.candidates(found) { // those that begin last first
		if ctx.Err() != nil {
			break
		}
		if !slices.Contains(out, program.Part{Session: part.Session, Txn: -1}) && s.without(ctx, append(slices.Clone(out), part)) {
			out = append(out, part)
		}
	}
	return out
}

// statesSearch is for what a failure under a database's model does not need.
type statesSearch struct {
	client   *program.Client
	opts     dpor.Options
	failure  *behaviour.Failure
	serially string
}

// candidates lists the sessions but those in which something fails, then the transactions of those with
// several. Statements in autocommit, and transactions that a driver begins, cannot be left out.
func (s *statesSearch) candidates(found *dpor.Found) []program.Part {
	var whole, single []program.Part
	begins := s.begins(found)
	sessions := slices.SortedFunc(maps.Keys(begins), func(a, b int) int { return cmp.Or(begins[b]-begins[a], a-b) })
	for _, i := range sessions {
		end := found.Ends[i]
		if i == s.client.Final() || failsIn(found, i, -1) {
			continue
		}
		name := s.client.SessionName(i)
		whole = append(whole, program.Part{Session: name, Txn: -1})
		if end.Txn < 2 || s.client.UsesBackend() || slices.ContainsFunc(end.Path(), func(n *behaviour.Node) bool { return n.Auto }) {
			continue
		}
		for txn := range int(end.Txn) {
			single = append(single, program.Part{Session: name, Txn: txn})
		}
	}
	return append(whole, single...)
}

// later lists the sessions that begin when the one that fails has ended.
func (s *statesSearch) later(found *dpor.Found) (parts []program.Part) {
	last := -1
	for i, c := range found.Schedule {
		if int(c.N) == s.failure.Session {
			last = i
		}
	}
	for session := range found.Ends {
		begin := s.begins(found)[session]
		if last >= 0 && begin > last && begin < len(found.Schedule) && session != s.client.Final() {
			parts = append(parts, program.Part{Session: s.client.SessionName(session), Txn: -1})
		}
	}
	return parts
}

// begins are the places in the schedule at which sessions begin; its length of those that do nothing.
func (s *statesSearch) begins(found *dpor.Found) map[int]int {
	first := map[int]int{}
	for session := range found.Ends {
		first[session] = len(found.Schedule)
	}
	for i, c := range slices.Backward(found.Schedule) {
		if c.Kind == model.RunSession {
			first[int(c.N)] = i
		}
	}
	return first
}

// holdsWithout reports whether the schedule breaks the assertion without the parts too, and
// the assertion holds then when the transactions run one after another.
func (s *statesSearch) holdsWithout(ctx context.Context, found *dpor.Found, parts []program.Part) bool {
	if len(parts) == 0 {
		return false
	}
	rest, err := s.client.Without(parts...)
	if err != nil {
		return false
	}
	defer rest.Park()
	again, err := dpor.Prefer(rest, s.opts.Level, s.opts.Steps, found.Schedule)
	if err != nil || again == nil || !slices.ContainsFunc(again.Failures, func(f *behaviour.Failure) bool { return Same(f, s.failure) }) {
		return false
	}
	said, _ := judged(ctx, rest, s.serial(), s.failure)
	return said == holds.String()
}

// serial are the options by which transactions run one after another.
func (s *statesSearch) serial() dpor.Options {
	serial := s.opts
	serial.Near, serial.Deviations = true, 0
	return serial
}

// without reports whether the assertion fails without the parts, and does the same as
// before when the transactions run one after another.
func (s *statesSearch) without(ctx context.Context, parts []program.Part) bool {
	rest, err := s.client.Without(parts...)
	if err != nil {
		return false
	}
	defer rest.Park()
	return s.fails(ctx, rest) && s.said(ctx, rest, s.serial())
}

// fails reports whether an outcome at the level breaks the assertion.
func (s *statesSearch) fails(ctx context.Context, client *program.Client) bool {
	for found, err := range dpor.Explore(ctx, client, s.opts).Histories() {
		if err != nil {
			return false
		}
		if slices.ContainsFunc(found.Failures, func(f *behaviour.Failure) bool { return Same(f, s.failure) }) {
			return true
		}
	}
	return false
}

func (s *statesSearch) said(ctx context.Context, client *program.Client, serial dpor.Options) bool {
	serially, _ := judged(ctx, client, serial, s.failure)
	return serially == s.serially
}
