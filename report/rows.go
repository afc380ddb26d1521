package report

import (
	"fmt"
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
	leaves        bool   // here the story leaves serial behaviour
}

// teller turns the steps of a violation into rows.
type teller struct {
	v        *Violation
	byID     map[string]*Transaction
	names    map[string]string // short names by ID
	begun    map[string]bool   // sessions that have
	observed []bool
	rows     []row
}

// tell lists the operations of a violation in the order of its steps, what the
// sessions observe among them. The initial transaction is not told.
func (v *Violation) tell() []row {
	t := &teller{
		v: v, byID: map[string]*Transaction{}, names: v.History.shortNames(),
		begun: map[string]bool{}, observed: make([]bool, len(v.History.Observations)),
	}
	for i := range v.History.Transactions {
		t.byID[v.History.Transactions[i].ID] = &v.History.Transactions[i]
	}
	for i, s := range v.steps() {
		if txn := t.byID[s.Transaction]; txn != nil {
			t.step(txn, s, v.Explanation != nil && i == v.Explanation.Leaves)
		}
	}
	t.observe("", func(*Observation) bool { return true })
	return t.rows
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

func (t *teller) step(txn *Transaction, s Step, leaves bool) {
	r := row{session: txn.Session, name: txn.Name, leaves: leaves}
	switch {
	case s.Op == "begin":
		if !t.begun[txn.Session] {
			t.begun[txn.Session] = true
			t.observe("", func(o *Observation) bool { return o.Session == txn.Session && o.After == "" })
		}
		r.op, r.at, r.begin = "begin", txn.At, txn.Name
		if t.names[txn.ID] == txn.ID {
			r.begin = strings.TrimSpace(txn.ID + " " + txn.Name)
		}
	case s.Event > 0 && s.Event <= len(txn.Events):
		e := &txn.Events[s.Event-1]
		r.op, r.full, r.at, r.from, r.misses = e.text(), e.assigned(), e.At, e.From, t.names[s.Misses]
	default:
		r.op = txn.end()
	}
	t.rows = append(t.rows, r)
	ended := s.Op != "begin" && s.Event == 0
	t.observe(txn.Name, func(o *Observation) bool { return o.After == txn.ID && o.Open && (ended || o.Events <= s.Event) })
	if ended {
		t.observe("", func(o *Observation) bool { return o.After == txn.ID })
	}
}

// observe appends the observations that pick chooses.
func (t *teller) observe(name string, pick func(*Observation) bool) {
	for i := range t.v.History.Observations {
		if o := &t.v.History.Observations[i]; !t.observed[i] && pick(o) {
			t.observed[i] = true
			t.rows = append(t.rows, row{session: o.Session, name: name, op: "observe " + o.Name + " = " + shown(o.Value, o.Text), at: o.At})
		}
	}
}

// text is an operation in words.
func (e *Event) text() string {
	return fmt.Sprintf("%-5s %s", e.Op, e.assigned())
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
