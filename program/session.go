package program

import (
	"errors"
	"fmt"
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
// error. An [AssertionError] among them makes the history a violation.
func (s *Session) Txn(name string, body func(*Tx) error) error {
	s.run.enter("Txn")
	loc := s.run.client.caller()
	return s.run.transact(name, loc, body, nil)
}

// Begin starts a transaction that Commit or Rollback ends.
func (s *Session) Begin(name string) *Tx {
	s.run.enter("Begin")
	return s.run.begin(name, s.run.client.caller())
}

// Observe records what the client saw, for invariants and reports. It is part
// of the client, not of the database: an abort does not undo it.
func (s *Session) Observe(name string, v any) {
	r := s.run
	r.enter("Observe")
	loc := r.client.caller()
	val, err := r.client.values.intern(v)
	if err != nil {
		r.misuse(loc, "observation %q cannot be recorded: %v", name, err)
	}
	r.observations++
	if limit := r.client.opts.MaxOps; r.observations > limit {
		r.unbounded(loc, fmt.Sprintf("more than %d observations in one session", limit))
	}
	r.events = append(r.events, Event{Kind: ObserveEvent, Val: val, Loc: loc, Text: name})
}

// Assert ends the session with a violation unless cond holds. The message is
// made of args as by fmt.Sprint. An open transaction aborts.
func (s *Session) Assert(cond bool, args ...any) {
	s.run.enter("Assert")
	if !cond {
		s.run.assertionFailed(&AssertionError{message(fmt.Sprint(args...)), capture()})
	}
}

// Assertf is [Session.Assert] with the message formatted as by fmt.Sprintf.
func (s *Session) Assertf(cond bool, format string, args ...any) {
	s.run.enter("Assertf")
	if !cond {
		s.run.assertionFailed(&AssertionError{message(fmt.Sprintf(format, args...)), capture()})
	}
}

// assertionFailed fails in place: the session goes no further.
func (r *run) assertionFailed(e *AssertionError) {
	name := ""
	if r.tx != nil {
		name = r.tx.name
	}
	r.failure(&Failure{Kind: Assertion, Name: name, Message: e.Message, At: r.client.Location(r.client.locs.intern(e.pcs))})
	r.unwind()
}

// failure records a broken assertion on the path of this run.
func (r *run) failure(f *Failure) {
	f.Session, f.Txn = r.session, -1
	if r.tx != nil {
		f.Txn = r.txns - 1
	}
	r.failures = append(r.failures[:len(r.failures):len(r.failures)], f)
	r.events = append(r.events, Event{Kind: FailEvent, Loc: r.client.locs.position(f.At), Text: f.Message})
}

// transact runs body as a transaction; judge, when not nil, turns its error
// into a failure of the history.
func (r *run) transact(name string, loc Loc, body func(*Tx) error, judge func(error) *Failure) error {
	tx := r.begin(name, loc)
	tx.managed = true
	returned := false
	defer func() {
		if !returned && !r.dead && !tx.done {
			r.panicked = tx
			r.abort(tx, loc, "panic")
		}
	}()
	if body == nil {
		r.misuse(loc, "transaction %q needs a function, got nil", name)
	}
	err := body(tx)
	returned = true
	if r.dead {
		r.unwind()
	}
	if err == nil {
		r.commit(tx, loc)
		return nil
	}
	if judge == nil {
		judge = r.assertionIn
	}
	if f := judge(err); f != nil {
		f.Name = name
		r.failure(f)
	}
	r.abort(tx, loc, err.Error())
	return err
}

// assertionIn is the failure that err carries, or nil for an ordinary error.
func (r *run) assertionIn(err error) *Failure {
	if e, ok := errors.AsType[*AssertionError](err); ok {
		return &Failure{Kind: Assertion, Message: err.Error(), At: r.client.Location(r.client.locs.intern(e.pcs))}
	}
	return nil
}
