package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/txmc/txmc/program/rows"
	"github.com/txmc/txmc/program/served"
)

// Server is one backend of PostgreSQL's: it answers whole messages.
type Server interface {
	Exchange(messages []byte) (answers []byte, err error)
}

// Watcher watches what the connections do.
type Watcher interface {
	// Statement is called before a statement is sent to the server, on the
	// goroutine that waits for it. Its error ends the connection.
	Statement(text string) error
	// Refuse ends the exploration: what the client does cannot be explored.
	Refuse(message string) error
}

// Hub shares one server among connections of a session. The server has one
// transaction at a time: a statement on a connection while another has one open
// is refused. Where each connection has a server of its own, each has a hub, and the hubs have
// their Turn together.
type Hub struct {
	// Rewrite, unless nil, gives the statement that is sent in place of one.
	Rewrite func(sql string) string
	// Level, unless nil, is PostgreSQL's name of the level of transactions that ask for
	// none. A connection may set its own level in its place. "" is the server's
	// default.
	Level func() string

	sql  string   // the statement that runs, with parameters
	args []string // theirs, as literals

	turn   *served.Turn
	server Server
	watch  Watcher
	conns  atomic.Int32 // that have begun
	open   *Conn        // has a transaction open

	dialed atomic.Int32 // connections that have not ended
	live   atomic.Int32 // those of them that have begun
	left   atomic.Bool  // one has ended
}

// NewHub returns a hub without connections.
func NewHub(s Server, w Watcher) *Hub { return NewHubOf(&served.Turn{}, s, w) }

// NewHubOf is NewHub for one of several hubs of a session.
func NewHubOf(t *served.Turn, s Server, w Watcher) *Hub { return &Hub{turn: t, server: s, watch: w} }

// Vacant reports whether no connection is there.
func (h *Hub) Vacant() bool { return h.dialed.Load() == 0 }

// Dial opens a connection.
func (h *Hub) Dial() *Conn {
	c := &Conn{hub: h}
	h.dialed.Add(1)
	c.Conn = served.New(answering{c})
	return c
}

// Sent is the statement of the present call of the watcher, with its parameters, and their
// arguments as literals.
func (h *Hub) Sent() (sql string, args []string) { return h.sql, h.args }

// InTransaction reports whether a connection has a transaction open.
func (h *Hub) InTransaction() bool { return h.open != nil }

// ErrTwoTransactions is why a statement is refused.
var ErrTwoTransactions = errors.New("a statement on one connection while a transaction is open on another")

// begins is called before a statement.
func (h *Hub) begins(c *Conn, text string) error {
	if rows.Blank(text) == len(text) { // as drivers send to see whether the connection is alive
		return nil
	}
	if err := h.beside(c, text); err != nil {
		return err
	}
	return h.watch.Statement(text)
}

// beside refuses a statement that is sent or prepared while another connection has a
// transaction open.
func (h *Hub) beside(c *Conn, text string) error {
	if h.open == nil || h.open == c || rows.Blank(text) == len(text) {
		return nil
	}
	if h.open.begin != nil {
		return h.setAside(h.open)
	}
	message := fmt.Sprintf("the statement %q is sent on a second connection while a transaction is open on the first, as by db.Query "+
		"instead of tx.Query: it would not see what the transaction has written, and may wait for it for ever. Send it on the transaction, "+
		"or before it begins or after it has ended, or let another session send it", Shorten(text))
	if err := h.watch.Refuse(message); err != nil {
		return err
	}
	return ErrTwoTransactions
}

// exchange lets the server answer and notes whether a transaction is open then.
func (h *Hub) exchange(c *Conn, m []byte) ([]byte, error) {
	out, err := h.server.Exchange(m)
	if err != nil {
		return out, err
	}
	if h.open != nil && h.open != c { // the transaction is not this connection's
		idle(out)
		return out, nil
	}
	switch Status(out) {
	case 0:
	case 'I':
		h.open = nil
	default:
		h.open = c
	}
	return out, nil
}

// enter waits until the server has answered the messages of other connections. A statement
// does not wait: goroutines of the client send statements at the same time, in an order that
// nobody can say again. It does wait for the end of another connection, as drivers end one
// without waiting for it. With a nil error, the caller calls exit.
func (h *Hub) enter(text string) error {
	if rows.Blank(text) == len(text) {
		h.turn.Await()
		return nil
	}
	if !h.turn.Enter() {
		return h.together(text)
	}
	return nil
}

