package program

import (
	"cmp"
	"fmt"
)

// await returns the value of an external read of x, locking or not.
func (r *run) await(x VarID, lock bool, loc Loc) ValueID {
	if r.store != nil {
		v := r.store(x)
		r.happens(Event{Kind: OwnReadEvent, Var: x, Val: v, Loc: loc})
		return v
	}
	if lock {
		r.client.locks.Store(true)
	}
	return r.ask(&Node{Kind: Read, Operation: Operation{Var: x, Lock: lock}, Loc: loc, Txn: int32(r.tx.index)})
}

// ask returns the answer that the session gets at n.
func (r *run) ask(n *Node) ValueID {
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
func (r *run) point(n *Node) {
	n.Session, n.Events, n.Failures, n.Dropped, n.parent = int32(r.session), r.events, r.failures, r.dropped, r.last
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
	n.keeps(r.client, printed)
	if r.session >= 0 {
		n.ID = r.client.nextID()
	}
	if r.first == nil {
		r.first = n
	}
	if r.last != nil {
		if r.last.Waits {
			n.via = r.answer
		} else {
			r.last.next = n
		}
	}
	r.last = n
}

// differs compares a point of a known path with the one just reached. Values
// are interned, so that events compare as integers; lines, messages of errors
// and failures are not compared.
func (r *run) differs(known, got *Node) *Error {
	i := 0
	for i < min(len(known.Events), len(got.Events)) && known.Events[i].same(got.Events[i]) {
		i++
	}
	if i == len(known.Events) && i == len(got.Events) && known.doesAs(got) {
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
	return &Error{Kind: Nondeterminism, Program: c.Name, Session: r.name(), At: c.Location(isAt), Message: fmt.Sprintf(
		"%s not deterministic: after the same reads it did %s (%s) in one run and %s (%s) in another%s; "+
			"its operations may depend on the values it reads only, not on map order, time, random numbers, goroutines, "+
			"captured or package variables or the environment",
		subject, was, lineOf(c.Location(wasAt)), is, lineOf(c.Location(isAt)), r.after)}
}

// doesAs reports whether both nodes do the same.
func (n *Node) doesAs(o *Node) bool {
	return n.Kind == o.Kind && n.Waits == o.Waits && n.Dropped == o.Dropped && n.OnDatabase == o.OnDatabase && n.Operation.same(&o.Operation)
}

func (e Event) same(o Event) bool {
	return e.Kind == o.Kind && e.Var == o.Var && e.Val == o.Val && (e.Text == o.Text || e.Kind == FailEvent)
}

// step describes the event i of n, or n itself after its events, and tells its
// line.
func (c *Client) step(n *Node, i int, typed bool) (string, Loc) {
	if i == len(n.Events) {
		return c.stop(n), n.Loc
	}
	e := n.Events[i]
	value := func() string {
		if typed {
			return fmt.Sprintf("%s of type %T", c.Format(e.Val), c.Value(e.Val))
		}
		return c.Format(e.Val)
	}
	text := ""
	switch e.Kind {
	case BeginEvent:
		text = fmt.Sprintf("begin %q", e.Text)
	case WriteEvent, ChangeEvent:
		text = fmt.Sprintf("write %s = %s", c.Key(e.Var), value())
	case OwnReadEvent:
		text = fmt.Sprintf("read %s = %s", c.Key(e.Var), value())
	case ObserveEvent:
		text = fmt.Sprintf("observe %s = %s", e.Text, value())
	case FailEvent:
		text = "fail: " + e.Text
	case StatementEvent:
		text = e.Text
	case UndoEvent:
		text = "rollback to a savepoint"
	case ShownEvent:
		text = "get another answer"
	case AnswerEvent:
		text = "get the answer " + e.Text
	case NoticeEvent:
		text = "get the message " + e.Text
	case RefuseEvent:
		text = "refuse"
	}
	return text, e.Loc
}

// stop describes what the session does at n.
func (c *Client) stop(n *Node) string {
	if n.Dropped {
		return "not hold what is assumed"
	}
	switch n.Kind {
	case Read:
		if n.Lock {
			return "read " + c.Key(n.Var) + cmp.Or(n.How, ForUpdate).String()
		}
		return "read " + c.Key(n.Var)
	case Commit:
		return "commit"
	case Abort:
		return "abort"
	case Ask:
		return c.queryText(n.Query)
	case Save, BackTo, Release:
		return n.Kind.String()
	case Set:
		return fmt.Sprintf("update %s to %s", c.Key(n.Var), c.Format(n.Val))
	case Find:
		return "update " + c.Key(n.Var)
	case Serve:
		return n.Request.Kind.String()
	case Relay:
		return n.Sent.String()
	case Await:
		return "wait for what is given"
	case Change:
		if !n.Matches {
			return "leave out " + c.Key(n.Var) + " of the update"
		}
		return fmt.Sprintf("update %s by a function to %s", c.Key(n.Var), c.Format(n.Val))
	default:
		return "end of the session"
	}
}

// lineOf is a location in a message.
func lineOf(l Location) string {
	if l.File == "" {
		return "line unknown"
	}
	return l.String()
}
