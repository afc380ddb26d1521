package program

import (
	"fmt"

	"github.com/txmc/txmc/program/behaviour"
)

// Session is one client of the database: it runs transactions one after
// another. It is valid only inside the function given to [Program.Session], on
// that function's goroutine.
type Session struct {
	run *run
}

// Name returns the session's name.
func (s *Session) Name() string { return s.run.name() }

// Txn runs body as a transaction. When body returns nil the transaction
// commits; when it returns an error the transaction aborts and Txn returns that
// error. An [AssertionError] among them makes the history a violation. When the
// database fails an operation or the commit, Txn returns a [*behaviour.DBError]: see [Tx.Err].
func (s *Session) Txn(name string, body func(*Tx) error, options ...TxnOption) error {
	r := s.enter("Txn")
	if r.calls++; r.leavesOut(r.calls - 1) {
		return nil
	}
	return r.transact(name, r.caller(), body, r.assertionIn, options...)
}

// Begin starts a transaction that Commit or Rollback ends.
func (s *Session) Begin(name string, options ...TxnOption) *Tx {
	r := s.enter("Begin")
	if r.calls++; r.leavesOut(r.calls - 1) {
		return r.beginApart(name, r.client.caller())
	}
	return r.begin(name, r.caller(), options...)
}

// Observe records what the client saw, for invariants and reports. It is part
// of the client, not of the database: an abort does not undo it.
func (s *Session) Observe(name string, v any) {
	r := s.enter("Observe")
	loc := r.caller()
	val, err := r.client.values.Intern(v)
	if err != nil {
		r.misuse(loc, "the observation %q cannot be recorded: %v", name, err)
	}
	r.observations++
	if limit := r.client.opts.MaxOps; r.observations > limit {
		r.unbounded(loc, fmt.Sprintf("more than %d observations in one session", limit))
	}
	r.happens(behaviour.Event{Kind: behaviour.ObserveEvent, Val: val, Loc: loc, Text: name})
}

// Assert ends the session with a violation unless cond holds. The message is
// made of args as by fmt.Sprint. An open transaction aborts.
func (s *Session) Assert(cond bool, args ...any) {
	r := s.enter("Assert")
	r.client.asserted.Store(true)
	if !cond {
		r.assertionFailed(&AssertionError{message(fmt.Sprint(args...)), behaviour.Capture()})
	}
}

// Assertf is [Session.Assert] with the message formatted as by fmt.Sprintf.
func (s *Session) Assertf(cond bool, format string, args ...any) {
	r := s.enter("Assertf")
	r.client.asserted.Store(true)
	if !cond {
		r.assertionFailed(&AssertionError{message(fmt.Sprintf(format, args...)), behaviour.Capture()})
	}
}

// assertionFailed fails in place: the session goes no further.
func (r *run) assertionFailed(e *AssertionError) {
	if r.tx != nil && r.tx.managed && r.tx.failed != nil {
		panic(afterError{})
	}
	f := r.assertionIn(e)
	if r.tx != nil {
		f.Name = r.tx.name
	}
	r.failure(f)
	r.unwind()
}

func (s *Session) enter(what string) *run {
	if s == nil || s.run == nil {
		panic("txmc: " + what + " on a Session that txmc did not make")
	}
	s.run.enter(what)
	return s.run
}

// enter guards every call of the API: it must come from the run's own goroutine,
// while client code is still wanted.
func (r *run) enter(what string) {
	if r.host != nil && r.givenUp.Load() {
		r.cancelled = true
		r.unwind()
	}
	if !r.own() {
		r.strayed(what)
	}
	if r.dead.Load() {
		r.passedOn(what)
		r.unwind()
	}
	if r.judging {
		r.misuse(r.client.caller(), "%s inside a function that a statement evaluates: it gets a row and returns what it makes of it, and uses nothing else of the database", what)
	}
}

// passedOn reports a call by another session that runs in the same call of the Explore
// function: captured variables have passed on what belongs to r.
func (r *run) passedOn(what string) {
	now := r.client.running.Load()
	if now == nil || now == r || now.dead.Load() || !now.own() {
		return
	}
	now.misuse(r.client.caller(), "%s on a Session or a Tx of session %q: use those that the session's own functions are given, and pass none on in captured variables", what, r.name())
}
