package proxy

import "github.com/txmc/txmc/program/behaviour"

// A session may have several connections, one at a time in use: that of the node at which the
// session stands.

// connection is one of a session's.
type connection struct {
	link    Link   // nil before its first statement
	startup string // with which it has begun

	// For its open transaction:
	shown bool // it has run a statement that others may notice
	saved bool // it has savepoints
	reads bool // all that it has run only read
}

// connections are those of a session; that in use is not up to date in the list.
type connections struct {
	connection
	at   int
	list []connection
}

func newConnections() connections {
	return connections{connection: connection{reads: true}, list: make([]connection, 1)}
}

// use goes on with another connection.
func (c *connections) use(n int) {
	if n == c.at {
		return
	}
	c.list[c.at] = c.connection
	for n >= len(c.list) {
		c.list = append(c.list, connection{reads: true})
	}
	c.at, c.connection = n, c.list[n]
}

// each calls f with the connections that the server has.
func (c *connections) each(f func(*connection)) {
	for n := range c.list {
		one := &c.list[n]
		if n == c.at {
			one = &c.connection
		}
		if one.link != nil {
			f(one)
		}
	}
}

// open reports whether a transaction is open on some connection.
func (c *connections) open() (is bool) {
	c.each(func(one *connection) { is = is || one.link.Status() != 'I' })
	return is
}

// hanging says that sessions wait for ever.
type hanging struct{ hung *behaviour.Failure }

// hang is the failure of a session that waits for an idle connection of a session that waits: its
// own, or another one's. Nobody can go on then. It is nil where there is none.
func (x *execution) hang() *behaviour.Failure {
	for i := range x.sessions {
		s := &x.sessions[i]
		if !s.busy {
			continue
		}
		ids, err := x.db.Blockers(x.ctx, s.link)
		if err != nil {
			continue
		}
		for _, id := range ids {
			if x.idles(id) {
				n := s.node
				return &behaviour.Failure{Kind: behaviour.Hang, Session: i, Txn: int(n.Txn), Name: n.Transaction(), At: x.client.Location(n.Loc),
					Message: "the statement waits for a connection of a session that waits itself, and no session can go on"}
			}
		}
	}
	return nil
}

// idles reports whether a connection is one that a session does not use while it waits on another.
func (x *execution) idles(id string) (is bool) {
	for i := range x.sessions {
		s := &x.sessions[i]
		s.each(func(c *connection) { is = is || s.busy && c != &s.connection && c.link.ID() == id })
	}
	return is
}
