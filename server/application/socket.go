package application

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// socket is a connection of the application's. Its goroutine reads batches and has them answered. The fields that
// change are the mux's, but for those that only the goroutine has.
type socket struct {
	mux    *mux
	client net.Conn
	back   *pgproto3.Backend

	// Of the goroutine:
	profile
	names
	refused int   // batches of the run that is over
	aside   aside // what no request sends goes there

	// Of the mux:
	owner  *Run   // whose statements come here
	status byte   // of the transaction
	begin  *batch // a BEGIN that has been answered and not been sent
	base   *conn  // to the database that is being made
	owns   bool   // its connection to the run's database has something of its own
}

// names are what the client has named.
type names struct {
	statements map[string]message // those that it has prepared
	savepoints map[string]string  // of the transaction, and how they are called
}

func newSocket(m *mux, c net.Conn) *socket {
	return &socket{mux: m, client: c, status: 'I', names: names{map[string]message{}, map[string]string{}}}
}

// detach ends what the socket has with its run.
func (s *socket) detach() { s.owner, s.begin, s.status, s.owns = nil, nil, 'I', false }

// serve answers the client until it hangs up.
func (s *socket) serve() {
	defer s.end()
	if s.hello() != nil {
		return
	}
	for {
		b, err := receive(s.back)
		b.uncommented()
		if err != nil || b.ends {
			s.hangUp()
			return
		}
		s.renames(&b)
		a, err := s.answer(b)
		if err != nil {
			return
		}
		s.note(b, a)
		if _, err := s.client.Write(a.bytes()); err != nil {
			s.hangUp()
			return
		}
	}
}

func (s *socket) end() {
	s.client.Close()
	s.aside.close()
	s.mux.mu.Lock()
	defer s.mux.mu.Unlock()
	delete(s.mux.sockets, s)
	if s.base != nil {
		s.base.Close()
	}
	if s.mux.maker == s {
		s.mux.maker = nil
		s.mux.turned.Broadcast()
	}
}

// hangUp tells the run that the connection has ended, where it leaves something.
func (s *socket) hangUp() {
	s.mux.mu.Lock()
	r, leaves := s.owner, s.owns || s.status != 'I' && s.begin == nil
	s.mux.mu.Unlock()
	if r != nil && leaves {
		_, _ = r.ask(s, batch{ends: true}, nil) // it may be over
	}
}

// hello answers the first messages of a client.
func (s *socket) hello() error {
	s.back = pgproto3.NewBackend(s.client, s.client)
	for {
		m, err := s.back.ReceiveStartupMessage()
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *pgproto3.SSLRequest:
			if _, err := s.client.Write([]byte{'S'}); err != nil {
				return err
			}
			if s.client, err = s.mux.identity.encrypted(s.client); err != nil {
				return err
			}
			s.back = pgproto3.NewBackend(s.client, s.client)
		case *pgproto3.GSSEncRequest:
			if _, err := s.client.Write([]byte{'N'}); err != nil {
				return err
			}
		case *pgproto3.CancelRequest: // what a statement does takes no time: none runs when this can be read
			return io.EOF
		case *pgproto3.StartupMessage:
			s.parameters = maps.Clone(m.Parameters)
			greeting, err := s.greeting()
			if err == nil {
				_, err = s.client.Write(greeting)
			}
			return err
		}
	}
}

// greeting is what a server says at a connection's begin.
func (s *socket) greeting() ([]byte, error) {
	s.mux.mu.Lock()
	base := s.mux.base
	s.mux.mu.Unlock()
	s.mux.app.mu.Lock()
	said := s.mux.app.greeted
	s.mux.app.mu.Unlock()
	if base == nil {
		if said == nil {
			return nil, errors.New("no database is there")
		}
		return said, nil
	}
	a, err := s.toBase(base)
	if err != nil {
		return nil, err
	}
	s.mux.app.greets(a)
	return a.bytes(), nil
}

// toBase opens the socket's connection to the database that is being made.
func (s *socket) toBase(base dialer) (*answers, error) {
	raw, err := base()
	if err != nil {
		return nil, err
	}
	c := newConn(raw)
	a, err := c.greet(s.parameters)
	if err != nil {
		c.Close()
		return nil, err
	}
	s.mux.mu.Lock()
	s.base = c
	s.mux.mu.Unlock()
	return a, nil
}

// profile is how connections to a database begin that stand for this one: the client's parameters, and what it
// has set before.
type profile struct {
	parameters map[string]string
	settings   []string // statements that have set something, in order
}

func (s *socket) begins() profile { return profile{s.parameters, slices.Clone(s.settings)} }

// key tells profiles apart.
func (p profile) key() string {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(p.parameters)) {
		b.WriteString(name + "=" + p.parameters[name] + "\x00")
	}
	b.WriteString(strings.Join(p.settings, "\x00"))
	return b.String()
}

// text is the text of a prepared statement.
func (s *socket) text(name string) string {
	var p pgproto3.Parse
	if m := s.statements[name]; m != nil && m.decode(&p) {
		return p.Query
	}
	return ""
}

// note remembers what the client has prepared.
func (s *socket) note(b batch, a *answers) {
	if a.failed {
		return
	}
	for _, m := range b.messages {
		switch m[0] {
		case 'P':
			var p pgproto3.Parse
			if m.decode(&p) {
				s.statements[p.Name] = m
			}
		case 'C':
			var c pgproto3.Close
			if m.decode(&c) && c.ObjectType == 'S' {
				delete(s.statements, c.Name)
			}
		}
	}
	if sql, ok := b.sole(s.text); ok && (strings.EqualFold(sql, "DISCARD ALL") || strings.EqualFold(sql, "DEALLOCATE ALL")) {
		clear(s.statements)
	}
}
