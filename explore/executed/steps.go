// Package executed makes lines of a report of executions under a database's model.
package executed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// Violation is the line of an execution with failures.
func Violation(src report.Source, client *program.Client, found *dpor.Found) (*report.Violation, error) {
	steps, printed, err := steps(src, client, found, states.Points)
	if err != nil {
		return nil, err
	}
	v := src.Executed(found.Failures, steps, leftIn(client, found.Rows), found.Values)
	v.Printed = printed
	v.Choices = Choices(client, found.Schedule)
	v.Observed = Observed(client, found.Ends)
	return v, nil
}

// Observed is what the sessions that end at some nodes have observed, by session.
func Observed(client *program.Client, ends []*behaviour.Node) (list []report.Assigned) {
	for i, end := range ends {
		var words []string
		for _, n := range end.Path() {
			for _, e := range n.Events {
				if e.Kind == behaviour.ObserveEvent {
					words = append(words, e.Text+" = "+client.Format(e.Val))
				}
			}
		}
		if len(words) > 0 {
			list = append(list, report.Assigned{Key: client.SessionName(i), Value: strings.Join(words, ", ")})
		}
	}
	return list
}

// Listed is the line of an execution in a listing, whose schedule has such steps.
func Listed(src report.Source, client *program.Client, found *dpor.Found, of states.Steps) (*report.Listed, error) {
	steps, printed, err := steps(src, client, found, of)
	if err != nil {
		return nil, err
	}
	l := src.ListedExecution(steps, leftIn(client, found.Rows), found.Values)
	l.Printed = printed
	return l, nil
}

// Left are the values that an execution has left.
func Left(src report.Source, client *program.Client, found *dpor.Found) []report.Assigned {
	return src.ListedExecution(nil, leftIn(client, found.Rows), found.Values).Left
}

func steps(src report.Source, client *program.Client, found *dpor.Found, of states.Steps) ([]report.Operation, []report.Printed, error) {
	events, err := states.Events(client, src.Level, of, found.Schedule)
	if err != nil {
		return nil, nil, err
	}
	b := step(client, events, found.Ends)
	return b.steps, b.printed, nil
}

// Operations puts events into the words of a report. Ends are the nodes at which the
// sessions stand afterwards.
func Operations(client *program.Client, events []states.Event, ends []*behaviour.Node) []report.Operation {
	return step(client, events, ends).steps
}

// step makes the steps.
func step(client *program.Client, events []states.Event, ends []*behaviour.Node) *stepper {
	b := &stepper{client: client, ran: -1, more: map[int]bool{}, paused: map[int]*behaviour.Node{}, open: make([]int, client.Sessions()), output: newOutput(client.Sessions())}
	for i := range b.open {
		b.open[i] = -1
	}
	for i := range events {
		b.prints(events[i].Node, len(b.steps))
		b.add(&events[i])
		b.follows(events[i].Session, len(b.steps))
	}
	for _, n := range ends {
		b.prints(n, len(b.steps))
		b.hear(n)
	}
	b.sort()
	return b
}

// Errors are the errors that the outcomes of an exploration have met.
func Errors(client *program.Client, met []states.DatabaseError) (list []report.Expected) {
	for _, m := range met {
		e := report.Expected{Code: m.Code, Message: m.Message, Commit: m.Commit, Outcomes: m.Outcomes}
		e.Transactions = Transactions(m.At)
		list = append(list, e)
	}
	return list
}

