package dpor

import (
	"slices"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
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
	// Requests: each request of a statement is a step, and a woken one goes on whenever it likes.
	// It is there to be compared with.
	Requests
)

// pauses reports whether others may run before the session, which is in the middle of a
// statement, goes on.
func (d *database) pauses(m *moment, i int) bool {
	s, ok := m.rows.(model.Stepwise)
	if !ok || d.grain == Statements || s.Tables() == 0 {
		return false
	}
	if d.grain == Points && (!apart(s, m.nodes[i]) || d.last(m, i)) {
		return false
	}
	s.Pause(i)
	return true
}

// apart reports whether an operation may meet what other sessions do.
func apart(s model.Stepwise, n *program.Node) bool {
	switch n.Kind {
	case program.Serve:
		return s.Apart(int(n.Session), n.Request)
	case program.Commit, program.Abort:
		return s.Holds(int(n.Session))
	}
	return true
}

// last reports whether no other session can do anything before this one has gone on.
func (d *database) last(m *moment, i int) bool {
	if m.choices = m.rows.Pending(m.choices[:0]); len(m.choices) > 0 {
		return false
	}
	x, expires := m.rows.(model.Expiring)
	return !slices.ContainsFunc(m.nodes, func(n *program.Node) bool {
		j := int(n.Session)
		return j != i && j != d.final && n.Kind != program.End && (!m.rows.Blocked(j) || expires && d.races && x.Expires(j))
	})
}

// settles reports whether a choice that timing leaves open has no alternative.
func (d *database) settles(m *moment) bool {
	return len(m.choices) == 1 && (!d.lazy(m) || m.choices[0].Kind != model.RunTask)
}

// urgent reports whether what timing leaves open comes before all steps of sessions.
func (d *database) urgent(m *moment) bool {
	return slices.ContainsFunc(m.choices, func(c model.Choice) bool { return !d.lazy(m) || c.Kind != model.RunTask })
}

// lazy reports whether others may run before a woken session goes on. Who waits for the victim
// of a deadlock goes on first: else the victim, which tries again, could meet it again and again.
func (d *database) lazy(m *moment) bool {
	s, ok := m.rows.(model.Stepwise)
	return ok && d.grain == Requests && !m.fair && !s.Woken(-1)
}
