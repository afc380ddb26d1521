package states

import "github.com/txmc/txmc/isolation/model"

// Executions whose sessions do what somebody gives them, as who types statements: see
// program.Session.Given. What has been looked at before, also from a clone, is not run again.

// Give gives a session what it asks for. It goes on to its next operation.
func (x *Execution) Give(session int, text string) error {
	d := &x.e.database
	v, err := d.prog.Gives(text)
	if err != nil {
		return err
	}
	if err = d.goOn(x.m, session, v); err == nil {
		err = d.load(x.m)
	}
	if err == nil {
		err = d.skip(x.m, session)
	}
	d.enable(x.m)
	return err
}

// Run lets a session make its next step while what timing decides is left open: the victim of a
// deadlock has not been found yet.
func (x *Execution) Run(session int) error {
	return x.Take(model.Choice{Kind: model.RunSession, N: int8(session)})
}

// Has reports whether the choice may come next.
func (x *Execution) Has(c model.Choice) bool { return x.m.has(c) }

// Blocked reports whether a session's statement waits for other sessions.
func (x *Execution) Blocked(session int) bool { return x.m.blocked(session) }

// Expires reports whether a session waits with a time limit, which may end the wait: a choice of kind
// TimeOut, also where the victim of a deadlock is to be found.
func (x *Execution) Expires(session int) bool {
	e, ok := x.m.rows.(model.Expiring)
	return ok && e.Expires(x.m.server(session))
}

// Woken is the session that goes on by a choice of kind RunTask, -1 when it is none's.
func (x *Execution) Woken(c model.Choice) int {
	w, ok := x.m.rows.(interface{ Task(n int) int })
	if !ok {
		return -1
	}
	if server := w.Task(int(c.N)); server >= 0 {
		return x.m.session(server)
	}
	return -1
}
