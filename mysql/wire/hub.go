package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/log"
	"github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/engine"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/served"
)

// The server of Vitess logs what clients do wrong, which they are told anyway.
func init() {
	log.Errorf, log.Warningf, log.Infof = quiet, quiet, quiet
	log.Error, log.Warning, log.Info = silent, silent, silent
}

func quiet(string, ...any) {}
func silent(...any)        {}

// Watcher watches what the connections do.
type Watcher interface {
	// Statement is called before a statement runs, on the goroutine that waits for it. Its
	// error ends the statement.
	Statement(text string) error
	// Answered is called when a statement has ended.
	Answered(r *sqltypes.Result, err error)
	// Refuse ends the exploration: what the client does cannot be explored.
	Refuse(message string) error
}

// Teller is a Watcher that wants to know statements with their parameters, and the arguments of
// these as literals. Sent is called after Statement.
type Teller interface {
	Sent(sql string, args []string)
}

// Hub shares one run of an engine among the connections of a session. The run has one
// transaction at a time: a statement on a connection while another has one open is
// refused.
type Hub struct {
	// Password is what clients have to know; "": nothing.
	Password string
	// Around, unless nil, is called before a statement, which ends with during. What it
	// returns is called behind it.
	Around func(ctx context.Context) (during context.Context, done func())

	// Turn, unless nil, is that of the session's hubs: statements that are sent at the same time
	// are refused.
	Turn *served.Turn
	// First is the number before that of the first connection.
	First uint32

	// Rewrite, unless nil, gives the statement that runs in place of one.
	Rewrite func(sql string) string

	engine *engine.Engine
	run    *engine.Run
	watch  Watcher

	mu    sync.Mutex
	conns []*Conn
}

// NewHub returns a hub without connections.
func NewHub(e *engine.Engine, r *engine.Run, w Watcher) *Hub {
	return &Hub{engine: e, run: r, watch: w}
}

// Dial is Connect for drivers.
func (h *Hub) Dial() (net.Conn, error) {
	c, err := h.Connect()
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Connect opens a connection.
func (h *Hub) Connect() (*Conn, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, err := h.engine.Connect(h.run, h.First+uint32(len(h.conns)+1))
	if err != nil {
		return nil, err
	}
	conn := newConn(func() error {
		if err := c.Close(); !errors.Is(err, program.ErrEnded) {
			return err
		}
		return nil // there is nothing left to end
	}, func(text string) { _ = h.explored(c.Preparable(text)) })
	s := &handler{hub: h, conn: conn, sql: c}
	l, err := mysql.NewListenerWithConfig(mysql.ListenerConfig{Listener: &once{conn: end{conn}}, AuthServer: authServer(h.Password), Handler: s})
	if err != nil {
		return nil, err
	}
	h.conns = append(h.conns, conn)
	l.Accept() // starts the goroutine of the connection, and finds no other
	return conn, nil
}

// Vacant reports whether no connection is open.
func (h *Hub) Vacant() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !slices.ContainsFunc(h.conns, (*Conn).open)
}

// Close ends the goroutines of all connections. What is open stays so.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.conns {
		c.abandon()
	}
}

// once is a listener that accepts one connection.
type once struct{ conn net.Conn }

// Accept implements net.Listener.
func (l *once) Accept() (net.Conn, error) {
	if l.conn == nil {
		return nil, net.ErrClosed
	}
	c := l.conn
	l.conn = nil
	return c, nil
}

// Close implements net.Listener.
func (l *once) Close() error { return nil }

// Addr implements net.Listener.
func (l *once) Addr() net.Addr { return &net.UnixAddr{Name: "txmc", Net: "unix"} }

// handler is a connection as the server of Vitess asks for it.
type handler struct {
	hub  *Hub
	conn *Conn
	sql  *engine.Conn
}

var _ mysql.Handler = (*handler)(nil)

// NewConnection implements mysql.Handler.
func (s *handler) NewConnection(c *mysql.Conn) { s.status(c) }

// ConnectionClosed implements mysql.Handler. The side that closes ends what is open.
func (s *handler) ConnectionClosed(*mysql.Conn) {}

// ConnectionAuthenticated implements mysql.Handler.
func (s *handler) ConnectionAuthenticated(c *mysql.Conn) error {
	if c.Capabilities&mysql.CapabilityClientFoundRows != 0 {
		s.sql.FoundRows()
	}
	return nil
}

// ConnectionAborted implements mysql.Handler.
func (s *handler) ConnectionAborted(*mysql.Conn, string) error { return nil }

// ComInitDB implements mysql.Handler.
func (s *handler) ComInitDB(_ *mysql.Conn, name string) (err error) {
	if !s.conn.do(func() { err = s.hub.explored(s.sql.Use(name)) }) {
		return errClosed
	}
	return err
}

