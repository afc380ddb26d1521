package program

import "github.com/txmc/txmc/program/behaviour"

// Root returns the root of the behaviour tree of a session. It runs client code
// the first time.
func (c *Client) Root(session int) (*behaviour.Node, error) {
	if err := c.awaitTurn(); err != nil {
		return nil, err
	}
	defer c.give()
	t := &c.trees[session]
	if t.root != nil {
		return t.root, nil
	}
	if err := c.Again(); err != nil {
		return nil, err
	}
	r := c.newRun(session, sessionBody)
	if err := c.advance(r); err != nil {
		return nil, err
	}
	t.root = r.first
	c.grow(t.root)
	return t.root, nil
}

// Child returns the node that follows n, which waits for an answer, when the answer is v.
// Where no run has recorded it yet, Child runs client code. It lets the session's coroutine
// go on if that waits at n. Else it runs the session again from the start, and checks on the
// way that the session does what it did before.
func (c *Client) Child(n *behaviour.Node, v behaviour.ValueID) (*behaviour.Node, error) {
	if err := c.Err(); err != nil {
		return nil, err
	}
	if k := n.Known(v); k != nil {
		return k, nil
	}
	if err := c.awaitTurn(); err != nil {
		return nil, err
	}
	defer c.give()
	if k := n.Known(v); k != nil {
		return k, nil
	}
	if err := c.Again(); err != nil { // a run would meet what has become known, and differ
		return nil, err
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
	n.Add(v, r.first)
	c.grow(r.first)
	return r.first, nil
}

// advance lets r record up to its next wait and keeps it if it waits.
func (c *Client) advance(r *run) error {
	if err := r.resume(); err != nil {
		r.close()
		return err
	}
	if c.anew.Load() != nil {
		r.close()
		return ErrAgain
	}
	t := &c.trees[r.session]
	if !r.ended {
		t.live = r
		return nil
	}
	r.close()
	t.leaves++
	return c.recheck(r.last)
}

// replay runs the session of n from a fresh call of the Explore function along
// the path to n.
func (c *Client) replay(n *behaviour.Node) (*run, error) { return c.runAlong(n, "", sessionBody) }

// runAlong runs a body that goes along the path to n; an error says after what.
func (c *Client) runAlong(n *behaviour.Node, after string, body func(*run)) (*run, error) {
	r := c.newRun(int(n.Session), body)
	r.after = after
	r.along(n)
	if err := r.resume(); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// along makes r go along the path to n.
func (p *path) along(n *behaviour.Node) {
	p.expect = n.Path()
	for _, m := range p.expect[1:] {
		if m.Before().Waits {
			p.script = append(p.script, m.Value())
		}
	}
}

// sessionBody is what the coroutine of a session does after the declarations.
func sessionBody(r *run) {
	r.begins()
	r.sameShape()
	if r.session < len(r.program.sessions) {
		r.live(func() {
			if !r.leavesOut(-1) {
				r.program.sessions[r.session].body(&Session{r})
			}
		})
		return
	}
	r.live(func() {
		if r.leavesOut(-1) {
			return
		}
		for _, f := range r.program.finals {
			r.transact(f.name, f.loc, f.body, r.finalFailure(f))
		}
	})
}
