package program

import "fmt"

// How many of a session's first behaviours are run again to see whether they
// repeat, and how often; later ones are run again one in recheckEvery.
const (
	recheckFirst = 16
	recheckTimes = 4
	recheckEvery = 16
)

// Root returns the root of the behaviour tree of a session. It runs client code
// the first time.
func (c *Client) Root(session int) (*Node, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &c.trees[session]
	if t.root != nil {
		return t.root, nil
	}
	r := c.newRun(session, c.sessionBody(session))
	if err := c.advance(r); err != nil {
		return nil, err
	}
	t.root = r.first
	return t.root, nil
}

// Child returns the node after the Read n when it returns v. It runs client code
// when no run has recorded that yet: it lets the session's coroutine go on if it
// waits at n, and otherwise runs the session again from the start, checking on
// the way that it does what it did before.
func (c *Client) Child(n *Node, v ValueID) (*Node, error) {
	if k := n.Known(v); k != nil {
		return k, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := n.Known(v); k != nil {
		return k, nil
	}
	t := &c.trees[n.Session]
	if t.live == nil || t.live.last != n {
		c.retire(int(n.Session))
		r, err := c.replay(n)
		if err != nil {
			return nil, err
		}
		t.live = r
	}
	r := t.live
	t.live = nil
	r.answer, r.first = v, nil
	if err := c.advance(r); err != nil {
		return nil, err
	}
	n.addKid(v, r.first)
	return r.first, nil
}

// advance lets r record up to its next wait and keeps it if it waits.
func (c *Client) advance(r *run) error {
	if err := r.resume(); err != nil {
		r.close()
		return err
	}
	if !r.ended {
		c.trees[r.session].live = r
		return nil
	}
	r.close()
	t := &c.trees[r.session]
	t.leaves++
	times := 0
	switch {
	case t.leaves <= recheckFirst:
		times = recheckTimes
	case t.leaves%recheckEvery == 0:
		times = 1
	}
	for range times {
		again, err := c.replay(r.last)
		if err != nil {
			return err
		}
		again.close()
	}
	return nil
}

// replay runs the session of n from a fresh call of the Explore function along
// the path to n.
func (c *Client) replay(n *Node) (*run, error) {
	r := c.newRun(int(n.Session), c.sessionBody(int(n.Session)))
	r.expect = n.Path()
	for _, m := range r.expect[1:] {
		if m.parent.Kind == Read {
			r.script = append(r.script, m.via)
		}
	}
	if err := r.resume(); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// sessionBody is what the coroutine of a session does after the declarations.
func (c *Client) sessionBody(session int) func(*run) {
	return func(r *run) {
		if !c.sameShape(r) {
			return
		}
		if session < len(r.program.sessions) {
			r.live(func() { r.program.sessions[session].body(&Session{r}) })
			return
		}
		r.live(func() {
			for _, f := range r.program.finals {
				r.transact(f.name, f.loc, f.body, r.finalFailure(f))
			}
		})
	}
}

// finalFailure makes every error of a Final a failure of the history.
func (r *run) finalFailure(d finalDecl) func(error) *Failure {
	return func(err error) *Failure {
		f := r.assertionIn(err)
		if f == nil {
			f = &Failure{Message: err.Error(), At: r.client.Location(d.loc)}
		}
		f.Kind = FinalError
		return f
	}
}

// differs compares a point of a known path with the one just reached. Values
// are interned, so that events compare as integers; lines, messages of errors
// and failures are not compared.
func (r *run) differs(known, got *Node) *Error {
	was, is := r.steps(known), r.steps(got)
	for i := range max(len(was), len(is)) {
		a, b := step{text: "nothing more"}, step{text: "nothing more"}
		if i < len(was) {
			a = was[i]
		}
		if i < len(is) {
			b = is[i]
		}
		if a.event.Kind == b.event.Kind && a.event.Var == b.event.Var && a.event.Val == b.event.Val && a.event.Text == b.event.Text && a.kind == b.kind {
			continue
		}
		c := r.client
		la, lb := c.Location(a.event.Loc), c.Location(b.event.Loc)
		return &Error{Kind: Nondeterminism, Program: c.Name, Session: r.name(), At: lb, Message: fmt.Sprintf(
			"the session is not deterministic: after the same reads it did %s (%s) in one run and %s (%s) in another; "+
				"its operations may depend on the values it reads only, not on map order, time, random numbers, goroutines or package variables",
			a.text, place(la), b.text, place(lb))}
	}
	return nil
}

func place(l Location) string {
	if l.File == "" {
		return "line unknown"
	}
	return l.String()
}

type step struct {
	event Event
	kind  Kind
	text  string
}

// steps lists the events of n and its own, in words.
func (r *run) steps(n *Node) []step {
	c := r.client
	var list []step
	for _, e := range n.Events {
		s := step{event: e, kind: 255}
		switch e.Kind {
		case BeginEvent:
			s.text = fmt.Sprintf("begin %q", e.Text)
		case WriteEvent:
			s.text = fmt.Sprintf("write %s = %s", c.Key(e.Var), c.Format(e.Val))
		case OwnReadEvent:
			s.text = fmt.Sprintf("read %s = %s", c.Key(e.Var), c.Format(e.Val))
		case ObserveEvent:
			s.text = fmt.Sprintf("observe %s = %s", e.Text, c.Format(e.Val))
		case FailEvent:
			s.text = "fail: " + e.Text
			s.event.Text = ""
		}
		list = append(list, s)
	}
	last := step{event: Event{Var: n.Var, Loc: n.Loc}, kind: n.Kind}
	switch n.Kind {
	case Read:
		last.text = "read " + c.Key(n.Var)
	case Commit:
		last.text = "commit"
	case Abort:
		last.text = "abort"
	case End:
		last.text = "end of the session"
	}
	return append(list, last)
}
