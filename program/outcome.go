package program

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/program/behaviour"
)

// Outcome is what an [Program.Invariant] judges: one complete history as its
// clients saw it. It does not tell in which order transactions of different
// sessions committed: that is not part of a history.
type Outcome struct {
	Sessions []SessionOutcome // in the order of declaration
	Finals   []TxnOutcome     // in the order of declaration
}

// SessionOutcome is what one session did and observed.
type SessionOutcome struct {
	Name         string
	Txns         []TxnOutcome  // in session order
	Observations []Observation // in the order made
}

// TxnOutcome is the fate of a transaction, and the values it read and wrote.
type TxnOutcome struct {
	Name      string
	Committed bool
	Err       string   // of an aborted one: the error's message
	Reads     []Access // all reads in order, of its own writes too
	Writes    []Access // all writes in order
}

// Access is a key and the value read from it or written to it.
type Access struct {
	Key   string
	Value any
}

// Observation is a value recorded by [Session.Observe].
type Observation struct {
	Name  string
	Value any
}

// Session returns the outcome of the named session. It panics when no session
// has that name.
func (o *Outcome) Session(name string) *SessionOutcome {
	for i := range o.Sessions {
		if o.Sessions[i].Name == name {
			return &o.Sessions[i]
		}
	}
	panic(fmt.Sprintf("txmc: no session %q in the outcome", name))
}

// Observed returns the values that the session observed under name, in order.
func (s *SessionOutcome) Observed(name string) []any {
	var values []any
	for _, o := range s.Observations {
		if o.Name == name {
			values = append(values, o.Value)
		}
	}
	return values
}

// Txn returns the outcomes of the session's transactions of that name, in
// session order.
func (s *SessionOutcome) Txn(name string) []TxnOutcome {
	var list []TxnOutcome
	for _, t := range s.Txns {
		if t.Name == name {
			list = append(list, t)
		}
	}
	return list
}

// Invariants returns the number of invariants that the program declares.
func (c *Client) Invariants() int { return len(c.shape.invariants) }

// Judge runs the invariants on the complete history whose sessions ended at the
// given nodes, one for each session, and returns those that fail.
func (c *Client) Judge(ends []*behaviour.Node) ([]*behaviour.Failure, error) {
	if err := c.awaitTurn(); err != nil {
		return nil, err
	}
	defer c.give()
	var failures []*behaviour.Failure
	for i := range c.shape.invariants {
		failure, err := c.judge(ends, i)
		if err != nil {
			return nil, err
		}
		if failure != nil {
			failures = append(failures, failure)
		}
		if err := c.rejudge(judgedOutcome{slices.Clone(ends), i, failure != nil}); err != nil {
			return nil, err
		}
	}
	return failures, nil
}

// judge runs the invariant i on a complete history and returns its failure, nil
// when it holds.
func (c *Client) judge(ends []*behaviour.Node, i int) (failure *behaviour.Failure, err error) {
	return c.judgeAfter(nil, ends, i)
}

// judgeAfter is judge in a call of the Explore function in which sessions have run.
func (c *Client) judgeAfter(sessions, ends []*behaviour.Node, i int) (failure *behaviour.Failure, err error) {
	d := c.shape.invariants[i]
	r := c.newRun(-1, func(r *run) {
		r.sameShape()
		for _, end := range sessions {
			if !r.follows(end, "") {
				return
			}
		}
		r.begins()
		o := c.outcome(ends)
		returned := r.guard(func() {
			if err := r.program.invariants[i].check(o); err != nil {
				failure = &behaviour.Failure{Kind: behaviour.InvariantError, Message: err.Error(), At: c.Location(d.loc)}
				if f := r.assertionIn(err); f != nil {
					failure.At = f.At
				}
			}
		})
		if err := r.err.Load(); !returned && err.Kind == behaviour.Crashed {
			failure = &behaviour.Failure{Kind: behaviour.Panic, Message: r.panicText, At: err.At, Stack: err.Stack}
			r.err.Store(nil)
		}
	})
	if err := c.complete(r); err != nil {
		return nil, err
	}
	if failure != nil {
		failure.Session, failure.Txn, failure.Name, failure.Message = -1, -1, d.name, behaviour.CutMessage(failure.Message)
	}
	return failure, nil
}

