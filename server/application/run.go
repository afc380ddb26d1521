package application

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// Run is one run of a session. Its methods are for the session's goroutine, on which the database answers.
type Run struct {
	dial      dialer
	path      *path
	questions chan question
	gone      chan struct{} // closed when nobody answers any more
	trial     *Trial        // that the run is; nil for none
	process   *Process      // to which the present request was sent
	used      []*Process    // all of them
	// Placed, unless nil, is told the line of the application that has sent a statement, before it is answered; "" where that is not known.
	Placed   func(file string, line int)
	conflict bool // the database has ended a transaction because of others, since the present request

	mu    sync.Mutex
	inner []*inner // by number: the connections to the database
}

// question is a batch that waits for its answers.
type question struct {
	socket *socket
	batch  batch
	begin  *batch // to be sent before
	reply  chan answered
}

type answered struct {
	*answers
	err error
}

// inner is a connection of the run's to its database, a session of the server's. As long as a connection of the application
// is in a transaction, or keeps something of its own, it has one for itself. Otherwise any does that begins alike: which
// of its connections a pool gives out is nobody's decision.
type inner struct {
	*conn
	key  string
	user *socket // that has it for itself
	last *socket // that has used it last
}

// Begin begins a run of a session. Dial opens connections to its database.
func (a *Application) Begin(session string, dial func() (net.Conn, error)) *Run {
	names, back := a.setup.known()
	return &Run{dial: dial, path: a.memory.begin(session, names, back), questions: make(chan question), gone: make(chan struct{})}
}

// ErrOver says that the run has been ended while a request was under way.
var ErrOver = errors.New("the run of the session is over")

// ask has the run answer a batch. The socket's goroutine calls it.
func (r *Run) ask(s *socket, b batch, begin *batch) (*answers, error) {
	q := question{s, b, begin, make(chan answered, 1)}
	select {
	case r.questions <- q:
	case <-r.gone:
		return nil, ErrOver
	}
	select {
	case a := <-q.reply:
		return a.answers, a.err
	case <-r.gone:
		return nil, ErrOver
	}
}

// Do has the process do something that send begins, with a traceparent, and text tells apart from other things, and the database answer until the response is there and nothing follows it. The
// error says why the run cannot go on.
func (r *Run) Do(p *Process, text string, send func(trace string) Response) (out Response, err error) {
	if err := p.mux.strayed(); err != nil {
		return out, err
	}
	if r.process = p; !slices.Contains(r.used, p) {
		r.used = append(r.used, p)
	}
	p.app.count(func(f *Figures) { f.Requests++ })
	r.path.step(text)
	r.conflict = false
	trace := newTrace()
	defer p.mux.expect(trace, r)()
	p.mux.activate(r)
	responses := make(chan Response, 1)
	go func() { responses <- send(trace) }()
	over, finished := false, false
	defer func() { // also where this goroutine is ended
		if !finished || err != nil {
			r.giveUp(responses, over)
		}
		p.mux.activate(nil)
	}()
	for !over {
		limit := time.NewTimer(p.app.Limit)
		select {
		case q := <-r.questions:
			if err = r.alone(q); err == nil {
				err = r.answer(q)
			}
		case out = <-responses:
			over = true
		case <-limit.C:
			err = p.silent()
			p.kill() // nothing would end the request
		}
		limit.Stop()
		if err != nil {
			return out, err
		}
	}
	out.Conflict = r.conflict
	out.Shown = r.path.ends(out.String())
	err = r.settle()
	finished = true
	return out, err
}

// settle has the database answer what follows the response. What an earlier run has sent there is waited for.
func (r *Run) settle() error {
	m, began := r.process.mux, time.Now()
	for {
		wait := r.process.app.Settle
		switch more, known := r.path.follows(); {
		case more:
			wait = leaves
		case known:
			return nil
		}
		timer := time.NewTimer(wait)
		select {
		case q := <-r.questions:
			timer.Stop()
			if err := r.answer(q); err != nil {
				return err
			}
			began = time.Now()
		case <-timer.C:
			if m.open(r) == 0 || time.Since(began) > leaves {
				r.path.settled()
				return nil
			}
		}
	}
}

// leaves is how long a transaction that is open after the response may take to end.
const leaves = time.Second

// Open reports whether a transaction is open: after the last response it stays.
func (r *Run) Open() bool {
	return slices.ContainsFunc(r.used, func(p *Process) bool { return p.mux.open(r) > 0 })
}

// giveUp waits for the end of a request of which nobody wants to know more: its statements fail from now on. Where it does not
// end, its process does.
func (r *Run) giveUp(responses chan Response, over bool) {
	r.leave()
	if !over {
		select {
		case <-responses:
		case <-time.After(r.process.app.Limit):
			r.process.kill()
		}
	}
}