// Transactions are the names of the transactions in which nodes are, each once.
func Transactions(nodes []*behaviour.Node) (names []string) {
	for _, n := range nodes {
		if name := n.Transaction(); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// stepper makes the steps of a report of events.
type stepper struct {
	client *program.Client
	steps  []report.Operation
	by     string                  // what has run last
	step   int                     // of the last event
	number int                     // of steps in which something ran
	ran    int                     // the session of the last event, -1 before the first
	open   []int                   // by session: the line of its statement, -1 for none
	more   map[int]bool            // by line: it has done more than read
	paused map[int]*behaviour.Node // by session: the last request inside of which others may run
	output
}

func (b *stepper) add(e *states.Event) {
	if e.Kind != states.GoesOn && (b.step != e.Step || b.number == 0) && !b.continues(e) {
		b.number++
	}
	defer func() { b.step, b.ran = e.Step, e.Session }()
	if e.Node.Kind == behaviour.Serve {
		b.asked(e)
		return
	}
	b.hear(e.Node)
	if b.ends(e) {
		return
	}
	s := b.make(e)
	if e.Node.Kind != behaviour.Commit || s.Error != "" || !b.unanswered(e.Session) {
		b.open[e.Session] = -1
	}
	if e.Kind == states.Ran {
		b.by = s.Session + "'s " + s.Op
	}
	if e.Kind == states.GoesOn && !ownWay[s.Error] {
		s.After = b.by
	}
	b.victim(e.Session, s.Error)
	if b.joins(e, &s) {
		return
	}
	b.steps = append(b.steps, s)
}

// victim notes that a session is the victim of a deadlock: its rollback is what others go on after.
func (b *stepper) victim(session int, code string) {
	if code == "40P01" || code == "1213" {
		b.by = b.client.SessionName(session) + "'s rollback"
	}
}

// continues reports whether a session goes on with its statement before others have run.
func (b *stepper) continues(e *states.Event) bool {
	return (e.Node.Joins || b.paused[e.Session] == e.Node) && b.ran == e.Session
}

// ownWay are the errors, of PostgreSQL and InnoDB, with which a waiter ends its wait by itself: a
// deadlock that it has found, and a time limit.
var ownWay = map[string]bool{"40P01": true, "1213": true, "55P03": true, "57014": true, "1205": true}

// joins makes one step of the two halves of an UPDATE by a function.
func (b *stepper) joins(e *states.Event, s *report.Operation) bool {
	n := len(b.steps)
	if e.Node.Kind != behaviour.Change || n == 0 {
		return false
	}
	last := &b.steps[n-1]
	if last.Step != s.Step || last.Session != s.Session || last.Op != s.Op || last.What == report.StepWaits || last.Found != s.Found || last.What == report.StepGoesOn && s.What == report.StepWaits {
		s.Found = ""
		return false
	}
	*last = *s
	return true
}

var whats = [...]string{states.Ran: report.StepRan, states.Waits: report.StepWaits, states.GoesOn: report.StepGoesOn, states.Pauses: report.StepRan}

func (b *stepper) make(e *states.Event) report.Operation {
	c, n := b.client, e.Node
	name := c.SessionName(e.Session)
	s := report.Operation{
		Step: b.number, Session: name, Transaction: program.Part{Session: name, Txn: int(n.Txn)}.String(),
		Name: n.Transaction(), Level: n.Level, What: whats[e.Kind], At: c.Location(n.Loc).String(),
	}
	if n.Conn > 0 {
		s.Connection = int(n.Conn) + 1
	}
	b.operation(&s, e)
	for i := range c.Sessions() {
		if e.Kind == states.Waits && e.On>>i&1 == 1 {
			s.For = append(s.For, map[bool]string{false: c.SessionName(i), true: report.Itself}[i == e.Session])
		}
	}
	if err := behaviour.ErrorOf(e.Answer); err != nil {
		s.Error, s.Message = err.Code(), err.Message
	}
	return s
}

// operation says what the step does, and with which values.
func (b *stepper) operation(s *report.Operation, e *states.Event) {
	c, n := b.client, e.Node
	answered := e.Kind != states.Waits && e.Answer >= 0
	switch n.Kind {
	case behaviour.Serve:
		s.Op = report.OpStatement
		return
	case behaviour.Commit:
		s.Op = report.OpCommit
		return
	case behaviour.Abort:
		s.Op = report.OpRollback
		return
	case behaviour.Read:
		s.Op = report.OpSelect + n.How.String()
		if answered {
			s.Value = c.Format(e.Answer)
		} else if e.Kind != states.Waits && e.Answer == behaviour.NoRow {
			s.Value = "no row"
		}
	case behaviour.Find:
		s.Op = report.OpUpdate
		if answered {
			s.Found = c.Format(e.Answer)
		}
	case behaviour.Change:
		s.Op, s.Found, s.Unmatched = report.OpUpdate, c.Format(n.Value()), !n.Matches
		if n.Matches {
			s.Value = c.Format(n.Val)
		}
	case behaviour.Set:
		s.Op, s.Value = report.OpUpdate, c.Format(n.Val)
	case behaviour.Save:
		s.Op = report.OpSavepoint
		return
	case behaviour.BackTo:
		s.Op = report.OpRollbackTo
		return
	case behaviour.Release:
		s.Op = report.OpRelease
		return
	case behaviour.Ask:
		b.query(s, e)
		return
	}
	s.Key = c.Key(n.Var)
}

// query says what a statement on a table does, and what it gives.
func (b *stepper) query(s *report.Operation, e *states.Event) {
	c, q := b.client, e.Node.Query
	s.Key = c.TableName(q.Table)
	if q.ByKey {
		s.Key = c.Key(q.Var)
	}
	answered := e.Kind != states.Waits && e.Answer >= 0
	switch q.Verb {
	case behaviour.SelectRows:
		s.Op = report.OpSelect + q.How.String()
	case behaviour.UpdateRows:
		s.Op = report.OpUpdate
	case behaviour.DeleteRows:
		s.Op = report.OpDelete
	case behaviour.InsertRow:
		s.Op, s.Value = report.OpInsert, c.Format(q.Val)
	}
	switch {
	case !answered, q.Verb == behaviour.InsertRow && q.Conflict == behaviour.FailOnConflict:
	case q.Verb == behaviour.DeleteRows || q.Verb == behaviour.InsertRow:
		n, _ := c.Value(e.Answer).(int)
		s.Result = rowCount(n)
	default:
		s.Result = b.rows(q, c.Listed(e.Answer))
	}
}

func rowCount(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// rows lists rows with the values that a SELECT returns, or an UPDATE writes.
func (b *stepper) rows(q *behaviour.Query, list []behaviour.Item) string {
	if len(list) == 0 {
		return "no row"
	}
	var text []string
	for _, i := range list {
		val := i.Val
		if q.Verb == behaviour.UpdateRows {
			v, _ := q.Verdict(i.Var, i.Val)
			val = v.Val
		}
		text = append(text, b.client.Key(i.Var)+" = "+b.client.Format(val))
	}
	return strings.Join(text, ", ")
}