// exit lets other connections in.
func (h *Hub) exit() { h.turn.Exit() }

// ErrTogether is why a statement is refused.
var ErrTogether = errors.New("statements of several goroutines at the same time")

func (h *Hub) together(text string) error {
	if err := h.watch.Refuse(served.Together(strconv.Quote(Shorten(text)))); err != nil {
		return err
	}
	return ErrTogether
}

// Apart runs f while messages of other connections can be answered. A server calls it in its
// Exchange, when it waits for what these do.
func (h *Hub) Apart(f func() error) error {
	h.exit()
	defer h.turn.Await()
	return f()
}

// Discard is what a hub sends by itself, where connections end and begin. It makes the server as
// new for the next connection, when all connections before have ended.
var Discard = Query("DISCARD ALL -- for the next connection")

// greet answers the first message of a connection. When no other connection is
// alive, what earlier ones have set, prepared and locked ends before it: their
// server would have ended with them.
func (h *Hub) greet(c *Conn, m []byte) ([]byte, error) {
	defer h.turn.Aside()()
	if h.live.Load() == 0 && h.left.Swap(false) {
		if _, err := h.server.Exchange(Discard); err != nil {
			return nil, err
		}
	}
	out, err := h.exchange(c, m)
	if err == nil {
		h.live.Add(1)
	}
	return out, err
}

// Canceller is a Server whose statement can be ended from another goroutine.
type Canceller interface{ Cancel() }

// cancel ends the statement that runs, if the server can.
func (h *Hub) cancel() {
	if s, ok := h.server.(Canceller); ok {
		s.Cancel()
	}
}

// leave rolls back what a connection that goes away has open.
func (h *Hub) leave(c *Conn) error {
	if !c.left.Swap(true) {
		h.dialed.Add(-1)
	}
	begun := c.begun.Swap(false)
	if begun {
		h.live.Add(-1)
		h.left.Store(true)
	}
	defer h.turn.Aside()()
	if h.open == c {
		if _, err := h.exchange(c, Query("ROLLBACK")); err != nil {
			return err
		}
	}
	if k, ok := h.server.(Keeper); ok && begun && !c.Late && h.live.Load() == 0 && k.Keeps() {
		_, err := h.server.Exchange(Discard)
		return err
	}
	return nil
}

// Keeper is a Server that knows whether others may wait for what its connection keeps outside of
// transactions. The end of the connection gives that up.
type Keeper interface{ Keeps() bool }

// setAside ends a transaction in which no statement has run, until its connection goes on. The
// transaction has no snapshot and no lock: so it may begin later too.
func (h *Hub) setAside(c *Conn) error {
	c.aside, c.begin = c.begin, nil
	_, err := h.exchange(c, Query("ROLLBACK"))
	return err
}

// takeUp begins the transaction again that has been set aside.
func (h *Hub) takeUp(c *Conn) error {
	if c.aside == nil {
		return nil
	}
	begin := c.aside
	c.aside = nil
	text, _ := c.names.statement(begin)
	h.sql, h.args = text, nil
	if err := h.begins(c, text); err != nil {
		return err
	}
	_, err := h.exchange(c, begin)
	return err
}

// Sync is the message that ends a series of messages.
var Sync = []byte{'S', 0, 0, 0, 4}

// Query is the message of a simple query.
func Query(sql string) []byte {
	m := binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(sql)+5))
	return append(append(m, sql...), 0)
}

// Status is the state in the last ReadyForQuery among the answers: I idle, T in a
// transaction, E in one that failed; 0 when there is none.
func Status(answers []byte) byte {
	var s byte
	for kind, body := range messages(answers) {
		if kind == 'Z' && len(body) == 1 {
			s = body[0]
		}
	}
	return s
}

// idle makes all states in answers idle.
func idle(answers []byte) {
	for kind, body := range messages(answers) {
		if kind == 'Z' && len(body) == 1 {
			body[0] = 'I'
		}
	}
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

// Shorten cuts a statement for a message.
func Shorten(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
