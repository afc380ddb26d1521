package proxy

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// A violation under the model is a list of operations: a statement of a session has been
// answered, or waits, or goes on. It is followed on the server operation by operation. The
// model knows no statements that read and write no tables, such as BEGIN or SELECT now().
// Each of them is passed over when the session comes to it.

// follower follows a schedule.
type follower struct {
	*execution
	recorded []report.Operation
	at       int // the operation that is followed
	answers  []report.Answered
	differs  *report.Difference
	// deadlocked: at the difference the model or the server ends a transaction by a deadlock.
	deadlocked bool
}

// deadlocks are the errors of PostgreSQL and InnoDB that end a transaction by a deadlock.
var deadlocks = []string{"40P01", "1213"}

// follow makes the steps of a schedule as far as the server does what the model did.
func (f *follower) follow() error {
	for ; f.at < len(f.recorded) && f.differs == nil; f.at++ {
		op := &f.recorded[f.at]
		i := f.session(op.Session)
		if i < 0 {
			f.differ(op, "the session is not there", "")
			break
		}
		if i == f.client.Final() && !f.over() {
			if err := f.before(); err != nil || f.differs != nil {
				return err
			}
		}
		if op.What == report.StepGoesOn {
			f.goesOn(op, i)
			continue
		}
		if err := f.make(op, i); err != nil {
			return err
		}
	}
	return nil
}

// insideOf is the first operation of a schedule inside of which others run; nil if there is none.
func insideOf(schedule []report.Operation) *report.Operation {
	for i := range schedule {
		if o := &schedule[i]; o.What == report.StepPauses || o.What == report.StepResumes {
			return o
		}
	}
	return nil
}

// session is the index of the session of that name, or -1.
func (f *follower) session(name string) int {
	for i := range f.sessions {
		if f.client.SessionName(i) == name {
			return i
		}
	}
	return -1
}

// make lets the session come to the operation's statement, and makes its step.
func (f *follower) make(op *report.Operation, i int) error {
	s := &f.sessions[i]
	f.number = op.Step
	if s.busy {
		if f.repeats(op, i) { // the model looks at it again, which nobody sees
			return nil
		}
		f.differ(op, "the session still waits for "+strings.Join(f.blockers(i), ", "), "")
		return nil
	}
	for f.ready(i) {
		found := f.does(s.node, op)
		if found || f.dialect.Kind(s.node.Sent) == Runs {
			f.line(i)
		}
		if err := f.send(i); err != nil {
			return err
		}
		if err := f.settle(); err != nil {
			return err
		}
		if found {
			f.look(op, i)
			return nil
		}
	}
	now := "end of the session"
	if s.busy {
		now = fmt.Sprintf("%s waits for %s", s.node.Sent, strings.Join(f.blockers(i), ", "))
	}
	f.differ(op, now, "")
	return nil
}

// repeats reports whether the operation is that of the statement that still waits.
func (f *follower) repeats(op *report.Operation, i int) bool {
	return op.What == report.StepWaits && f.does(f.sessions[i].node, op)
}

// does reports whether the session stands at the operation's statement.
func (f *follower) does(n *behaviour.Node, op *report.Operation) bool {
	if n.Kind != behaviour.Relay {
		return false
	}
	switch k := f.dialect.Kind(n.Sent); op.Op {
	case report.OpCommit:
		return k == Commits
	case report.OpRollback:
		return k == RollsBack
	}
	statement := plainly(op.Statement) // it may have what another server has made up
	return op.Op == report.OpStatement && slices.ContainsFunc(n.Sent.Texts, func(text string) bool { return plainly(text) == statement })
}

// quotedBare matches a number, what stands for one that a server has made, or a truth value, in quotes.
var quotedBare = regexp.MustCompile(`'(#|-?\d+(?:\.\d+)?|t|f|true|false)'`)

// bareTruth matches a truth value without quotes, as a word of its own.
var bareTruth = regexp.MustCompile(`([\s(,=])(t|f)(?:rue|alse)\b`)

