package program

import (
	"fmt"

	"github.com/txmc/txmc/program/behaviour"
)

// prepare declares the program and runs its Setups, twice, to notice what
// differs.
func (c *Client) prepare() error {
	if err := c.awaitTurn(); err != nil {
		return err
	}
	defer c.give()
	if c.explore == nil {
		return &behaviour.Error{Kind: behaviour.Misuse, Program: c.Name, Message: "the Explore function is nil"}
	}
	if err := c.complete(c.newRun(-1, func(r *run) { c.shape = r.program })); err != nil {
		return err
	}
	if len(c.shape.sessions) == 0 {
		return &behaviour.Error{Kind: behaviour.Misuse, Program: c.Name, Message: "it declares no session: call p.Session at least once"}
	}
	sessions := len(c.shape.sessions)
	if len(c.shape.finals) > 0 {
		sessions++
	}
	c.trees = make([]tree, sessions)
	last, _, err := c.setUp(nil)
	if err != nil {
		return err
	}
	if _, c.initial, err = c.setUp(last); err != nil {
		return err
	}
	c.lookOutside()
	return nil
}

// complete runs r, which waits for nothing, to its end.
func (c *Client) complete(r *run) error {
	defer r.close()
	return r.resume()
}

// setUp runs the Setups and returns where they ended and the initial values. It
// must do what the run that ended at before did.
func (c *Client) setUp(before *behaviour.Node) (*behaviour.Node, []behaviour.ValueID, error) {
	state := map[behaviour.VarID]behaviour.ValueID{}
	r := c.newRun(-1, nil)
	r.expect = before.Path()
	r.store = func(x behaviour.VarID) behaviour.ValueID { return state[x] }
	r.body = func(r *run) {
		r.sameShape()
		for _, d := range r.program.declared {
			if d.what == "variable" {
				state[c.variable(d.name)] = d.initial
			}
		}
		r.guard(func() {
			for _, s := range r.program.setups {
				if err := r.transact("Setup", s.loc, s.body, func(error) *behaviour.Failure { return nil }); err != nil {
					r.fail(&behaviour.Error{Kind: behaviour.Crashed, Program: c.Name, At: c.Location(s.loc), Message: fmt.Sprintf("Setup returned an error: %v", err)})
				}
				for _, w := range r.last.Writes {
					state[w.Var] = w.Val
				}
			}
		})
	}
	if err := c.complete(r); err != nil {
		return nil, nil, err
	}
	c.varMu.RLock()
	initial := make([]behaviour.ValueID, len(c.keys))
	c.varMu.RUnlock()
	for x, v := range state {
		initial[x] = v
	}
	return r.last, initial, nil
}

// sameShape ends r unless it declared what the first call of the Explore
// function declared.
func (r *run) sameShape() {
	was, is := r.client.shape.declared, r.program.declared
	for i := range max(len(was), len(is)) {
		if i < len(was) && i < len(is) && was[i].same(is[i]) {
			continue
		}
		at := behaviour.Location{}
		if i < len(is) {
			at = r.client.Location(is[i].loc)
		}
		r.fail(&behaviour.Error{Kind: behaviour.Nondeterminism, Program: r.client.Name, At: at, Message: fmt.Sprintf(
			"the Explore function declares %s in one call and %s in another: its declarations must be the same, in the same order, in every call",
			r.client.describeDeclaration(was, i), r.client.describeDeclaration(is, i))})
	}
}

func (d declaration) same(o declaration) bool {
	return d.what == o.what && d.name == o.name && d.initial == o.initial
}

func (c *Client) describeDeclaration(list []declaration, i int) string {
	if i == len(list) {
		return "nothing more"
	}
	d := list[i]
	text := d.what
	if d.name != "" {
		text = fmt.Sprintf("%s %q", d.what, d.name)
	}
	if d.what == "variable" {
		text += " = " + c.Format(d.initial)
	}
	return fmt.Sprintf("%s (%s)", text, behaviour.LineOf(c.Location(d.loc)))
}