func (c *Client) outcome(ends []*behaviour.Node) *Outcome {
	o := &Outcome{}
	for i, end := range ends {
		s := SessionOutcome{Name: c.SessionName(i)}
		c.follow(&s, end)
		if i == c.Final() {
			o.Finals = s.Txns
		} else {
			o.Sessions = append(o.Sessions, s)
		}
	}
	return o
}

// follow collects what happened on the path to end.
func (c *Client) follow(s *SessionOutcome, end *behaviour.Node) {
	var t *TxnOutcome // the one that has begun last
	begun := map[int32]*TxnOutcome{}
	path := end.Path()
	for i, n := range path {
		for _, e := range n.Events {
			switch e.Kind {
			case behaviour.BeginEvent:
				t = &TxnOutcome{Name: e.Text}
				begun[int32(len(begun))] = t
			case behaviour.WriteEvent:
				t.Writes = append(t.Writes, Access{c.RawKey(e.Var), c.Value(e.Val)})
			case behaviour.OwnReadEvent:
				t.Reads = append(t.Reads, Access{c.RawKey(e.Var), c.Value(e.Val)})
			case behaviour.ObserveEvent:
				s.Observations = append(s.Observations, Observation{e.Text, c.Value(e.Val)})
			}
		}
		of := begun[n.Txn]
		if of == nil { // n is in no transaction
			continue
		}
		if n.Waits && i+1 < len(path) {
			c.answered(of, n, path[i+1].Value())
		}
		switch n.Kind {
		case behaviour.Commit:
			of.Committed = of.Err == ""
			s.Txns = append(s.Txns, *of)
		case behaviour.Abort:
			of.Err = n.Text
			s.Txns = append(s.Txns, *of)
		}
	}
}

// answered adds an operation of a transaction with its answer.
func (c *Client) answered(t *TxnOutcome, n *behaviour.Node, answer behaviour.ValueID) {
	err := behaviour.ErrorOf(answer)
	switch {
	case err != nil && err.GoesOn(), answer == behaviour.NoRow:
	case err != nil:
		t.Err = err.Error()
	case n.Kind == behaviour.Ask:
		c.answeredQuery(t, n.Query, answer)
	case n.Kind == behaviour.BackTo:
		t.Err = ""
	case n.Kind == behaviour.Read || n.Kind == behaviour.Find:
		t.Reads = append(t.Reads, Access{c.RawKey(n.Var), c.Value(answer)})
	case n.Kind == behaviour.Set || n.Kind == behaviour.Change && n.Matches:
		t.Writes = append(t.Writes, Access{c.RawKey(n.Var), c.Value(n.Val)})
	}
}

// answeredQuery adds a statement on a table with its answer. Which rows a DELETE without
// a key has met is not known.
func (c *Client) answeredQuery(t *TxnOutcome, q *behaviour.Query, answer behaviour.ValueID) {
	switch q.Verb {
	case behaviour.InsertRow:
		if n, _ := c.Value(answer).(int); n == 1 && q.Conflict != behaviour.UpdateOnConflict { // which may have changed a row instead
			t.Writes = append(t.Writes, Access{c.RawKey(q.Var), c.Value(q.Val)})
		}
	case behaviour.DeleteRows:
		if n, _ := c.Value(answer).(int); n > 0 && q.ByKey {
			t.Writes = append(t.Writes, Access{c.RawKey(q.Var), nil})
		}
	case behaviour.SelectRows, behaviour.UpdateRows:
		for _, i := range c.Listed(answer) {
			t.Reads = append(t.Reads, Access{c.RawKey(i.Var), c.Value(i.Val)})
			if v, ok := q.Verdict(i.Var, i.Val); ok && q.Verb == behaviour.UpdateRows {
				t.Writes = append(t.Writes, Access{c.RawKey(i.Var), c.Value(v.Val)})
			}
		}
	}
}
