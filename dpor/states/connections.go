package states

import (
	"fmt"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/behaviour"
)

// A session's connections are sessions of the server's. Connection c of session s is server
// session c·n + s of a program of n sessions. So a program of one connection a session has the
// same numbers as its sessions, and the number of a connection does not depend on how many the
// others have open. A session does one operation at a time: a choice names the session, and its
// node the connection.

// server is the server session that session i uses now.
func (m *state) server(i int) int { return m.serverOf(m.nodes[i]) }

// serverOf is the server session that a node uses.
func (m *state) serverOf(n *behaviour.Node) int { return int(n.Conn)*len(m.nodes) + int(n.Session) }

// session is the session that a server session belongs to.
func (m *state) session(server int) int { return server % len(m.nodes) }

// servers yields the server sessions of session i.
func (m *state) servers(i int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		all := len(m.nodes)
		if s, ok := m.rows.(model.Storage); ok {
			all = s.Sessions()
		}
		for s := i; s < all; s += len(m.nodes) {
			if !yield(s) {
				return
			}
		}
	}
}

// blocked reports whether the session's operation waits.
func (m *state) blocked(i int) bool { return m.rows.Blocked(m.server(i)) }

// open reports whether the session has a transaction open on some connection.
func (m *state) open(i int) bool {
	for s := range m.servers(i) {
		if m.rows.Open(s) {
			return true
		}
	}
	return false
}

// waitsFor is the set of the sessions for which session i waits, a bit for each: its own, where
// another connection of the session has what this one needs.
func (m *state) waitsFor(i int) (set uint64) {
	on := m.rows.WaitsFor(m.server(i))
	for s := 0; on>>s != 0; s++ {
		if on>>s&1 != 0 {
			set |= 1 << m.session(s)
		}
	}
	return set
}

// connect makes room for the connection of a node.
func (d *database) connect(m *state, n *behaviour.Node) error {
	s, ok := m.rows.(model.Storage)
	if !ok || n.Conn == 0 || m.serverOf(n) < s.Sessions() {
		return nil
	}
	if all := (int(n.Conn) + 1) * len(m.nodes); all > maxSessions {
		return d.refuse(n, fmt.Sprintf("%d sessions of %d connections: a database's model has at most %d connections. "+
			"Give the session's pool fewer, as by SetMaxOpenConns", len(m.nodes), n.Conn+1, maxSessions))
	} else {
		s.Grow(all)
	}
	return nil
}

// leave ends the server sessions of a session that has ended.
func (m *state) leave(i int) {
	if s, ok := m.rows.(model.Storage); ok && m.nodes[i].Kind == behaviour.End {
		for server := range m.servers(i) {
			s.Leave(server)
		}
	}
}

// pending lists what only timing decides, with sessions in place of server sessions.
func (m *state) pending() {
	m.choices = m.rows.Pending(m.choices[:0])
	for i := range m.choices {
		if c := &m.choices[i]; c.Kind == model.FailVictim {
			c.N = int8(m.session(int(c.N)))
		}
	}
}

// inServers is a choice as the model has it.
func (m *state) inServers(c model.Choice) model.Choice {
	if c.Kind == model.FailVictim || c.Kind == model.TimeOut {
		c.N = int8(m.server(int(c.N)))
	}
	return c
}

// rank is what a session has in the database, on all connections, as a number: see
// model.Permutable. Connections that are not used add nothing.
func (m *state) rank(rows model.Permutable, i int) (rank uint64) {
	const prime = 1099511628211
	some, weight := uint64(0), uint64(1)
	for s := range m.servers(i) {
		r := rows.Rank(s)
		some |= r
		rank += r * weight
		weight *= prime
	}
	if some != 0 && rank == 0 {
		return 1
	}
	return rank
}

// inServers is a permutation of sessions as one of the image's server sessions.
func (a *alike) inServers(to []int8) []int8 {
	s, ok := a.image.(model.Storage)
	if !ok || s.Sessions() == len(to) {
		return to
	}
	a.wide = a.wide[:0]
	for server := range s.Sessions() {
		n := len(to)
		a.wide = append(a.wide, int8(server-server%n)+to[server%n])
	}
	return a.wide
}
