package executed

import (
	"fmt"
	"strings"

	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// Steps of an executor: a statement is many requests, and one line of the report, or
// one more for each time that it waits.

// asked makes the lines of a request.
func (b *stepper) asked(e *states.Event) {
	b.hear(e.Node)
	text, last := statementOf(e.Node), b.open[e.Session]
	switch {
	case text != "" && b.paused[e.Session] != e.Node:
		b.line(e, text)
	case last < 0: // a savepoint
		return
	case e.Kind == states.GoesOn && b.steps[last].What == report.StepWaits, e.Kind == states.Waits && b.steps[last].What == report.StepGoesOn:
		b.line(e, b.steps[last].Statement)
	case e.Kind != states.GoesOn && !b.continues(e):
		b.pause(last)
		b.line(e, b.steps[last].Statement)
		if e.Kind == states.Ran || e.Kind == states.Pauses {
			b.steps[b.open[e.Session]].What = report.StepResumes
		}
	case e.Kind == states.Waits: // it has waited for nothing before
		s := b.make(e)
		b.steps[last].What, b.steps[last].For = s.What, s.For
	}
	s := &b.steps[b.open[e.Session]]
	if e.Kind == states.Pauses {
		b.paused[e.Session], b.more[b.open[e.Session]] = e.Node, true
		return
	}
	if e.Kind == states.Ran {
		b.by = s.Session + "'s " + s.Op
	} else if e.Kind == states.GoesOn && s.After == "" {
		s.After = b.by
	}
	if e.Kind != states.Waits {
		b.victim(e.Session, b.client.Asked(e.Answer).Code)
	}
	b.contents(s, e)
}

// line begins a line of a statement.
func (b *stepper) line(e *states.Event, text string) {
	s := b.make(e)
	s.Statement, s.Level = text, levels[b.client.Storage().Engine][e.Node.Request.Level].String()
	b.open[e.Session] = len(b.steps)
	b.steps = append(b.steps, s)
}

// pause says of a line that others have run before its statement went on.
func (b *stepper) pause(at int) {
	s := &b.steps[at]
	switch s.What {
	case report.StepRan:
		s.What, s.Point = report.StepPauses, "takes its snapshot"
		if b.more[at] {
			s.Point = "has not ended"
		}
	case report.StepResumes:
		s.What, s.Point = report.StepPauses, "goes on, and has not ended"
	}
}

// levels are the names of the levels of requests.
var levels = [...][]isolation.Level{
	access.Heap:  {isolation.PgRC, isolation.PgRR, isolation.PgSer},
	access.Trees: {isolation.InnoRC, isolation.InnoRR, isolation.InnoRRSI, isolation.InnoSer, isolation.InnoRU},
}

// mostRows is how many rows of a request are shown.
const mostRows = 4

// contents tells what a request has found or written.
func (b *stepper) contents(s *report.Operation, e *states.Event) {
	if e.Kind == states.Waits {
		return
	}
	a, q, describe := b.client.Asked(e.Answer), e.Node.Request, b.client.Storage().Describe
	if q.Kind != access.Nothing && !scans[q.Kind] {
		b.more[b.open[e.Session]] = true
	}
	switch {
	case e.Kind == states.GoesOn && (q.Kind == access.Open || q.Kind == access.Step) && len(a.Versions) > 0:
		s.Found = describe(a.Versions[0].Value)
	case q.Kind == access.Lock && a.Result == access.OK && e.Kind == states.GoesOn:
		s.Found = describe(a.Versions[0].Value)
	case q.Kind == access.Insert || q.Kind == access.Update || q.Kind == access.Put || q.Kind == access.Write && !q.Gone:
		if a.Result == access.OK {
			s.Rows = append(s.Rows, "writes "+describe(q.Row.Value))
		}
	case scans[q.Kind]:
		for i, v := range a.Versions {
			if i == mostRows {
				s.Rows = append(s.Rows, fmt.Sprintf("and %d more", len(a.Versions)-i))
				break
			}
			s.Rows = append(s.Rows, "reads "+describe(v.Value))
		}
	}
}

// scans are the requests whose answers are rows that are read.
var scans = map[access.Kind]bool{access.ScanTable: true, access.ScanKey: true, access.ScanIndex: true, access.Read: true, access.Open: true, access.Step: true}

// statementOf is the statement that begins with a node, "" when none does.
func statementOf(n *behaviour.Node) (text string) {
	for _, ev := range n.Events {
		if ev.Kind == behaviour.StatementEvent {
			text = ev.Text
		}
	}
	return text
}

// hear adds what the database has answered to the session's statement before n. Later
// answers are those of statements that are in no line, as BEGIN is.
func (b *stepper) hear(n *behaviour.Node) {
	last := b.open[int(n.Session)]
	for _, ev := range n.Events {
		if ev.Kind != behaviour.AnswerEvent || last < 0 || b.steps[last].Result != "" || b.steps[last].Error != "" {
			continue
		}
		if code, message, failed := strings.Cut(ev.Text, " "); failed && strings.HasPrefix(code, "!") {
			b.steps[last].Error, b.steps[last].Message = code[1:], message
			if ownWay[code[1:]] {
				b.steps[last].After = ""
			}
		} else {
			b.steps[last].Result = Counted(ev.Text)
		}
	}
}

// unanswered reports whether the client has no answer yet to its latest statement: in
// autocommit it comes after the commit.
func (b *stepper) unanswered(sess int) bool {
	last := b.open[sess]
	return last >= 0 && b.steps[last].Result == "" && b.steps[last].Error == ""
}

// ends reports whether a transaction ends as part of a statement, so that there is no
// line of its own for it.
func (b *stepper) ends(e *states.Event) bool {
	return b.continues(e) && e.Answer >= behaviour.Done && e.Node.Kind != behaviour.Change
}

// leftIn are the rows that are left in an executor's tables.
func leftIn(client *program.Client, rows []int32) (list []report.Assigned) {
	for _, v := range rows {
		table, content, _ := strings.Cut(client.Storage().Describe(v), " ")
		list = append(list, report.Assigned{Key: table, Value: content})
	}
	return list
}

// Counted is a command tag in words: the number at its end counts rows.
func Counted(tag string) string {
	n := tag[strings.LastIndexByte(tag, ' ')+1:]
	switch {
	case strings.Contains(tag, ", ") || strings.Trim(n, "0123456789") != "":
		return tag
	case n == "1":
		return "1 row"
	}
	return n + " rows"
}
