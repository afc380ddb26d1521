package states

import (
	"slices"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/behaviour"
)

// What may come next where several may: the choices of an exploration on a database.

// enable lists what may come next: what timing decides, or a step of a session. The
// session that made the last step comes first, so that the paths found first switch
// between sessions seldom. The Finals run when all others have ended.
func (d *database) enable(m *state) {
	m.pending()
	if d.urgent(m) {
		return
	}
	unbroken := d.unbroken(m)
	if m.last >= 0 && (!unbroken || m.inside(m.last)) {
		d.offer(m, m.last)
	}
	for i := range m.nodes {
		if i != m.last && (!unbroken || m.inside(i)) {
			d.offer(m, i)
		}
	}
	if !unbroken {
		d.expire(m)
	}
	if len(m.choices) == 0 && d.final >= 0 && m.nodes[d.final].Kind != behaviour.End && d.stuck(m) < 0 {
		m.choices = append(m.choices, model.Choice{Kind: model.RunSession, N: int8(d.final)})
	}
}

// stuck is a session that waits although nothing can come next, -1 without one: a circle of waits
// that the server does not find.
func (d *database) stuck(m *state) int {
	return slices.IndexFunc(m.nodes, func(n *behaviour.Node) bool { return m.rows.Blocked(m.serverOf(n)) })
}

// awaits reports whether a session waits for what somebody gives it.
func (m *state) awaits() bool {
	return slices.ContainsFunc(m.nodes, func(n *behaviour.Node) bool { return n.Kind == behaviour.Await })
}

func (d *database) offer(m *state, i int) {
	if d.lazy(m) && m.rows.(model.Stepwise).Woken(m.server(i)) {
		return
	}
	if i != d.final && !m.blocked(i) && m.nodes[i].Kind != behaviour.End && m.nodes[i].Kind != behaviour.Await {
		m.choices = append(m.choices, model.Choice{Kind: model.RunSession, N: int8(i)})
	}
}

// expire offers the ends of waits that have a time limit.
func (d *database) expire(m *state) {
	if x, ok := m.rows.(model.Expiring); ok && d.races {
		for i := range m.nodes {
			if x.Expires(m.server(i)) {
				m.choices = append(m.choices, model.Choice{Kind: model.TimeOut, N: int8(i)})
			}
		}
	}
}