// plainly is a statement without what a server makes up, and with bare numbers and truth values: whether the type of a parameter is known,
// which says how it is shown, depends on what a connection has asked before.
func plainly(text string) string {
	text = quotedBare.ReplaceAllStringFunc(unmade(text), func(q string) string {
		switch q = q[1 : len(q)-1]; q {
		case "true", "false":
			return q[:1]
		}
		return q
	})
	return bareTruth.ReplaceAllString(text, "$1$2")
}

// look compares what has become of a statement that was sent.
func (f *follower) look(op *report.Operation, i int) {
	now := f.latest(i)
	f.note(op, now)
	switch {
	case now == nil:
	case (op.What == report.StepWaits) != f.sessions[i].busy:
		f.deadlocked = slices.Contains(deadlocks, now.Error)
		f.differ(op, now.Text(), now.At)
	case op.What != report.StepWaits:
		f.same(op, now)
	}
}

// goesOn compares the answer of a session that has waited.
func (f *follower) goesOn(op *report.Operation, i int) {
	if f.sessions[i].busy {
		for _, next := range f.recorded[f.at+1:] {
			if next.Session == op.Session && next.What == report.StepWaits && next.Statement == op.Statement {
				return // it waits again, which nobody sees on a server
			}
			if next.Session == op.Session {
				break
			}
		}
		f.note(op, nil)
		f.deadlocked = slices.Contains(deadlocks, op.Error)
		f.differ(op, "the session still waits for "+strings.Join(f.blockers(i), ", "), "")
		return
	}
	now := f.latest(i)
	f.note(op, now)
	if now != nil {
		f.same(op, now)
	}
}

// same compares answers: the error, and the number of rows.
func (f *follower) same(op, now *report.Operation) {
	if op.Error != now.Error || op.Error == "" && op.Result != "" && op.Result != now.Result {
		f.deadlocked = slices.Contains(deadlocks, op.Error) || slices.Contains(deadlocks, now.Error)
		f.differ(op, now.Text(), now.At)
	}
}

// latest is the last line of a session; nil before the first.
func (f *follower) latest(i int) *report.Operation {
	for at := len(f.lines) - 1; at >= 0; at-- {
		if f.lines[at].Session == f.client.SessionName(i) {
			return &f.lines[at]
		}
	}
	return nil
}

// note notes what an operation has come to on the server.
func (f *follower) note(op, now *report.Operation) {
	a := report.Answered{Step: op.Step, Session: op.Session, Statement: cmp.Or(op.Statement, op.Op), At: op.At, Model: outcome(op), Server: "still waits"}
	if now != nil {
		a.Server = outcome(now)
	}
	f.answers = append(f.answers, a)
}

// outcome is what an operation has come to.
func outcome(op *report.Operation) string {
	switch {
	case op.What == report.StepWaits && len(op.For) == 0:
		return "waits"
	case op.What == report.StepWaits:
		return "waits for " + strings.Join(op.For, ", ")
	case op.Error != "":
		return "error " + op.Error
	}
	return cmp.Or(op.Result, "done")
}

func (f *follower) differ(op *report.Operation, now, at string) {
	f.differs = &report.Difference{Session: op.Session, Transaction: op.Transaction, Recorded: op.Text(), RecordedAt: op.At, Now: now, NowAt: at}
}

// before lets the sessions end before the Finals: the model has come to their ends, which
// are no operations.
func (f *follower) before() error {
	for i := range f.sessions {
		for f.ready(i) && i != f.client.Final() {
			if n := f.sessions[i].node; f.dialect.Kind(n.Sent) == Runs && f.client.SessionName(i) != "" {
				f.line(i)
			}
			if err := f.send(i); err != nil {
				return err
			}
			if err := f.settle(); err != nil {
				return err
			}
		}
	}
	if !f.over() {
		return f.ended()
	}
	return nil
}
