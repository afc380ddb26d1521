package mysql

import (
	"regexp"
	"strings"

	"github.com/txmc/txmc/mysql/wire"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/rows"
	"github.com/txmc/txmc/server/proxy/packet"
)

// A statement in autocommit commits by itself. Between the statement and its commit other
// sessions may run, as under the model: there the commit of what has locked or written rows
// is a step of its own. On a real server such a statement runs between a BEGIN and a COMMIT
// that the client does not see.

// locks matches a locking clause.
var locks = regexp.MustCompile(`(?i)\bfor\s+(update|share)\b|\block\s+in\s+share\s+mode\b`)

// mayLock reports whether a text is one statement that may lock rows, and that locks no more
// in a transaction of several statements. There a plain SELECT locks at SERIALIZABLE, also as
// a part of a SELECT that locks.
func mayLock(text string) bool {
	if strings.Contains(strings.TrimRight(text, "; \t\r\n"), ";") {
		return false
	}
	switch rows.First(text) {
	case "insert", "update", "delete", "replace":
		return true
	case "select":
		return locks.MatchString(text) && strings.Count(strings.ToLower(text), "select") == 1
	}
	return false
}

// implicit reports whether a text that a connection sends commits by itself, and may lock
// rows. Nobody runs beside the schema and the seed. BEGIN would end LOCK TABLES.
func (r *remote) implicit(text string) bool {
	if rows.First(text) == "lock" {
		r.tables = true
	}
	return r.hear != nil && !r.whole && r.owner == nil && !r.tables && mayLock(text)
}

// apart runs a statement in a transaction of its own. The client gets the answer that it would
// get without. Where the session has autocommit off, its transaction goes on.
func (r *remote) apart(c *wire.Relayed, statement *access.Sent) (out []byte, err error) {
	r.own = true
	defer func() { r.own = false }()
	if out, err = r.control("BEGIN"); err != nil || packet.Status(out) != 'T' {
		return out, err
	}
	off := !packet.Autocommit(out)
	if out, err = r.send(statement); err != nil || packet.Status(out) != 'T' {
		return out, err // an error has ended the transaction
	}
	if off {
		r.owner = c
		return out, nil
	}
	end := "COMMIT"
	if strings.HasPrefix(packet.Words(out), "!") {
		end = "ROLLBACK"
	}
	if ended, err := r.control(end); err != nil || packet.Status(ended) != 'I' {
		return ended, err
	}
	return packet.Ended(out), nil
}

// control sends a statement that is not the client's.
func (r *remote) control(text string) ([]byte, error) {
	return r.send(&access.Sent{Startup: r.startup, Messages: string(packet.Make(0, append([]byte{packet.Query}, text...))), Texts: []string{text}})
}
