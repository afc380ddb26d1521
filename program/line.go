package program

import "github.com/txmc/txmc/program/behaviour"

// On a known path the tree has the lines of a run's calls, and nobody looks at the lines of its
// declarations. Looking at the stack takes most of an operation's time. So the stack is looked at
// only for what is new or differs. Until that is known a call's line is unseen. It never gets
// into a tree.

// unseen is the line of a call of the API that is under way, which here finds.
const unseen behaviour.Loc = -1

// caller is the user's line that called the API, unseen where the tree or the first call of the
// Explore function may have it.
func (r *run) caller() behaviour.Loc {
	if r.placed != 0 {
		return r.placed
	}
	if len(r.expect) > 0 {
		return unseen
	}
	return r.client.caller()
}

// here is l, or the user's line of the call that is under way.
func (r *run) here(l behaviour.Loc) behaviour.Loc {
	switch {
	case l != unseen:
		return l
	case r.placed != 0:
		return r.placed
	}
	return r.client.caller()
}

// happens records an event and returns its line. On a known path an event has the line that it had before.
func (r *run) happens(e behaviour.Event) behaviour.Loc {
	if e.Loc == unseen {
		if known := r.known(); known != nil && known.Same(e) {
			e.Loc = known.Loc
		}
	}
	e.Loc = r.here(e.Loc)
	r.events = append(r.events, e)
	return e.Loc
}

// known is the event that comes next on a known path; nil where the tree has none.
func (r *run) known() *behaviour.Event {
	if i := len(r.events); len(r.expect) > 0 && i < len(r.expect[0].Events) {
		return &r.expect[0].Events[i]
	}
	return nil
}

// caller is the user's line that called into this package.
func (c *Client) caller() behaviour.Loc {
	if l := c.locs.Intern(behaviour.Capture()); l != 0 {
		return l
	}
	return c.locs.Position(c.locs.User(behaviour.Stack()))
}

// Location returns the source line that l stands for.
func (c *Client) Location(l behaviour.Loc) behaviour.Location { return c.locs.At(l) }
