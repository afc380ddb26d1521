package application

import (
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Prepared statements outlast runs, connections of the application share one of a run's, and drivers prepare a statement
// when they have seen it some times. How a statement is sent is no behaviour: a run's connection gets each as one without a name,
// with the types of its parameters asked for, before it is bound.

// added tells messages of this package's own among those of a kind that are sent: their answers are for nobody.
type added struct{ parses, describes []bool }

// prepare is a batch in that form.
func (s *socket) prepare(b batch) (batch, *added) {
	own := &added{}
	all := b
	all.messages = nil
	last, has := "", false // the statement that the connection has
	parse := func(p pgproto3.Parse, ours bool) {
		last, has, p.Name = p.Name, true, ""
		all.messages = append(all.messages, encode(&p), encode(&pgproto3.Describe{ObjectType: 'S'}))
		own.parses, own.describes = append(own.parses, ours), append(own.describes, true)
	}
	need := func(name string) string {
		var p pgproto3.Parse
		if m := s.statements[name]; m == nil || !m.decode(&p) {
			return name
		}
		if !has || last != name {
			parse(p, true)
		}
		return ""
	}
	for _, m := range b.messages {
		switch m[0] {
		case 'P':
			var p pgproto3.Parse
			if m.decode(&p) {
				s.statements[p.Name] = m
				parse(p, false)
				continue
			}
		case 'B':
			var d pgproto3.Bind
			if m.decode(&d) {
				d.PreparedStatement = need(d.PreparedStatement)
				m = encode(&d)
			}
		case 'D':
			var d pgproto3.Describe
			if m.decode(&d) && d.ObjectType == 'S' {
				d.Name = need(d.Name)
				own.describes = append(own.describes, false)
				m = encode(&d)
			}
		case 'C':
			var d pgproto3.Close
			if m.decode(&d) && d.ObjectType == 'S' && s.statements[d.Name] != nil {
				delete(s.statements, d.Name)
				m = encode(&pgproto3.Close{ObjectType: 'S'})
			}
		}
		all.messages = append(all.messages, m)
	}
	all.answers += len(all.messages) - len(b.messages)
	return all, own
}

// prepareAll prepares what the client has prepared, under its own names: on the database that is being made, to which messages go as
// they are.
func (c *conn) prepareAll(s *socket) error {
	for _, m := range s.statements {
		if _, err := c.exchange(batch{messages: []message{m, encode(&pgproto3.Sync{})}, sync: true}); err != nil {
			return err
		}
	}
	return nil
}

// prepares reports whether a batch runs nothing: it prepares, describes or forgets statements.
func (b batch) prepares() bool {
	for _, m := range b.messages {
		if !strings.ContainsRune("PDCSH", rune(m[0])) {
			return false
		}
	}
	return len(b.messages) > 1
}

// prepareAside has the database aside answer such a batch: a driver prepares a statement the first time only, so that it must not take
// part in what is explored. It returns nil where that database cannot, as for what the transaction has made.
func (s *socket) prepareAside(b batch) *answers {
	asideLock.Lock()
	defer asideLock.Unlock()
	a, err := s.askAside(b, nil)
	if err == nil && !b.sync { // it would skip what follows an error
		_, err = s.aside.conn.exchange(batch{messages: []message{encode(&pgproto3.Sync{})}, sync: true})
	}
	if err != nil || a.failed {
		return nil
	}
	if n := len(a.messages) - 1; n >= 0 && a.messages[n][0] == 'Z' {
		s.mux.mu.Lock()
		defer s.mux.mu.Unlock()
		a.status = s.status
		a.messages[n] = encode(&pgproto3.ReadyForQuery{TxStatus: a.status})
	}
	return a
}

// prepareOnly has a connection answer a batch that runs nothing. A BEGIN that has been answered goes on waiting: a driver prepares
// a statement the first time only.
func (c *inner) prepareOnly(s *socket, q question) (*answers, error) {
	b, own := s.prepare(q.batch)
	a, err := c.exchange(b)
	if err != nil {
		return nil, err
	}
	own.omit(a)
	s.mux.mu.Lock()
	defer s.mux.mu.Unlock()
	if q.begin != nil && a.status != 0 {
		s.begin, a.status = q.begin, 'T'
		if a.failed {
			a.status = 'E'
		}
		a.messages[len(a.messages)-1] = encode(&pgproto3.ReadyForQuery{TxStatus: a.status})
	}
	return a, nil
}

// deallocation matches the statement that forgets a prepared one.
var deallocation = regexp.MustCompile(`(?i)^DEALLOCATE\s+(?:PREPARE\s+)?("(?:[^"]|"")+"|\w+)$`)

// deallocates forgets the prepared statement that a statement names, and reports whether there was one. A run's connection does not have
// it.
func (s *socket) deallocates(sql string) bool {
	f := deallocation.FindStringSubmatch(sql)
	if f == nil {
		return false
	}
	name := strings.ToLower(f[1])
	if f[1][0] == '"' {
		name = strings.ReplaceAll(f[1][1:len(f[1])-1], `""`, `"`)
	}
	if s.statements[name] == nil {
		return false
	}
	delete(s.statements, name)
	return true
}

// omit leaves out the answers that are for nobody.
func (own *added) omit(a *answers) {
	parses, describes, rest := own.parses, own.describes, false
	a.messages = slices.DeleteFunc(a.messages, func(m message) (ours bool) {
		switch {
		case m[0] == '1' && len(parses) > 0:
			ours, parses = parses[0], parses[1:]
		case m[0] == 't' && len(describes) > 0:
			ours, describes = describes[0], describes[1:]
			rest = ours
		case (m[0] == 'T' || m[0] == 'n') && rest: // the second answer to the same message
			ours, rest = true, false
		}
		return ours
	})
}
