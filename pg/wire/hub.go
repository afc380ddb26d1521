package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Server is one backend of PostgreSQL's: it answers whole messages.
type Server interface {
	Exchange(messages []byte) (answers []byte, err error)
}

// Watcher is told of what the connections do.
type Watcher interface {
	// Statement is called before a statement is sent to the server, on the
	// goroutine that waits for it. Its error ends the connection.
	Statement(text string) error
	// Refuse ends the exploration: what the client does cannot be explored.
	Refuse(message string) error
}

// Hub shares one server among the connections of a session. The server has one
// transaction at a time: a statement on a connection while another has one open
// is refused.
type Hub struct {
	server Server
	watch  Watcher
	conns  int
	open   *Conn // has a transaction open
}

// NewHub returns a hub without connections.
func NewHub(s Server, w Watcher) *Hub { return &Hub{server: s, watch: w} }

// Dial opens a connection.
func (h *Hub) Dial() *Conn {
	h.conns++
	return newConn(h, h.conns-1)
}

// InTransaction reports whether a connection has a transaction open.
func (h *Hub) InTransaction() bool { return h.open != nil }

// ErrTwoTransactions is why a statement is refused.
var ErrTwoTransactions = errors.New("a statement on one connection while a transaction is open on another")

// begins is called before a statement.
func (h *Hub) begins(c *Conn, text string) error {
	if h.open != nil && h.open != c {
		message := fmt.Sprintf("the statement %q is sent on a second connection while a transaction is open on the first: "+
			"a session has one transaction at a time; send it on the transaction, or let another session do it", shorten(text))
		if err := h.watch.Refuse(message); err != nil {
			return err
		}
		return ErrTwoTransactions
	}
	return h.watch.Statement(text)
}

// exchange lets the server answer and notes whether a transaction is open then.
func (h *Hub) exchange(c *Conn, m []byte) ([]byte, error) {
	out, err := h.server.Exchange(m)
	if err != nil {
		return out, err
	}
	switch status(out) {
	case 0:
	case 'I':
		if h.open == c {
			h.open = nil
		}
	default:
		h.open = c
	}
	return out, nil
}

// Canceller is a Server whose statement can be ended from another goroutine.
type Canceller interface{ Cancel() }

// cancel ends the statement that runs, if the server can.
func (h *Hub) cancel() {
	if s, ok := h.server.(Canceller); ok {
		s.Cancel()
	}
}

// left rolls back what a connection that goes away has open.
func (h *Hub) left(c *Conn) error {
	if h.open != c {
		return nil
	}
	_, err := h.exchange(c, query("ROLLBACK"))
	return err
}

// query is a simple query's message.
func query(sql string) []byte {
	m := binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(sql)+5))
	return append(append(m, sql...), 0)
}

// status is the state in the last ReadyForQuery among the answers: I idle, T in a
// transaction, E in one that failed; 0 when there is none.
func status(answers []byte) byte {
	var s byte
	for kind, body := range messages(answers) {
		if kind == 'Z' && len(body) == 1 {
			s = body[0]
		}
	}
	return s
}

// messages yields types and bodies of whole messages.
func messages(b []byte) func(yield func(byte, []byte) bool) {
	return func(yield func(byte, []byte) bool) {
		for len(b) >= 5 {
			n := int(binary.BigEndian.Uint32(b[1:])) + 1
			if n < 5 || n > len(b) || !yield(b[0], b[5:n]) {
				return
			}
			b = b[n:]
		}
	}
}

// shorten cuts a statement for a message.
func shorten(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
