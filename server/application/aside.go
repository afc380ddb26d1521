package application

import (
	"sync"
	"time"
)

// What an application sends in the background, as an agent tells, goes to a database aside: a copy of the one that sessions begin
// with. So background tasks find their tables, and change nothing that a request sees.

// aside is a socket's connection there.
type aside struct {
	conn   *conn
	status byte
}

// asideLock is held while somebody asks there: its connections run on the goroutines of those who ask.
var asideLock sync.Mutex

// open reports whether a transaction is open there.
func (a *aside) open() bool { return a.conn != nil && a.status != 'I' }

// close ends the connection.
func (a *aside) close() {
	if a.conn == nil {
		return
	}
	asideLock.Lock()
	defer asideLock.Unlock()
	a.conn.Close()
	a.conn = nil
}

// background answers a batch of no request. Where there is no database aside it sees nothing, and changes nothing.
func (s *socket) background(b batch, begin *batch) *answers {
	asideLock.Lock()
	defer asideLock.Unlock()
	a, err := s.askAside(b, begin)
	if err != nil {
		return failing(b, 'I', "57P03", "txmc cannot run statements that belong to no request: "+err.Error())
	}
	if a.status != 0 {
		s.aside.status = a.status
	}
	return a
}

func (s *socket) askAside(b batch, begin *batch) (*answers, error) {
	if s.aside.conn == nil {
		raw, err := s.mux.app.Aside()
		if err != nil {
			return nil, err
		}
		s.aside = aside{newConn(raw), 'I'}
		if _, err := s.aside.conn.greet(s.parameters); err != nil {
			return nil, err
		}
		for _, sql := range s.settings {
			if _, err := s.aside.conn.run(sql); err != nil {
				return nil, err
			}
		}
	}
	if begin != nil {
		if a, err := s.aside.conn.exchange(*begin); err != nil || a.failed {
			return a, err
		}
	}
	all, own := s.prepare(b)
	a, err := s.aside.conn.exchange(all)
	if err == nil {
		own.omit(a)
	}
	return a, err
}

// While a database is being made it has one transaction at a time. A statement on another connection waits for its end.

// mostTurn is how long it does. Then the database answers that there is another transaction.
const mostTurn = 5 * time.Second

// turn waits until no other connection has a transaction in the database that is being made. Call end with whether s has one.
func (m *mux) turn(s *socket) (end func(open bool)) {
	deadline := time.Now().Add(mostTurn)
	wake := time.AfterFunc(mostTurn, m.turned.Broadcast)
	defer wake.Stop()
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.asking || m.maker != nil && m.maker != s && time.Now().Before(deadline) {
		m.turned.Wait()
	}
	m.asking = true
	return func(open bool) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.asking = false
		switch {
		case open:
			m.maker = s
		case m.maker == s:
			m.maker = nil
		}
		m.turned.Broadcast()
	}
}
