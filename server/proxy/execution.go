package proxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// execution is one run of all sessions on the server, from the first rows on.
type execution struct {
	*Server
	client *program.Client
	ctx    context.Context

	sessions []session
	replies  chan reply
	lines    []report.Operation
	progress

	named        bool // lines say for whom sessions wait, though that takes long
	serializable bool // a session has spoken of SERIALIZABLE
	freeRun
	hanging
}

// progress is how far an execution has come.
type progress struct {
	number int    // of the steps so far
	last   done   // the last of them
	by     string // the operation that it has run
}

// session is where a session stands.
type session struct {
	node    *behaviour.Node
	busy    bool // it waits for an answer
	checked bool // and has done so for longer than a look for deadlocks takes
	line    int  // of its statement that has no answer yet; -1 for none
	paused  bool // in a free run: its statement is paused for a time
	connections
}

// reply is what the server has answered to a session.
type reply struct {
	session int
	out     []byte
	err     error
	took    time.Duration
}

// begin puts the first rows back and lets each session go on to its first step.
func (s *Server) begin(ctx context.Context, client *program.Client) (*execution, error) {
	x, err := s.atFirst(ctx, client)
	if err != nil {
		return nil, err
	}
	return x, x.advance()
}

// atFirst puts the first rows back. No session has sent anything.
func (s *Server) atFirst(ctx context.Context, client *program.Client) (*execution, error) {
	if err := s.first(ctx); err != nil {
		return nil, err
	}
	x := &execution{Server: s, client: client, ctx: ctx, sessions: make([]session, client.Sessions()), replies: make(chan reply, client.Sessions())}
	for i := range x.sessions {
		root, err := client.Root(i)
		if err != nil {
			return nil, err
		}
		x.sessions[i] = session{node: root, line: -1, connections: newConnections()}
		x.skip(i)
	}
	return x, nil
}

// skip takes a session over ends of transactions, which the server has told of.
func (x *execution) skip(i int) {
	s := &x.sessions[i]
	for s.node.Kind == behaviour.Commit || s.node.Kind == behaviour.Abort {
		s.node = s.node.Next()
	}
	s.use(int(s.node.Conn))
}

// ready reports whether a session has a statement to send.
func (x *execution) ready(i int) bool {
	s := &x.sessions[i]
	return !s.busy && s.node.Kind == behaviour.Relay && (i != x.client.Final() || x.over())
}

// over reports whether all sessions but the Finals have ended.
func (x *execution) over() bool {
	for i := range x.sessions {
		if i != x.client.Final() && (x.sessions[i].busy || x.sessions[i].node.Kind != behaviour.End) {
			return false
		}
	}
	return true
}

// enabled are the sessions that can make a step, the one that has made the last first.
func (x *execution) enabled(last int) (list []int) {
	for i := range x.sessions {
		if x.ready(i) {
			list = append(list, i)
		}
	}
	if at := slices.Index(list, last); at > 0 {
		list = slices.Insert(slices.Delete(list, at, at+1), 0, last)
	}
	return list
}

// open reports whether a session, or -1 for none, has a transaction open.
func (x *execution) open(i int) bool {
	return i >= 0 && x.sessions[i].open()
}

// connect gives the session a connection, unless it has one.
func (x *execution) connect(i int) error {
	s := &x.sessions[i]
	q := s.node.Sent
	if q == nil {
		return x.stuck(i)
	}
	if s.link == nil {
		l, err := x.linkOf(x.ctx, q.Startup)
		if err != nil {
			return x.lost(i, err)
		}
		s.link, s.startup = l, q.Startup
	}
	return nil
}

// send sends what the session stands at.
func (x *execution) send(i int) error { return x.sendAfter(i, func() {}) }

// sendAfter sends what the session stands at, once a function has returned that others do
// not wait for.
func (x *execution) sendAfter(i int, pause func()) error {
	if err := x.connect(i); err != nil {
		return err
	}
	s := &x.sessions[i]
	q := s.node.Sent
	s.busy, s.checked = true, false
	x.serializable = x.serializable || x.dialect.speaksOfSerializable(q)
	x.changed = x.changed || slices.ContainsFunc(q.Texts, x.dialect.defines)
	go func(l Link) {
		pause()
		began := time.Now()
		out, err := l.Exchange(q)
		x.replies <- reply{i, out, err, time.Since(began)}
	}(s.link)
	return nil
}

// stuck is the error of a session that does not wait for the server.
func (x *execution) stuck(i int) error {
	n := x.sessions[i].node
	return &behaviour.Error{Kind: behaviour.Misuse, Program: x.client.Name, Session: x.client.SessionName(i), At: x.client.Location(n.Loc),
		Message: "what it reads and writes here is in no table of a " + x.dialect.Title + " server: keep what sessions share in a database of package " + x.dialect.Package + ", or leave out --dsn and --confirm"}
}

// receive lets a session go on with what the server has answered.
func (x *execution) receive(r reply) error {
	s := &x.sessions[r.session]
	s.busy = false
	if r.err != nil {
		return x.lost(r.session, r.err)
	}
	words := x.dialect.Words(r.out)
	if err := x.trouble(r.session, words); err != nil {
		return err
	}
	id, err := x.client.Received(r.out)
	if err != nil {
		return fmt.Errorf("an answer to session %s: %w", x.client.SessionName(r.session), err)
	}
	sent, reads := s.node, s.reads
	next, err := x.client.Child(s.node, id)
	if err != nil {
		return err
	}
	s.node = next
	x.answered(r.session, sent, words)
	if x.last.session == r.session {
		x.last.heard(x.dialect, &x.content, sent.Sent, id, s.link.Status(), words, reads)
	}
	x.skip(r.session)
	if s.node.Kind == behaviour.End { // its connections end with it
		s.each(func(c *connection) {
			if c.link.Status() == 'I' {
				x.put(c.startup, c.link)
				c.link = nil
			}
		})
	}
	return nil
}

