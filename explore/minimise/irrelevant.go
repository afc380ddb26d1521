package minimise

import (
	"context"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Irrelevant returns sessions and transactions of the history that can all be
// left out of the client program with its first assertion still failing at the
// level. Sessions are tried before transactions, each on top of what is left out
// already: what remains need not be the least that fails.
//
// An assertion such as "both payments have arrived" fails whenever a session is
// left out, and that teaches nothing. So where the assertion holds at
// serializability it must do so without the parts as well.
func Irrelevant(ctx context.Context, client *program.Client, opts dpor.Options, found *dpor.Found) []program.Part {
	if len(found.Failures) == 0 {
		return nil
	}
	s := newSearch(client, opts, found.Failures[0])
	return s.leaveOut(ctx, s.candidates(found))
}

// Unspoken returns parts that do not matter. The assertion fails for the same reason when
// all of them are left out, and the history does not show that one of them matters. Where
// it shows that of some, others may take their place.
func Unspoken(ctx context.Context, client *program.Client, opts dpor.Options, found *dpor.Found, parts []program.Part) []program.Part {
	if len(parts) == 0 {
		return nil
	}
	s := newSearch(client, opts, found.Failures[0])
	s.like = likeness(client, found, s.failure)
	if len(needed(client, found, parts)) > 0 {
		parts = s.candidates(found)
	}
	matter := needed(client, found, parts)
	return s.leaveOut(ctx, slices.DeleteFunc(slices.Clone(parts), func(p program.Part) bool { return slices.Contains(matter, p) }))
}

// leaveOut returns parts of the list that can all be left out, tried one after
// another.
func (s *search) leaveOut(ctx context.Context, list []program.Part) []program.Part {
	if len(list) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*maxTime)
	defer cancel()
	s.blameless = s.try(ctx, s.client, isolation.SER) == fails
	var out []program.Part
	for _, part := range list {
		if slices.Contains(out, program.Part{Session: part.Session, Txn: -1}) {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		if s.without(ctx, append(slices.Clone(out), part)) {
			out = append(out, part)
		}
	}
	return out
}

// search is for what a failure does not need.
type search struct {
	client  *program.Client
	opts    dpor.Options
	failure *behaviour.Failure
	// blameless: the assertion fails at serializability as well, so that isolation
	// is not to blame.
	blameless bool
	// like is the likeness of the violation that is explained; "" when any failure
	// of the assertion will do.
	like string
}

func newSearch(client *program.Client, opts dpor.Options, failure *behaviour.Failure) *search {
	return &search{client: client, opts: bounded(opts), failure: failure}
}

// candidates lists the sessions, then the transactions of those with several, but for those in
// which something fails: what fails is shown.
func (s *search) candidates(found *dpor.Found) []program.Part {
	var whole, single []program.Part
	count := map[int]int{}
	for _, t := range found.History.Txns[1:] {
		count[t.Session]++
	}
	for _, t := range found.History.Txns[1:] {
		if t.Session == s.client.Final() {
			continue
		}
		if t.Index == 0 && !failsIn(found, t.Session, -1) {
			whole = append(whole, program.Part{Session: s.client.SessionName(t.Session), Txn: -1})
		}
		if count[t.Session] > 1 && !failsIn(found, t.Session, t.Index) {
			single = append(single, program.Part{Session: s.client.SessionName(t.Session), Txn: t.Index})
		}
	}
	return append(whole, single...)
}

// failsIn reports whether an assertion fails in that transaction of the session, or, for -1, in
// the session.
func failsIn(found *dpor.Found, session, txn int) bool {
	return slices.ContainsFunc(found.Failures, func(f *behaviour.Failure) bool {
		return f.Session == session && (txn < 0 || f.Txn == txn)
	})
}

// without reports whether the assertion fails without the parts, and for the
// same reason.
func (s *search) without(ctx context.Context, parts []program.Part) bool {
	rest, err := s.client.Without(parts...)
	if err != nil {
		return false
	}
	return s.try(ctx, rest, s.opts.Level) == fails && (s.blameless || s.try(ctx, rest, isolation.SER) == holds)
}

// verdict is what is known of an assertion at a level.
type verdict uint8

const (
	unknown verdict = iota
	holds
	fails
)

// try explores the client at a level until the assertion fails.
func (s *search) try(ctx context.Context, client *program.Client, level isolation.Level) verdict {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	opts := s.opts
	if opts.Level != level {
		opts.Level, opts.Base, opts.DFS, opts.Engine = level, level.Base(), false, dpor.Serial
	}
	x := dpor.Explore(ctx, client, opts)
	for found, err := range x.Histories() {
		if err != nil {
			return unknown
		}
		if slices.ContainsFunc(found.Failures, func(f *behaviour.Failure) bool { return s.matches(client, found, f, level) }) {
			return fails
		}
	}
	if x.Stats().Complete {
		return holds
	}
	return unknown
}

// matches reports whether f is the failure that is looked for.
func (s *search) matches(client *program.Client, found *dpor.Found, f *behaviour.Failure, level isolation.Level) bool {
	if !Same(f, s.failure) {
		return false
	}
	return s.like == "" || level != s.opts.Level || client == s.client || likeness(client, found, f) == s.like
}

// Same reports whether two failures are of the same assertion, whatever the
// values.
func Same(a, b *behaviour.Failure) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.At == b.At
}

// AtSER reports whether an assertion that failed at another level fails at
// serializability too. If it does, isolation is not the cause. The answer is "fails",
// "holds" when all histories were explored, or "" when a bounded search cannot tell.
func AtSER(ctx context.Context, client *program.Client, opts dpor.Options, failure *behaviour.Failure) string {
	if opts.Level == isolation.SER {
		return ""
	}
	return newSearch(client, opts, failure).try(ctx, client, isolation.SER).String()
}

func (v verdict) String() string { return [...]string{"", "holds", "fails"}[v] }
