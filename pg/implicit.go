package pg

import (
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/rows"
)

// A statement in autocommit commits by itself, and so does a batch without BEGIN. Between
// the statement and its commit other sessions may run, as under the model. There the commit
// is a step of its own when the statement has written. At SERIALIZABLE it is one also when
// the statement has read. On a real server the proxy holds back the Sync of the extended
// protocol. It runs a simple query between a BEGIN and a COMMIT that the client does not
// see.

// implicit reports whether a session has gathered what commits by itself, and may have
// written. Nobody runs beside the schema and the seed.
func (r *remote) implicit() bool { return r.hear != nil && !r.whole && !r.inside && r.wrote }

// locks matches a locking clause.
var locks = regexp.MustCompile(`(?i)\bfor\s+(update|no\s+key\s+update|share|key\s+share)\b`)

// matters reports whether a message is one statement whose end may mean something to others.
// Such a statement may write or lock rows. At SERIALIZABLE a statement that reads rows is
// one too. The words are those of statements that may run inside a transaction, and never
// end one.
func (r *remote) matters(text string) bool {
	if strings.Contains(strings.TrimRight(text, "; \t\r\n"), ";") {
		return false
	}
	switch rows.First(text) {
	case "insert", "update", "delete", "merge", "with":
		return true
	case "select":
		return r.serial && readsTable.MatchString(text) || locks.MatchString(text)
	case "table":
		return r.serial
	}
	return false
}

// readsTable matches what a SELECT that reads a table has.
var readsTable = regexp.MustCompile(`(?i)\bfrom\b`)

// apart runs a simple query in a transaction of its own. The client gets the answers that
// it would get without.
func (r *remote) apart() ([]byte, error) {
	r.own = true
	out, err := r.inTransaction(r.unsent)
	r.own = false
	if err == nil {
		r.hear(out)
	}
	return out, err
}

func (r *remote) inTransaction(query access.Sent) ([]byte, error) {
	if out, err := r.control("BEGIN"); err != nil || wire.Status(out) != 'T' {
		return out, err
	}
	r.unsent = query
	out, err := r.ask(0)
	if err != nil {
		return nil, err
	}
	end := "COMMIT"
	if wire.Status(out) == 'E' {
		end = "ROLLBACK"
	}
	ended, err := r.control(end)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(wire.Words(ended), "!") { // the command has not completed
		return append(wire.Without(out, "CZ"), ended...), nil
	}
	return append(wire.Without(out, "Z"), wire.Without(ended, "C")...), nil
}

// control sends a statement that is not the client's.
func (r *remote) control(text string) ([]byte, error) {
	m, err := (&pgproto3.Query{String: text}).Encode(nil)
	if err != nil {
		return nil, err
	}
	r.unsent = access.Sent{Messages: string(m), Texts: []string{text}}
	return r.ask(0)
}