// answered notes what a statement has come to.
func (x *execution) answered(i int, n *behaviour.Node, words string) {
	s := &x.sessions[i]
	if s.line >= 0 {
		x.say(s.line, i, words)
	}
	s.line = -1
	kind := x.dialect.Kind(n.Sent)
	switch {
	case s.link.Status() == 'I':
		s.shown, s.saved, s.reads = false, false, true
	case kind == Runs:
		s.shown = true
		s.reads = s.reads && x.dialect.surelyReads(n.Sent)
	}
	s.saved = s.saved || kind == Saves
}

// advance sends, for each session that can go on, what means nothing to the others: up to
// its next step.
func (x *execution) advance() error {
	for i := 0; i < len(x.sessions); i++ {
		for x.ready(i) && i != x.client.Final() && x.eager(i) {
			if err := x.send(i); err != nil {
				return err
			}
			if err := x.settle(); err != nil {
				return err
			}
			i = 0 // others may have gone on
		}
	}
	return nil
}

// step lets a session make a step: its next statement that others may notice, with what
// comes before it.
func (x *execution) step(i int) error {
	x.number++
	s := &x.sessions[i]
	waiting := x.inFlight()
	x.last = done{session: i}
	for x.ready(i) {
		prelude := x.dialect.Kind(s.node.Sent) == Prepares || x.eager(i)
		if !prelude {
			x.line(i)
		}
		if err := x.send(i); err != nil {
			return err
		}
		if err := x.settle(); err != nil {
			return err
		}
		if !prelude {
			break
		}
	}
	x.last.blocked = s.busy
	x.last.releases = x.inFlight() < waiting
	return x.advance()
}

// rest runs all that is left, one session after another: what follows the last step of a
// schedule.
func (x *execution) rest() error {
	for {
		list := x.enabled(-1)
		if len(list) == 0 {
			if on, err := x.moves(); err != nil || on {
				if err != nil {
					return err
				}
				continue
			}
			return x.ended()
		}
		if err := x.step(list[0]); err != nil {
			return err
		}
	}
}

// lastLook is how long an answer is waited for when all sessions wait: a server may be
// about to find a deadlock, or to wake a transaction whose snapshot has become safe.
const lastLook = time.Second

// moves reports whether a session goes on after all, where all wait.
func (x *execution) moves() (bool, error) {
	if x.inFlight() == 0 || !x.dialect.Unnamed && x.hang() != nil {
		return false, nil
	}
	select {
	case <-x.ctx.Done():
		return false, x.ctx.Err()
	case <-time.After(lastLook):
		return false, nil
	case r := <-x.replies:
		if err := x.receive(r); err != nil {
			return false, err
		}
		if err := x.settle(); err != nil {
			return false, err
		}
		return true, x.advance()
	}
}

// ended says why sessions that have not ended cannot go on; nil where all have ended.
func (x *execution) ended() error {
	for i := range x.sessions {
		if x.sessions[i].busy {
			if x.hung = x.hang(); x.hung != nil { // that is an outcome
				return nil
			}
			return x.starved(i)
		}
		if x.sessions[i].node.Kind != behaviour.End {
			return x.stuck(i)
		}
	}
	return nil
}

// judge returns the nodes at which the sessions ended, and what breaks there.
func (x *execution) judge() (ends []*behaviour.Node, failures []*behaviour.Failure, err error) {
	for i := range x.sessions {
		ends = append(ends, x.sessions[i].node)
		failures = append(failures, x.sessions[i].node.Failures...)
	}
	if x.hung != nil {
		return ends, append(failures, x.hung), nil
	}
	if x.client.Invariants() == 0 {
		return ends, failures, nil
	}
	broken, err := x.client.Judge(ends)
	return ends, append(failures, broken...), err
}

// finish gives the connections back. What is open is rolled back; a session that waits
// even then is ended on the server.
func (x *execution) finish() error {
	for i := range x.sessions {
		s := &x.sessions[i]
		s.each(func(c *connection) {
			if c == &s.connection && s.busy {
				return
			}
			if c.link.Status() == 'I' || c.link.Run("ROLLBACK") == nil {
				x.put(c.startup, c.link)
			} else {
				c.link.Close()
			}
			c.link = nil
		})
	}
	var waiting []Link
	for i := range x.sessions {
		if s := &x.sessions[i]; s.link != nil {
			waiting = append(waiting, s.link)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	err := x.db.End(context.WithoutCancel(x.ctx), waiting)
	for i := range x.sessions {
		if s := &x.sessions[i]; s.link != nil {
			s.link.Close()
			s.link = nil
		}
	}
	return err
}

// lost is the error of a connection that has ended.
func (x *execution) lost(i int, err error) error {
	if ctx := x.ctx.Err(); ctx != nil {
		return ctx
	}
	what := "the server has refused a connection"
	if s := &x.sessions[i]; s.link != nil {
		what = fmt.Sprintf("the connection was lost while the server ran %q", s.node.Sent)
	}
	return &behaviour.Error{Kind: behaviour.Crashed, Program: x.client.Name, Session: x.client.SessionName(i), At: x.client.Location(x.sessions[i].node.Loc),
		Message: fmt.Sprintf("%s, in step %d: %v; the server's log says why", what, x.number, err)}
}

var errStray = errors.New("the server does not repeat the beginning of a schedule")
