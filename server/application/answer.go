package application

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Who answers a batch: the database that is being made, the run of a session to which it belongs, or, for what
// pools send by themselves, nobody but this process.

// answer has a batch answered.
func (s *socket) answer(b batch) (*answers, error) {
	s.mux.mu.Lock()
	base := s.mux.base
	s.mux.mu.Unlock()
	if base != nil {
		return s.make(b)
	}
	if s.aside.open() {
		return s.background(b, nil), nil
	}
	sql, sole := b.sole(s.text)
	s.mux.mu.Lock()
	r, background := s.mux.runOf(s, b)
	local := s.locally(b, sql, sole)
	if local != nil {
		s.mux.mu.Unlock()
		return local, nil
	}
	begin, beside := s.begin, r != nil && !background && b.prepares() && s.status != 'E' && !s.owns
	if background {
		s.detach()
	}
	if r == nil {
		s.mux.mu.Unlock()
		return s.astray(b, begin, background), nil
	}
	if beside {
		s.mux.mu.Unlock()
		if a := s.prepareAside(b); a != nil {
			return a, nil
		}
		s.mux.mu.Lock()
	}
	s.owner, s.begin = r, nil
	s.mux.mu.Unlock()
	if ignored := s.ignored(b); ignored != nil {
		return ignored, nil
	}
	a, err := r.ask(s, b, begin)
	if err != nil {
		return s.refuse(b)
	}
	s.refused = 0
	if sole && !a.failed && s.is('I') {
		s.hasSet(sql)
	}
	return a, nil
}

func (s *socket) is(status byte) bool {
	s.mux.mu.Lock()
	defer s.mux.mu.Unlock()
	return s.status == status
}

// make has the database answer that is being made.
func (s *socket) make(b batch) (a *answers, err error) {
	open := false
	end := s.mux.turn(s)
	defer func() { end(open) }()
	s.mux.mu.Lock()
	base := s.mux.base
	s.mux.mu.Unlock()
	if base == nil { // it has been made while the statement waited
		return failing(b, 'I', "57P03", "txmc: the database has been made while the statement waited"), nil
	}
	if s.base == nil {
		if _, err := s.toBase(base); err != nil {
			return nil, err
		}
		if err := s.base.prepareAll(s); err != nil {
			return nil, err
		}
	}
	if a, err = s.base.exchange(s.mux.app.setup.sends(b, s.text)); err != nil {
		return nil, err
	}
	s.mux.app.setup.receives(a)
	s.mux.mu.Lock()
	if a.status != 0 {
		s.status = a.status
	}
	open = s.status != 'I'
	s.mux.mu.Unlock()
	if sql, ok := b.sole(s.text); ok && !a.failed && a.status == 'I' {
		s.hasSet(sql)
	}
	return a, nil
}

// hasSet notes what a statement has set that a server has taken.
func (s *socket) hasSet(sql string) {
	if strings.EqualFold(sql, "DISCARD ALL") || strings.EqualFold(sql, "RESET ALL") {
		s.settings = nil
		return
	}
	if _, ok := sets(sql); ok {
		s.settings = set(s.settings, sql)
		s.mux.mu.Lock()
		s.mux.known[sql] = true
		s.mux.mu.Unlock()
	}
}

// locally answers what a database need not know. A BEGIN waits until a statement follows: it takes no snapshot, and
// drivers send it before it is known whose it is. The mux is locked.
func (s *socket) locally(b batch, sql string, sole bool) *answers {
	if sole && s.status != 'E' && s.deallocates(sql) {
		return b.tag("DEALLOCATE", s.status)
	}
	if !sole || s.status != 'I' && s.begin == nil {
		return nil
	}
	simple := b.messages[0][0] == 'Q'
	switch {
	case sql == "":
		return b.tag("", s.status)
	case simple && strings.EqualFold(sql, "SELECT 1"):
		return one(b, s.status)
	case s.begin != nil && ending.MatchString(sql):
		s.begin, s.status = nil, 'I'
		return b.tag(endingTag(sql), 'I')
	case s.begin != nil:
		return nil
	case simple && beginning.MatchString(sql):
		if s.begin, s.status = &b, 'T'; !s.owns {
			s.owner = nil // what follows says whose it is
		}
		return b.tag("BEGIN", 'T')
	case s.mux.known[sql] && !s.holds():
		s.settings = set(s.settings, sql)
		return b.tag(strings.ToUpper(strings.Fields(sql)[0]), 'I')
	case (strings.EqualFold(sql, "DISCARD ALL") || strings.EqualFold(sql, "RESET ALL")) && !s.holds():
		s.settings = nil
		return b.tag(strings.ToUpper(sql), 'I')
	}
	return nil
}

// one answers SELECT 1, by which pools see whether a connection is alive.
func one(b batch, status byte) *answers {
	a := &answers{}
	a.add(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("?column?"), DataTypeOID: 23, DataTypeSize: 4, TypeModifier: -1}}})
	a.add(&pgproto3.DataRow{Values: [][]byte{[]byte("1")}})
	a.add(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
	return a.ready(b, status)
}

// ignored answers a statement of a background task, which the user has named: it sees nothing and changes nothing.
func (s *socket) ignored(b batch) *answers {
	for _, sql := range b.texts(s.text) {
		for _, pattern := range s.mux.ignore {
			if pattern.MatchString(sql) {
				s.mux.mu.Lock()
				s.detach()
				s.mux.mu.Unlock()
				return failing(b, 'I', "57P03", "txmc does not run statements that it is told to ignore")
			}
		}
	}
	return nil
}

// astray answers what belongs to no request.
func (s *socket) astray(b batch, begin *batch, background bool) *answers {
	if ignored := s.ignored(b); ignored != nil {
		return ignored
	}
	if background {
		return s.background(b, begin)
	}
	texts := b.texts(s.text)
	if len(texts) > 0 {
		s.mux.stray(texts[0])
	}
	return failing(b, 'I', "57P03", "txmc: no request is under way to which the statement belongs")
}

// errRefused ends a connection on which somebody tries for ever.
var errRefused = errors.New("the run is over")

// refuse answers for a run that is not wanted any more. The application ends its request and keeps its connection:
// to lose that would be more than some survive.
func (s *socket) refuse(b batch) (*answers, error) {
	const most = 50
	if s.refused++; s.refused > most || b.ends {
		return nil, errRefused
	}
	s.mux.mu.Lock()
	defer s.mux.mu.Unlock()
	if sql, sole := b.sole(s.text); sole && ending.MatchString(sql) {
		s.status = 'I'
		return b.tag("ROLLBACK", 'I'), nil
	}
	a := failing(b, s.status, "57014", "txmc: this run of the request is over")
	if a.status != 0 {
		s.status = a.status
	}
	return a, nil
}

// holds reports whether the run keeps a connection for the socket alone.
func (s *socket) holds() bool { return s.owner != nil && s.owner.holds(s) }
