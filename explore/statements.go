package explore

import (
	"strings"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/report"
)

// Steps of an executor: a statement is many requests, and one line of the report, or
// one more for each time that it waits.

// asked makes the lines of a request.
func (b *stepper) asked(e *dpor.Event) {
	b.hear(e.Node)
	text := statementOf(e.Node)
	last := b.open[e.Session]
	switch {
	case last < 0 && text == "": // a savepoint, or the end of an autocommit
	case text != "" || e.Kind != dpor.Ran && last >= 0 && b.steps[last].What != whats[e.Kind]:
		s := b.make(e)
		if s.Statement = text; text == "" {
			s.Statement = b.steps[last].Statement
		}
		if e.Kind == dpor.GoesOn {
			s.After = b.by
		}
		b.open[e.Session] = len(b.steps)
		b.steps = append(b.steps, s)
	}
	if e.Kind == dpor.Ran {
		b.by = b.client.SessionName(e.Session) + "'s statement"
	}
	if last = b.open[e.Session]; last >= 0 && e.Kind == dpor.GoesOn {
		b.sees(&b.steps[last], e)
	}
}

// statementOf is the statement that begins with a node, "" when none does.
func statementOf(n *program.Node) (text string) {
	for _, ev := range n.Events {
		if ev.Kind == program.StatementEvent {
			text = ev.Text
		}
	}
	return text
}

// hear adds what the database has answered to the session's statement before n.
func (b *stepper) hear(n *program.Node) {
	last := b.open[int(n.Session)]
	for _, ev := range n.Events {
		if ev.Kind != program.AnswerEvent || last < 0 {
			continue
		}
		if code, message, failed := strings.Cut(ev.Text, " "); failed && strings.HasPrefix(code, "!") {
			b.steps[last].Error, b.steps[last].Message = code[1:], message
		} else {
			b.steps[last].Value = ev.Text
		}
	}
}

// sees tells which version a statement has come to after a wait.
func (b *stepper) sees(s *report.Operation, e *dpor.Event) {
	if a := b.client.Asked(e.Answer); e.Node.Request.Kind == access.Lock && a.Result == access.OK && len(a.Versions) > 0 {
		s.Found = b.client.Storage().Describe(a.Versions[0].Value)
	}
}

// ends reports whether a transaction ends as part of a statement, so that there is no
// line of its own for it.
func (b *stepper) ends(e *dpor.Event) bool {
	return e.Node.Joins && e.Answer >= program.Done && e.Node.Kind != program.Change
}

// leftIn are the rows that are left in an executor's tables.
func leftIn(client *program.Client, rows []int32) (list []report.Assigned) {
	for _, v := range rows {
		table, content, _ := strings.Cut(client.Storage().Describe(v), " ")
		list = append(list, report.Assigned{Key: table, Value: content})
	}
	return list
}
