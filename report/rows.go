package report

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// row is an operation as a report tells it.
type row struct {
	session, name string // name of the transaction; "" outside transactions
	begin         string // of a transaction's first row, what it is called
	op            string // what is done, with its value
	full          string // of a read or a write, variable and value
	from          string // of a read, the ID of the transaction that it reads from, or own
	misses        string // of a read, the short name of the newer writer that it misses
	at            string // source line
	nonSerial     bool   // here the story leaves serial behaviour
	statement     bool   // of SQL
	position
}

// position is the place of a row in the violation.
type position struct {
	txn         string // ID of the transaction; "" outside transactions
	step, event int    // of the violation, and of the transaction, from 1
}

// rowBuilder turns the steps of a violation into rows.
type rowBuilder struct {
	v        *Violation
	byID     map[string]*Transaction
	names    map[string]string // short names by ID
	begun    map[string]bool   // sessions that have
	observed []bool
	output   []Printed         // that has no row yet
	noted    map[string]latest // statements, by ID of the transaction
	matter   map[string]bool   // variables of which the explanation speaks
	story    bool              // the next row leaves serial behaviour
	number   int               // of the present step, from 1
	rows     []row
}

// tableRows lists the operations of a violation in the order of its steps, and what the
// sessions observe between them. It leaves out the initial transaction.
func (v *Violation) tableRows() []row {
	t := newRowBuilder(v)
	for i, s := range v.steps() {
		t.number = i + 1
		if txn := t.byID[s.Transaction]; txn != nil {
			t.step(txn, s, v.Explanation != nil && i == v.Explanation.FirstNonSerial)
		}
	}
	t.observe("", func(string, *Place) bool { return true })
	return t.rows
}

func newRowBuilder(v *Violation) *rowBuilder {
	t := &rowBuilder{
		v: v, byID: map[string]*Transaction{}, names: v.History.shortNames(),
		begun: map[string]bool{}, observed: make([]bool, len(v.History.Observations)),
		output: slices.Clone(v.Printed), noted: map[string]latest{}, matter: v.matters(),
	}
	for i := range v.History.Transactions {
		t.byID[v.History.Transactions[i].ID] = &v.History.Transactions[i]
	}
	return t
}

// steps are those of the explanation, or one transaction after another where
// there is none: in JSON of a release that had no explanations.
func (v *Violation) steps() []Step {
	if v.Explanation != nil {
		return v.Explanation.Steps
	}
	var steps []Step
	for _, id := range v.Order {
		for _, t := range v.History.Transactions {
			if t.ID != id || id == initial {
				continue
			}
			steps = append(steps, Step{Transaction: id, Op: "begin"})
			for i, e := range t.Events {
				steps = append(steps, Step{Transaction: id, Op: e.Op, Event: i + 1})
			}
			steps = append(steps, Step{Transaction: id, Op: "end"})
		}
	}
	return steps
}

func (t *rowBuilder) step(txn *Transaction, s Step, nonSerial bool) {
	t.story = t.story || nonSerial
	r := row{session: txn.Session, name: txn.Name, position: position{txn: txn.ID, event: s.Event}}
	switch {
	case s.Op == "begin":
		if !t.begun[txn.Session] {
			t.begun[txn.Session] = true
			t.observe("", func(session string, at *Place) bool { return session == txn.Session && at.After == "" })
		}
		r.op, r.at, r.begin = "begin", short(txn.At), txn.Name
		if t.names[txn.ID] == txn.ID {
			r.begin = strings.TrimSpace(txn.ID + " " + txn.Name)
		}
	case s.Event > 0 && s.Event <= len(txn.Events):
		e := &txn.Events[s.Event-1]
		r.op, r.full, r.at, r.from, r.misses = t.operation(txn, s.Event-1), e.Key+" = "+t.v.History.shown(shown(e.Value, e.Text)), short(e.At), e.From, t.names[s.Misses]
		if t.state(txn, s.Event-1) == r.at {
			r.at = "" // the statement's
		}
	default:
		t.state(txn, len(txn.Events))
		r.op = txn.end()
	}
	if s.Event == 0 || !t.hidden(txn, s.Event-1) {
		t.add(r)
	}
	ended := s.Op != "begin" && s.Event == 0
	t.observe(txn.Name, func(_ string, at *Place) bool {
		return at.After == txn.ID && at.Open && (ended || at.Events <= s.Event)
	})
	if ended {
		t.observe("", func(_ string, at *Place) bool { return at.After == txn.ID })
	}
}

// mostAt is the width that a location may take beside an operation.
const mostAt = 20

// short is a location where there is little room: without directories when it is long.
func short(at string) string {
	if cells(at) <= mostAt {
		return at
	}
	return path.Base(at)
}

// add appends a row.
func (t *rowBuilder) add(r row) {
	r.nonSerial, r.step, t.story = t.story, t.number, false
	t.rows = append(t.rows, r)
}

// observe appends what is printed, and the observations, at the places that pick chooses.
func (t *rowBuilder) observe(name string, pick func(session string, at *Place) bool) {
	t.prints(name, pick)
	for i := range t.v.History.Observations {
		if o := &t.v.History.Observations[i]; !t.observed[i] && pick(o.Session, &o.Place) {
			t.observed[i] = true
			t.rows = append(t.rows, row{position: position{step: t.number}, session: o.Session, name: name, op: "observe " + o.Name + " = " + shown(o.Value, o.Text), at: short(o.At)})
		}
	}
}

// operation is an operation in words. A value is shown by what differs from the value of the
// variable that the transaction had before, or else from the initial one.
func (t *rowBuilder) operation(txn *Transaction, i int) string {
	e := &txn.Events[i]
	op := fmt.Sprintf("%-5s %s = ", e.verb(), e.Key)
	is := changes(t.before(txn, e.Key, i), shown(e.Value, e.Text), longFields)
	if len(txn.Statements) == 0 {
		return op + is
	}
	if txn.Session == final { // which sees the final state by locking reads
		op = fmt.Sprintf("%-5s %s = ", e.Op, e.Key)
	}
	return "  " + op + t.v.History.shown(is)
}

// before is the value of a variable which a transaction had before its event i, or
// else the initial one; "" when there is none.
func (t *rowBuilder) before(txn *Transaction, key string, i int) string {
	was := ""
	for _, list := range [][]Event{t.initial(), txn.Events[:i]} {
		for j := range list {
			if list[j].Key == key {
				was = shown(list[j].Value, list[j].Text)
			}
		}
	}
	return was
}

// initial are the writes of the initial transaction.
func (t *rowBuilder) initial() []Event {
	if txn := t.byID[initial]; txn != nil {
		return txn.Events
	}
	return nil
}

// text is an operation in words.
func (e *Event) text() string {
	return fmt.Sprintf("%-5s %s", e.verb(), e.assigned())
}

// verb is what the event does.
func (e *Event) verb() string {
	if e.Lock {
		return "lock" // and read
	}
	return e.Op
}

// assigned is the variable with the value that is read or written.
func (e *Event) assigned() string { return e.Key + " = " + shown(e.Value, e.Text) }

// end is a transaction's last row.
func (t *Transaction) end() string {
	if t.Status != "aborted" {
		return strings.Replace(t.Status, "committed", "commit", 1)
	}
	if t.Error == "" {
		return "abort"
	}
	return "abort: " + t.Error
}
