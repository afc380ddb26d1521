package states

import (
	"slices"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/behaviour"
)

// Points inside statements. A statement is many requests of an executor, and on a server
// others run between any two of them. A request that no other session can notice or hinder
// commutes with all that they do: it needs no point before it (a persistent set of one
// session: Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems",
// 1996, chapter 4). docs/databases.md has the argument.

// Steps is how much of a statement is a step under a database's model.
type Steps uint8

const (
	// Points: a statement goes on in the same step where no other session can notice.
	Points Steps = iota
	// Statements: a statement is a step, as on a server to which a client sends one
	// statement after another.
	Statements
	// Unbroken: as Points, but while a session is inside a statement nobody else goes on. Its
	// schedules are some of those of Points: a client can make them on a server.
	Unbroken
	// Requests: each request of a statement is a step, and a woken one goes on whenever it likes.
	// It is there to be compared with.
	Requests
)

// pauses reports whether others may run before the session, which is in the middle of a
// statement, goes on.
func (d *database) pauses(m *state, i int) bool {
	s, ok := m.rows.(model.Stepwise)
	if !ok || d.grain == Statements || s.Tables() == 0 {
		return false
	}
	if d.grain != Requests && !apart(s, m.server(i), m.nodes[i]) || !d.among(m, i) {
		return false
	}
	s.Pause(m.server(i))
	return true
}

// among reports whether another session can do something before this one, which is in the middle
// of a statement, goes on.
func (d *database) among(m *state, i int) bool {
	return d.grain == Requests || d.grain != Statements && !d.last(m, i)
}

// inside reports whether the session has made a part of a statement, and can go on with it.
func (m *state) inside(i int) bool {
	if m.blocked(i) {
		return false
	}
	s, ok := m.rows.(model.Stepwise)
	return m.nodes[i].Joins || ok && s.Paused(m.server(i))
}

// unbroken reports whether only sessions inside a statement may go on.
func (d *database) unbroken(m *state) bool {
	return d.grain == Unbroken && slices.ContainsFunc(m.nodes, func(n *behaviour.Node) bool { return m.inside(int(n.Session)) })
}

// apart reports whether an operation may meet what other sessions do.
func apart(s model.Stepwise, server int, n *behaviour.Node) bool {
	switch n.Kind {
	case behaviour.Serve:
		return s.Apart(server, n.Request)
	case behaviour.Commit, behaviour.Abort:
		return s.Holds(server)
	}
	return true
}

// last reports whether no other session can do anything before this one has gone on.
func (d *database) last(m *state, i int) bool {
	if m.pending(); len(m.choices) > 0 {
		return false
	}
	x, expires := m.rows.(model.Expiring)
	return !slices.ContainsFunc(m.nodes, func(n *behaviour.Node) bool {
		j := int(n.Session)
		return j != i && j != d.final && n.Kind != behaviour.End && (!m.blocked(j) || expires && d.races && x.Expires(m.server(j)))
	})
}

// settles reports whether a choice that timing leaves open has no alternative.
func (d *database) settles(m *state) bool {
	return len(m.choices) == 1 && (!d.lazy(m) || m.choices[0].Kind != model.RunTask)
}

// urgent reports whether what timing leaves open comes before all steps of sessions.
func (d *database) urgent(m *state) bool {
	return slices.ContainsFunc(m.choices, func(c model.Choice) bool { return !d.lazy(m) || c.Kind != model.RunTask })
}

// lazy reports whether others may run before a woken session goes on. Who waits for the victim
// of a deadlock goes on first: else the victim, which tries again, could meet it again and again.
func (d *database) lazy(m *state) bool {
	s, ok := m.rows.(model.Stepwise)
	return ok && d.grain == Requests && !m.fair && !s.Woken(-1)
}