// leave says that nobody answers any more.
func (r *Run) leave() {
	if !r.over() {
		close(r.gone)
	}
}

func (r *Run) over() bool {
	select {
	case <-r.gone:
		return true
	default:
		return false
	}
}

// End ends the run.
func (r *Run) End() {
	r.leave()
	for _, p := range r.used {
		p.mux.release(r)
	}
	for _, c := range r.inner {
		c.Close()
	}
}

// conflicts are the SQLSTATEs by which a database ends a transaction because of others.
var conflicts = map[string]bool{"40001": true, "40P01": true, "55P03": true}

// answer has the database answer a batch. While it does, other sessions may run.
func (r *Run) answer(q question) error {
	a, err := r.answers(q)
	if err != nil {
		q.reply <- answered{nil, ErrOver}
		return err
	}
	r.process.mux.activate(r)
	q.reply <- answered{a, nil}
	return nil
}

func (r *Run) answers(q question) (*answers, error) {
	c, err := r.connection(q)
	if err != nil || c == nil {
		return &answers{}, err
	}
	s := q.socket
	if r.Placed != nil {
		r.Placed(q.batch.from.file, q.batch.from.line)
	}
	if q.batch.ends { // and with the connection what it has of its own
		if _, err := c.run("ROLLBACK"); err != nil || !s.owns {
			return &answers{}, errors.Join(err, r.free(c))
		}
		_, err := c.run("DISCARD ALL")
		return &answers{}, errors.Join(err, r.free(c))
	}
	if q.batch.prepares() {
		return c.prepareOnly(s, q)
	}
	if q.begin != nil {
		if a, err := c.exchange(*q.begin); err != nil || a.failed {
			return a, err
		}
	}
	b, added := s.prepare(q.batch)
	a, err := c.exchange(r.path.sends(b))
	if err != nil {
		return nil, err
	}
	r.path.receives(a)
	r.conflict = r.conflict || conflicts[a.code()]
	added.omit(a)
	s.mux.mu.Lock()
	defer s.mux.mu.Unlock()
	if a.status != 0 {
		s.status = a.status
	}
	s.notes(q.batch, a)
	r.mu.Lock()
	defer r.mu.Unlock()
	c.user, c.last = nil, s
	if s.status != 'I' || a.status == 0 || s.owns {
		c.user = s
	}
	return a, nil
}

// free lets others use a connection.
func (r *Run) free(c *inner) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.user = nil
	return nil
}

// holds reports whether the run keeps a connection for the socket alone.
func (r *Run) holds(s *socket) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.inner, func(c *inner) bool { return c.user == s })
}

// notes notes whether a batch has given the connection something of its own, or taken it.
func (s *socket) notes(b batch, a *answers) {
	if a.failed {
		return
	}
	for _, sql := range b.texts(s.text) {
		sql = strings.TrimRight(strings.TrimSpace(sql), ";")
		s.owns = !strings.EqualFold(sql, "DISCARD ALL") && (s.owns || kept(sql))
	}
}

// connection is the one on which a batch is answered: that which the socket has for itself, or the one that it used
// last, or the first that is free and begins alike, or a new one. It is nil where the socket ends that has none.
func (r *Run) connection(q question) (*inner, error) {
	s := q.socket
	key := s.begins().key()
	var free *inner
	for _, c := range r.inner {
		switch {
		case c.user == s:
			return c, nil
		case c.user != nil || c.key != key:
		case c.last == s:
			free = c
		case free == nil:
			free = c
		}
	}
	if q.batch.ends {
		return nil, nil
	}
	if free != nil {
		if free.last != s && free.last != nil {
			for _, sql := range q.batch.texts(s.text) {
				if asksOwn.MatchString(sql) {
					return nil, fmt.Errorf("the statement %q asks for what its connection has done before, and the pool gives out several: give it one connection", short(sql))
				}
			}
		}
		return free, nil
	}
	return r.connect(s, key)
}

// connect opens a connection that begins as the socket did.
func (r *Run) connect(s *socket, key string) (*inner, error) {
	raw, err := r.dial()
	if err != nil {
		return nil, err
	}
	c := &inner{conn: newConn(raw), key: key}
	r.mu.Lock()
	r.inner = append(r.inner, c)
	r.mu.Unlock()
	p := s.begins()
	if _, err := c.greet(p.parameters); err != nil {
		return nil, err
	}
	for _, sql := range p.settings {
		if a, err := c.run(sql); err != nil || a.failed {
			return nil, errors.Join(err, fmt.Errorf("what the connection has set before the run cannot be set again by %q: %s", sql, a.failure()))
		}
	}
	return c, nil
}
