package pg

import "github.com/txmc/txmc/program/rows"

// Changes of an application's statements and levels, to try what would follow from them. They
// reach the database in place of what the code says.

// Begins gives a level to the transactions of a session that ask for none: "repeatable
// read" or "serializable".
func Begins(session, level string) Option {
	return func(c *config) { c.changes.levels = set(c.changes.levels, session, level) }
}

// Instead sends another statement in place of one in a session, wherever its code sends
// that text.
func Instead(session, statement, other string) Option {
	return func(c *config) {
		if c.changes.statements == nil {
			c.changes.statements = map[string]map[string]string{}
		}
		c.changes.statements[session] = set(c.changes.statements[session], statement, other)
	}
}

// Recorded calls f with each statement that a session sends, in their order, as often as the
// session runs. It is for who wants to know what an application sends; f may run at the same
// time for several explorations.
func Recorded(f func(rows.Sent)) Option {
	return func(c *config) { c.changes.sent = f }
}

// SchemaRecorded calls f with each statement that Go code which makes the schema or rows sends, in their order: that of
// [SchemaFunc], [SchemaDSN] and their likes.
func SchemaRecorded(f func(rows.Sent)) Option {
	return func(c *config) { c.changes.made = f }
}

// changes are those of a program, by session.
type changes struct {
	levels     map[string]string
	statements map[string]map[string]string
	sent       func(rows.Sent)
	made       func(rows.Sent) // takes what code of the schema sends
}

func set(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

// apply changes what a session's server does.
func (c *changes) apply(s *server, session string) {
	s.sent = c.sent
	if l := c.levels[session]; l != "" {
		s.level = l
	}
	if list := c.statements[session]; list != nil {
		s.hub.Rewrite = func(sql string) string {
			if other, ok := list[sql]; ok {
				return other
			}
			return sql
		}
	}
}
