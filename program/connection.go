package program

import "github.com/txmc/txmc/program/behaviour"

// A session may have several connections to its database. Each is a session of the server's:
// it has a transaction, locks and settings of its own. The session's code is one sequence of
// operations all the same. Each node of its behaviour tree says on which connection it is.

// Connection returns the Backend of another connection of the session, which has a
// transaction of its own. Connections are numbered from 0, that of [Session.Backend].
// Statements of a session still come one after another, whatever their connections.
func (b *Backend) Connection(n int) *Backend {
	if n == 0 || b.final {
		return b
	}
	return &Backend{run: b.run, conn: int32(n)}
}

// Number is the number of the connection among the session's, from 0.
func (b *Backend) Number() int { return int(b.conn) }

// KeepsAtEnd gives what to say, and of which line, where the session ends and its connections
// keep something that others may wait for: "" for nothing. It makes the history a violation. It is
// the Backend of connection 0 that is asked.
func (b *Backend) KeepsAtEnd(f func() (behaviour.Location, string)) { b.keeps = f }

// keepsAtEnd notes what the session's connections keep.
func (r *run) keepsAtEnd() {
	if r.backend == nil || r.backend.keeps == nil {
		return
	}
	if at, message := r.backend.keeps(); message != "" {
		r.failure(&behaviour.Failure{Kind: behaviour.Kept, Message: message, At: at})
	}
}

// uses notes that the session uses the connection.
func (b *Backend) uses() {
	b.run.conn = b.conn
	if b.tx != nil {
		b.run.tx = b.tx
	}
}
