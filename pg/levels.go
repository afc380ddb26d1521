package pg

import (
	"strings"

	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/rows"
)

// Levels of transactions by the names of their functions: program.Options.Levels. The name
// is known when the first statement after BEGIN comes, whose stack has the function; SET
// TRANSACTION may still change the level then.

// given is what is known of the level that a transaction is given.
type given struct {
	pending bool   // BEGIN was sent, and no statement that could have taken a snapshot
	passes  bool   // the statement parsed last takes none
	level   string // that the transaction must have, "" for any
}

// named are the levels of PostgreSQL as SET TRANSACTION names them, by the names of levels.
var named = map[string]string{"pg-rc": "READ COMMITTED", "pg-rr": "REPEATABLE READ", "pg-ser": "SERIALIZABLE"}

// requested are the same as requests have them: pg/model, Session.begin.
var requested = map[string]uint8{"pg-rc": 0, "pg-rr": 1, "pg-ser": 2}

// give sends SET TRANSACTION before the first message of a transaction that parses, binds
// or runs a statement other than BEGIN and SET.
func (s *server) give(messages []byte) error {
	g := &s.log.given
	if !g.pending || len(messages) < 5 || !strings.ContainsRune("PQB", rune(messages[0])) || !s.hub.InTransaction() {
		return nil
	}
	if messages[0] != 'B' {
		text := sent(messages)
		g.passes = rows.Control(text) || rows.First(text) == "set"
	}
	if g.passes {
		return nil
	}
	g.pending = false
	s.log.Here()
	level := s.log.LevelOf()
	if level == "" {
		return nil
	}
	_, err := s.x.Exchange(wire.Query("SET TRANSACTION ISOLATION LEVEL " + named[level]))
	return err
}

// sent is the statement of a Parse or Query message.
func sent(m []byte) string {
	text := string(m[5:])
	if m[0] == 'P' {
		_, text, _ = strings.Cut(text, "\x00")
	}
	text, _, _ = strings.Cut(text, "\x00")
	return text
}

// Ask asks the model. A transaction that has another level than the one it was given ends
// the exploration: nothing is said of levels that were not explored.
func (l *log) Ask(q *access.Request, joins bool) (access.Answer, error) {
	l.notices() // the client has got them, also when the request waits
	if want := l.given.level; q.First && want != "" {
		l.given.level = ""
		if q.Level != requested[want] {
			return access.Answer{}, l.Fail("the transaction cannot be given the level %s: its first statement is sent together with BEGIN, or it sets its level after its first statement", want)
		}
	}
	return l.Backend.Ask(q, joins)
}