// ComQuery implements mysql.Handler.
func (s *handler) ComQuery(ctx context.Context, c *mysql.Conn, text string, result mysql.ResultSpoolFn) error {
	r, err := s.query(ctx, c, text, nil)
	if err != nil {
		return err
	}
	return result(r, false)
}

// ComMultiQuery implements mysql.Handler: it runs the first statement and returns the
// others.
func (s *handler) ComMultiQuery(ctx context.Context, c *mysql.Conn, text string, result mysql.ResultSpoolFn) (string, error) {
	first, rest, err := s.sql.First(text)
	if err != nil {
		return "", err
	}
	r, err := s.query(ctx, c, first, nil)
	if err != nil {
		return "", err
	}
	return rest, result(r, rest != "")
}

// ComPrepare implements mysql.Handler. The columns of the result are told when the
// statement runs.
func (s *handler) ComPrepare(context.Context, *mysql.Conn, string, *mysql.PrepareData) ([]*query.Field, error) {
	return nil, nil
}

// ComStmtExecute implements mysql.Handler.
func (s *handler) ComStmtExecute(ctx context.Context, c *mysql.Conn, p *mysql.PrepareData, result func(*sqltypes.Result) error) error {
	r, err := s.query(ctx, c, p.PrepareStmt, p.BindVars)
	if err != nil {
		return err
	}
	return result(r)
}

// WarningCount implements mysql.Handler.
func (s *handler) WarningCount(*mysql.Conn) uint16 { return s.sql.Warnings() }

// ComResetConnection implements mysql.Handler.
func (s *handler) ComResetConnection(c *mysql.Conn) (err error) {
	if !s.conn.do(func() { err = s.sql.Reset() }) {
		return errClosed
	}
	s.status(c)
	return err
}

// ParserOptionsForConnection implements mysql.Handler.
func (s *handler) ParserOptionsForConnection(*mysql.Conn) (sqlparser.ParserOptions, error) {
	return s.sql.Options(), nil
}

var errClosed = errors.New("the connection is closed")

// query runs a statement on the goroutine of the driver.
func (s *handler) query(ctx context.Context, c *mysql.Conn, text string, args map[string]*query.BindVariable) (r *sqltypes.Result, err error) {
	defer s.status(c)
	if !s.conn.do(func() { r, err = s.watched(ctx, text, args) }) {
		return nil, errClosed
	}
	return r, err
}

func (s *handler) watched(ctx context.Context, text string, args map[string]*query.BindVariable) (*sqltypes.Result, error) {
	if s.sql.Busy() {
		return nil, s.refuse(fmt.Sprintf("the statement %q is sent on a second connection while a transaction is open on the first: "+
			"a session has one transaction at a time; send it on the transaction, or let another session do it", shorten(text)))
	}
	if t := s.hub.Turn; t != nil {
		if !t.Enter() {
			return nil, s.refuse(served.Together(strconv.Quote(shorten(text))))
		}
		defer t.Exit()
	}
	if s.hub.Rewrite != nil {
		text = s.hub.Rewrite(text)
	}
	if err := s.hub.watch.Statement(substitute(text, args)); err != nil {
		return nil, ended(err)
	}
	if t, ok := s.hub.watch.(Teller); ok {
		t.Sent(text, literals(args))
	}
	if around := s.hub.Around; around != nil {
		var done func()
		ctx, done = around(ctx)
		defer done()
	}
	r, err := s.sql.Query(ctx, text, args)
	if why := (*mysql.SQLError)(nil); err != nil && errors.As(context.Cause(ctx), &why) {
		err = why
	}
	if err = s.hub.explored(err); err != nil && errors.Is(err, errRefused) {
		return nil, ended(err)
	}
	s.hub.watch.Answered(r, err)
	return r, err
}

// errRefused is a watcher's error of what cannot be explored.
var errRefused = errors.New("the exploration has ended")

// explored is the error of a statement as the client has it. What a server may answer otherwise
// ends the exploration, if the watcher says so.
func (h *Hub) explored(err error) error {
	var u *engine.Unexplored
	if !errors.As(err, &u) {
		return err
	}
	if ended := h.watch.Refuse(u.Message); ended != nil {
		return fmt.Errorf("%w: %w", errRefused, ended)
	}
	return u.Err
}

// refuse ends the exploration.
func (s *handler) refuse(message string) error {
	if err := s.hub.watch.Refuse(message); err != nil {
		return ended(err)
	}
	return mysql.NewSQLError(mysql.ERUnknownError, "HY000", "%s", message)
}

// ended is the error of statements after the run has ended.
func ended(err error) error { return mysql.NewSQLError(1053, "08S01", "%v", err) }

// status tells the driver whether a transaction is open.
func (s *handler) status(c *mysql.Conn) {
	c.StatusFlags &^= mysql.ServerStatusAutocommit | mysql.ServerInTransaction
	if s.sql.Autocommit() {
		c.StatusFlags |= mysql.ServerStatusAutocommit
	}
	if s.sql.InTransaction() {
		c.StatusFlags |= mysql.ServerInTransaction
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
