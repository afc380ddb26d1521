package proxy

import (
	"cmp"
	"strings"

	"github.com/txmc/txmc/explore/executed"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// The lines of a report say what the server has done, in the words that reports have for a
// database's model.

// line begins the line of the statement at which the session stands.
func (x *execution) line(i int) {
	s := &x.sessions[i]
	n, name := s.node, x.client.SessionName(i)
	o := report.Operation{
		Step: x.number, Session: name, Transaction: program.Part{Session: name, Txn: int(n.Txn)}.String(), Name: n.Transaction(),
		What: report.StepRan, Op: report.OpStatement, Statement: n.Sent.String(), At: x.client.Location(n.Loc).String(),
	}
	if n.Conn > 0 {
		o.Connection = int(n.Conn) + 1
	}
	switch x.dialect.Kind(n.Sent) {
	case Commits:
		o.Op, o.Statement = report.OpCommit, ""
	case RollsBack:
		o.Op, o.Statement = report.OpRollback, ""
	}
	s.line = len(x.lines)
	x.lines = append(x.lines, o)
	x.by = name + "'s " + o.Op
}

// waits says of a session's statement that it waits.
func (x *execution) waits(i int) {
	if at := x.sessions[i].line; at >= 0 {
		x.lines[at].What = report.StepWaits
		if x.named || !x.dialect.Unnamed {
			x.lines[at].For = x.blockers(i)
		}
	}
}

// say says what has become of the statement of a line: there, or where it goes on after it
// has waited in a line of its own.
func (x *execution) say(at, i int, words string) {
	o := x.lines[at]
	if o.What == report.StepWaits {
		o.What, o.For, o.Step = report.StepGoesOn, nil, x.number
		if x.by != o.Session+"'s "+o.Op {
			o.After = x.by
		}
		at = len(x.lines)
		x.lines = append(x.lines, o)
	}
	code, message, failed := strings.Cut(words, " ")
	switch {
	case failed && strings.HasPrefix(code, "!"):
		x.lines[at].Error, x.lines[at].Message = code[1:], message
	case o.Op == report.OpStatement && words != "":
		x.lines[at].Result = executed.Counted(words)
	}
}

// statementOf is an operation without what has become of it.
func statementOf(o *report.Operation) string { return cmp.Or(o.Statement, o.Op) }
