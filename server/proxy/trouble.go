package proxy

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/txmc/txmc/program/behaviour"
)

// Some errors are no answers of a database that a program has to live with: the server is
// in trouble, or time has decided. A run ends with them.

// troubles are the SQLSTATEs that end a run, by their beginnings (PostgreSQL
// documentation, appendix A), and what to do.
var troubles = []Trouble{
	{Code: "53100", What: "the disk of the server is full: make room there"},
	{Code: "53", What: "the server lacks something: give it more"},
	{Code: "57014", What: "the statement was ended from outside, or by a timeout of the server or of the program: set no statement_timeout", Timed: true},
	{Code: "57P", What: "the server ends, or does not take connections: start it again"},
	{Code: "58", What: "the server met an error of its system"},
	{Code: "F0", What: "the configuration of the server is wrong"},
	{Code: "XX", What: "the server met an error of its own, which is a bug in it or a damaged file"},
}

// trouble is the error of an answer after which a run cannot go on.
func (x *execution) trouble(i int, words string) error {
	code, message, _ := strings.Cut(words, " ")
	if !strings.HasPrefix(code, "!") {
		return nil
	}
	for _, t := range x.dialect.Troubles {
		if strings.HasPrefix(code[1:], t.Code) {
			if x.free && t.Timed {
				x.timed = true
				return nil
			}
			n := x.sessions[i].node
			return &behaviour.Error{Kind: behaviour.Crashed, Program: x.client.Name, Session: x.client.SessionName(i), At: x.client.Location(n.Loc),
				Message: fmt.Sprintf("in step %d the server has answered %q to %q (%s %s): %s", x.number, message, n.Sent, x.dialect.Code, code[1:], t.What)}
		}
	}
	return nil
}

// late is the error of a statement that runs for too long and waits for no lock.
func (x *execution) late(i int) error {
	n := x.sessions[i].node
	return &behaviour.Error{Kind: behaviour.Stalled, Program: x.client.Name, Session: x.client.SessionName(i), At: x.client.Location(n.Loc),
		Message: fmt.Sprintf("in step %d the server has not answered to %q for %v, and no lock keeps it", x.number, n.Sent, x.limit), Limit: "patience"}
}

// starved is the error of a session that waits when no other can go on.
func (x *execution) starved(i int) error {
	n, by := x.sessions[i].node, "somebody"
	if ids, err := x.db.Blockers(x.ctx, x.sessions[i].link); err == nil {
		by = cmp.Or(x.db.Describe(x.ctx, ids), by)
	}
	return &behaviour.Error{Kind: behaviour.Stalled, Program: x.client.Name, Session: x.client.SessionName(i), At: x.client.Location(n.Loc),
		Message: fmt.Sprintf("the statement %q waits for a lock that %s holds, and no session is left that could go on", n.Sent, by)}
}
