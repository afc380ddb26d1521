package application

import (
	"fmt"
	"net"
	"regexp"
	"sync"
)

// dialer opens connections to a database.
type dialer = func() (net.Conn, error)

// making is a database that is being made.
type making struct {
	base   dialer     // nil when that is over
	asking bool       // it answers
	maker  *socket    // has a transaction in it
	turned *sync.Cond // of these
}

// mux is the listener to which the connections of one process lead. They last longer than what is explored. While a
// database is being made they lead there; while a run is under way, to the run's database; else nowhere.
type mux struct {
	listener net.Listener
	identity identity
	app      *Application
	ignore   []*regexp.Regexp

	mu sync.Mutex
	making
	sockets map[*socket]bool
	known   map[string]bool // statements that set something, which a server has taken
	current *Run            // that client code runs for
	strays  []string        // statements that belong to no request

	requests map[string]*Run // under way, by their traces
}

func newMux(a *Application) (*mux, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &mux{listener: l, app: a, ignore: a.Ignore, sockets: map[*socket]bool{}, known: map[string]bool{}, requests: map[string]*Run{}}
	m.turned = sync.NewCond(&m.mu)
	go m.accept()
	return m, nil
}

func (m *mux) accept() {
	for {
		c, err := m.listener.Accept()
		if err != nil {
			return
		}
		s := newSocket(m, c)
		m.mu.Lock()
		m.sockets[s] = true
		m.mu.Unlock()
		go s.serve()
	}
}

// close ends the listener and what came in by it.
func (m *mux) close() {
	m.listener.Close()
	m.mu.Lock()
	defer m.mu.Unlock()
	for s := range m.sockets {
		s.client.Close()
	}
}

// setUp leads connections to a database that is being made, until the next call. A statement that runs there ends first; a transaction that is open is
// rolled back.
func (m *mux) setUp(base dialer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.asking {
		m.turned.Wait()
	}
	m.base, m.maker = base, nil
	for s := range m.sockets {
		if base == nil && s.base != nil {
			if s.status != 'I' {
				_, _ = s.base.run("ROLLBACK") // it may be gone
				s.status = 'I'
			}
			s.base.Close()
			s.base = nil
		}
	}
	m.turned.Broadcast()
}

// activate makes r the run to which statements belong that arrive on connections of no run.
func (m *mux) activate(r *Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.current = r
}

// expect says that statements with a trace are the run's, until f is called. Those of a run that is given up stay so.
func (m *mux) expect(trace string, r *Run) (f func()) {
	id := traced.FindStringSubmatch(trace)[1]
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[id] = r
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if !r.over() {
			delete(m.requests, id)
		}
	}
}

// release ends what a run has with the connections. One whose transaction is open would keep it: it ends.
func (m *mux) release(r *Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.current == r {
		m.current = nil
	}
	for s := range m.sockets {
		if s.owner == r {
			if s.status != 'I' {
				s.client.Close()
			}
			s.detach()
		}
	}
}

// open is how many connections of a run are in a transaction.
func (m *mux) open(r *Run) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for s := range m.sockets {
		if s.owner == r && s.status != 'I' && s.begin == nil {
			n++
		}
	}
	return n
}

// stray notes a statement that belongs to no request.
func (m *mux) stray(sql string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.strays = append(m.strays, sql)
}

// strayed is an error where statements have come that belong to no request.
func (m *mux) strayed() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.strays) == 0 {
		return nil
	}
	sql := m.strays[0]
	m.strays = nil
	return fmt.Errorf("the application sent the statement %q while no request was under way: name what a background task sends under \"ignore\", "+
		"or give a longer \"settle\" where the application goes on after its response", short(sql))
}

// short is a statement for a message.
func short(sql string) string {
	const most = 120
	if r := []rune(sql); len(r) > most {
		return string(r[:most]) + "…"
	}
	return sql
}
