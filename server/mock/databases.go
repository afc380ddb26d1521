package mock

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/rows"
)

// Databases that clients make, as the runners of tests do: each is a server of its own, without
// a schema. A connection to any other name is one to the database that the schema was given for.

// databases are those of a server, by name.
type databases struct {
	mu    sync.Mutex
	named map[string]*Server
	root  *Server            // of which this is one; nil: of none
	take  func(*Transaction) // records
}

// databaseStatement matches the statements; its groups are the verb, IF EXISTS, the name and
// what follows.
var databaseStatement = regexp.MustCompile(`(?is)^\s*(create|drop)\s+database\s+(if\s+exists\s+)?("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)\s*([^;]*);?\s*$`)

// database is the server of a startup message.
func (s *Server) database(startup []byte) *Server {
	name := cmp.Or(parameter(startup, "database"), parameter(startup, "user"))
	s.databases.mu.Lock()
	defer s.databases.mu.Unlock()
	if other := s.databases.named[name]; other != nil {
		return other
	}
	return s
}

// aboutDatabase does what a message says of a database: of a simple query, or of a statement
// that is prepared. It returns the answer to a query, and what is prepared in place of the
// statement; nil where the message says nothing of one.
func (c *connection) aboutDatabase(m []byte) (answer, instead []byte) {
	text, ok := wire.Text(m)
	if !ok || c.status.Load() != 'I' {
		return nil, nil
	}
	words := databaseStatement.FindStringSubmatch(rows.WithoutComment(text))
	if words == nil {
		return nil, nil
	}
	root := c.server
	if root.databases.root != nil {
		root = root.databases.root
	}
	var err *Error
	if strings.EqualFold(words[1], "create") {
		err = root.createDatabase(identifier(words[3]), words[4])
	} else {
		err = root.dropDatabase(identifier(words[3]), words[2] != "", strings.Contains(strings.ToLower(words[4]), "force"))
	}
	if m[0] == 'P' {
		return nil, prepared(wire.Name(m), err)
	}
	answer = message('C', strings.ToUpper(words[1])+" DATABASE\x00")
	if err != nil {
		answer = message('E', "SERROR\x00VERROR\x00C"+err.Code+"\x00M"+err.Message+"\x00\x00")
	}
	return append(answer, message('Z', "I")...), nil
}

// prepared is a Parse message of a statement that does nothing, or fails.
func prepared(name string, err *Error) []byte {
	return message('P', name+"\x00"+instead(err)+"\x00\x00\x00")
}

// instead is a statement that does nothing, or fails.
func instead(err *Error) string {
	if err == nil {
		return "DO 'BEGIN END'"
	}
	quoted := strings.ReplaceAll(err.Message, "'", "''''")
	return fmt.Sprintf("DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''%s'', MESSAGE = ''%s''; END'", err.Code, quoted)
}

func message(kind byte, body string) []byte {
	m := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4))
	return append(m, body...)
}

// identifier is a name as the server keeps it.
func identifier(name string) string {
	if strings.HasPrefix(name, `"`) {
		return strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
	}
	return strings.ToLower(name)
}

// template matches the database that is copied.
var template = regexp.MustCompile(`(?i)\btemplate\s*=?\s*"?(\w+)`)

func (s *Server) createDatabase(name, with string) *Error {
	if m := template.FindStringSubmatch(with); m != nil && m[1] != "template0" && m[1] != "template1" {
		return &Error{"0A000", fmt.Sprintf("txmc serve copies no database: %q is no template", m[1])}
	}
	s.databases.mu.Lock()
	defer s.databases.mu.Unlock()
	if s.databases.named[name] != nil || name == "postgres" || name == "template0" || name == "template1" {
		return &Error{"42P04", fmt.Sprintf("database %q already exists", name)}
	}
	other, err := NewServer(s.options)
	if err != nil {
		return &Error{"XX000", err.Error()}
	}
	other.databases.root, other.admission, other.lock = s, s.admission, s.lock
	if take := s.databases.take; take != nil {
		other.store.Record(func(t *Transaction) { take(t.in(name)) })
	}
	if s.databases.named == nil {
		s.databases.named = map[string]*Server{}
	}
	s.databases.named[name] = other
	return nil
}

// in is the transaction with its database in the names of its session and of its keys.
func (t *Transaction) in(database string) *Transaction {
	r := *t
	r.Session = database + " " + t.Session
	r.Events = append([]Event(nil), t.Events...)
	for i := range r.Events {
		r.Events[i].Key = database + " " + r.Events[i].Key
	}
	return &r
}

// dropDatabase waits for connections that are about to end, as a server does.
func (s *Server) dropDatabase(name string, ifExists, force bool) *Error {
	s.databases.mu.Lock()
	defer s.databases.mu.Unlock()
	other := s.databases.named[name]
	switch {
	case other == nil && ifExists:
		return nil
	case other == nil:
		return &Error{"3D000", fmt.Sprintf("database %q does not exist", name)}
	}
	if force {
		other.closeAll()
	}
	if !other.emptied() {
		return &Error{"55006", fmt.Sprintf("database %q is being accessed by other users", name)}
	}
	delete(s.databases.named, name)
	other.Close()
	return nil
}

// emptied waits until there is no connection, and reports whether that is so.
func (s *Server) emptied() bool {
	const patience = 5 * time.Second
	for late := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		left := len(s.conns)
		s.mu.Unlock()
		if left == 0 || time.Now().After(late) {
			return left == 0
		}
	}
}

// closeDatabases closes the databases that clients have made.
func (s *Server) closeDatabases() {
	for _, other := range s.all()[1:] {
		other.closeAll()
		other.emptied()
		other.Close()
	}
}

// all are the server and those of its databases.
func (s *Server) all() []*Server {
	s.databases.mu.Lock()
	defer s.databases.mu.Unlock()
	list := []*Server{s}
	for _, other := range s.databases.named {
		list = append(list, other)
	}
	return list
}
