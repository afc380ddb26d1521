package program

import (
	"fmt"

	"github.com/txmc/txmc/program/behaviour"
)

// await returns the value of an external read of x, locking or not.
func (r *run) await(x behaviour.VarID, lock bool, loc behaviour.Loc) behaviour.ValueID {
	if r.store != nil {
		v := r.store(x)
		r.happens(behaviour.Event{Kind: behaviour.OwnReadEvent, Var: x, Val: v, Loc: loc})
		return v
	}
	if lock {
		r.client.locks.Store(true)
	}
	return r.ask(&behaviour.Node{Kind: behaviour.Read, Operation: behaviour.Operation{Var: x, Lock: lock}, Loc: loc, Txn: int32(r.tx.index)})
}

// ask returns the answer that the session gets at n.
func (r *run) ask(n *behaviour.Node) behaviour.ValueID {
	n.Waits = true
	r.point(n)
	if len(r.script) > 0 {
		v := r.script[0]
		r.script = r.script[1:]
		return v
	}
	for {
		if !r.yield(n.Var) {
			r.unwind()
		}
		if r.question == nil {
			return r.answer
		}
		r.judge()
	}
}

// point reaches a node: on a known path it must be the one that the tree has,
// beyond it is recorded.
func (r *run) point(n *behaviour.Node) {
	n.Session, n.Events, n.Failures, n.Dropped = int32(r.session), r.events, r.failures, r.dropped
	n.Past, n.Joined, n.Conn = r.past, r.joined, r.conn
	r.events, r.joined = nil, false
	printed := r.takePrinted()
	if len(r.expect) > 0 {
		known := r.expect[0]
		r.expect = r.expect[1:]
		if err := r.differs(known, n); err != nil {
			r.fail(err)
		}
		r.last, r.failures = known, known.Failures
		r.receives()
		return
	}
	n.Loc = r.here(n.Loc)
	r.client.keepPrinted(n, printed)
	if r.session >= 0 {
		n.ID = r.client.nextID()
	}
	if r.first == nil {
		r.first = n
	}
	if r.last != nil {
		n.Follow(r.last, r.answer)
	}
	r.last = n
}

// differs compares a point of a known path with the one just reached. Values
// are interned, so that events compare as integers; lines, messages of errors
// and failures are not compared.
func (r *run) differs(known, got *behaviour.Node) *behaviour.Error {
	i := 0
	for i < min(len(known.Events), len(got.Events)) && known.Events[i].Same(got.Events[i]) {
		i++
	}
	if i == len(known.Events) && i == len(got.Events) && known.Same(got) {
		return nil
	}
	c := r.client
	got.Loc = r.here(got.Loc)
	was, wasAt := c.step(known, i, false)
	is, isAt := c.step(got, i, false)
	if was == is {
		was, _ = c.step(known, i, true)
		is, _ = c.step(got, i, true)
	}
	subject := "the session is"
	if r.session < 0 {
		subject = "Setup is"
	}
	return &behaviour.Error{Kind: behaviour.Nondeterminism, Program: c.Name, Session: r.name(), At: c.Location(isAt), Message: fmt.Sprintf(
		"%s not deterministic: after the same reads it did %s (%s) in one run and %s (%s) in another%s; "+
			"its operations may depend on the values it reads only, not on map order, time, random numbers, goroutines, "+
			"captured or package variables or the environment",
		subject, was, behaviour.LineOf(c.Location(wasAt)), is, behaviour.LineOf(c.Location(isAt)), r.after)}
}
