package pg

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/rows"
)

// state is what a client's session has that its instance would lose with it: settings and
// prepared statements, as the messages that make them. What cannot be told from messages
// keeps the instance (PostgreSQL's documentation, chapter 55, and DISCARD).
type state struct {
	hello    []byte   // the startup message
	settings [][]byte // SET outside of transactions, as queries
	names    []string // of prepared statements, in the order of their messages
	prepared map[string][]byte
	synced   bool // the server waits for a statement, outside of transactions
	numbered bool // the last statement has taken a number of a sequence
	keeps    bool // there is something that cannot be repeated
}

func newState() state { return state{prepared: map[string][]byte{}} }

// repeatable reports whether another instance could go on.
func (s *state) repeatable() bool { return s.synced && !s.keeps && !s.numbered && s.hello != nil }

// begins reports whether a message begins a statement that another instance could run as
// well. What the statement might ask of the session can be repeated, and it does not ask
// which number a sequence gave.
func (s *state) begins(m []byte) bool {
	if !s.synced || s.keeps || s.hello == nil {
		return false
	}
	switch m[0] {
	case 'Q', 'P':
		text, ok := wire.Text(m)
		return ok && harmless(text)
	case 'B':
		return true
	}
	return false
}

// again lists the messages that repeat it.
func (s *state) again() (list [][]byte) {
	if s.hello == nil {
		return nil
	}
	list = append(append(list, s.hello), s.settings...)
	for _, name := range s.names {
		list = append(list, s.prepared[name])
	}
	if len(s.names) > 0 {
		list = append(list, wire.Sync)
	}
	return list
}

// after notes what a message has done, by its answer and the state of the server.
func (s *state) after(m, out []byte, status byte) {
	if m[0] == 0 {
		s.hello, s.synced = bytes.Clone(m), status == 'I'
		return
	}
	was := s.synced
	s.synced = status == 'I'
	switch m[0] {
	case 'Q':
		s.numbered = false
		s.drop("")
		text, _ := wire.Text(m)
		s.query(m, text, was && s.synced && !wire.Failed(out))
	case 'P':
		s.numbered = false
		s.parse(m, out)
	case 'C':
		if m[5] == 'S' {
			s.drop(wire.Name(m))
		}
	case 'F':
		s.keeps = true // any function may be called
	}
}

// query notes a simple query; alone says that it was no part of a transaction.
func (s *state) query(m []byte, text string, alone bool) {
	switch word := firstWord(text); {
	case harmless(text), defining(m):
	case word == "set" && alone && !strings.Contains(text, ";") && len(s.settings) < maxSettings:
		s.settings = append(slices.DeleteFunc(s.settings, func(old []byte) bool { return bytes.Equal(old, m) }), bytes.Clone(m))
	case alone && strings.EqualFold(strings.Trim(text, " \t\r\n;"), "discard all"):
		hello := s.hello
		*s = newState()
		s.hello, s.synced = hello, true
	default:
		s.keeps = true
	}
}

// maxSettings is how many SETs are repeated.
const maxSettings = 100

// parse notes a prepared statement.
func (s *state) parse(m, out []byte) {
	text, _ := wire.Text(m)
	if !harmless(text) && !defining(m) {
		s.keeps = true
	}
	if wire.Failed(out) {
		return
	}
	name := wire.Name(m)
	s.drop(name)
	s.names = append(s.names, name)
	s.prepared[name] = bytes.Clone(m)
}

func (s *state) drop(name string) {
	if _, ok := s.prepared[name]; ok {
		delete(s.prepared, name)
		s.names = slices.DeleteFunc(s.names, func(n string) bool { return n == name })
	}
}

// harmless reports whether a text leaves nothing in the session, whatever it does to rows.
func harmless(text string) bool {
	lower := strings.ToLower(text)
	for _, word := range []string{"set_config", "currval", "lastval", "setseed", "setval", "pg_advisory", "temp"} {
		if strings.Contains(lower, word) {
			return false
		}
	}
	for part := range strings.SplitSeq(lower, ";") {
		switch firstWord(part) {
		case "", "select", "insert", "update", "delete", "merge", "with", "values", "table", "begin", "start", "commit", "end",
			"rollback", "abort", "savepoint", "release", "show", "explain", "truncate", "lock", "copy":
		default:
			return false
		}
	}
	return true
}

// firstWord is a text's first word in lower case.
func firstWord(text string) string {
	text = strings.TrimLeft(rows.WithoutComment(text), " \t\r\n(")
	if end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		text = text[:end]
	}
	return strings.ToLower(text)
}
