package mysql

import (
	"github.com/txmc/txmc/mysql/wire"
	"github.com/txmc/txmc/program/rows"
	"github.com/txmc/txmc/server/proxy/packet"
)

// Changes of what an application does, as in package pg: they reach the database in place of
// what the code says.

// Begins gives a level to the transactions of a session that ask for none: "read committed",
// "repeatable read" or "serializable".
func Begins(session, level string) Option {
	return func(c *config) {
		if c.levels == nil {
			c.levels = map[string]string{}
		}
		c.levels[session] = level
	}
}

// Instead sends another statement in place of one in a session, wherever its code sends
// that text. It has as many parameters.
func Instead(session, statement, other string) Option {
	return func(c *config) {
		if c.statements == nil {
			c.statements = map[string]map[string]string{}
		}
		if c.statements[session] == nil {
			c.statements[session] = map[string]string{}
		}
		c.statements[session][statement] = other
	}
}

// Recorded calls f with each statement that a session sends, in the order of the statements,
// as often as the session runs. It is for who wants to know what an application sends; f may
// run at the same time for several explorations.
func Recorded(f func(rows.Sent)) Option {
	return func(c *config) { c.sent = f }
}

// SchemaRecorded calls f with each statement that makes the schema or rows, in their order: those of scripts, and of Go code.
func SchemaRecorded(f func(rows.Sent)) Option {
	return func(c *config) { c.made = f }
}

// changes are those of a program, by session.
type changes struct {
	levels     map[string]string
	statements map[string]map[string]string
	sent       func(rows.Sent)
	made       func(rows.Sent) // takes what makes the schema
}

// levelNames are the levels of InnoDB by their names in SQL.
var levelNames = map[string]string{"read committed": "innodb-rc", "repeatable read": "innodb-rr", "serializable": "innodb-ser"}

// level is that of the transactions of a session that ask for none.
func (c *changes) level(session, otherwise string) string {
	if l := levelNames[c.levels[session]]; l != "" {
		return l
	}
	return otherwise
}

// rewrite gives the statement that is sent in place of one; nil when none is.
func (c *changes) rewrite(session string) func(sql string) string {
	list := c.statements[session]
	if list == nil {
		return nil
	}
	return func(sql string) string {
		if other, ok := list[sql]; ok {
			return other
		}
		return sql
	}
}

// Sent hands on a statement and its arguments.
func (s *server) Sent(sql string, args []string) { s.Notify(s.sent, sql, args) }

// rewritten is a command whose statement another one replaces.
func (r *remote) rewritten(packets, payload []byte) []byte {
	if r.rewrite == nil || payload[0] != packet.Query && payload[0] != packet.Prepare {
		return packets
	}
	text := string(payload[1:])
	other := r.rewrite(text)
	if other == text {
		return packets
	}
	return packet.Make(0, append([]byte{payload[0]}, other...))
}

var _ wire.Teller = (*server)(nil)
