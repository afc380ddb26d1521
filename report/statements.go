package report

import (
	"slices"
	"strings"

	"github.com/txmc/txmc/program/behaviour"
)

// What a session does in SQL is shown by its statements: a row for each, and below it what
// the statement read and changed. The statement's machinery is left out where it does not
// matter. Machinery is of three kinds: the variables that say whether a key is taken; rows
// that are not there and that nobody else inserts; and a row that is read again when it is
// locked. Writes happen at the commit, and are shown at the statements that make them.

// Statement is an SQL statement of a transaction.
type Statement struct {
	Text   string `json:"text"` // with its arguments in place of $1, $2, …
	At     string `json:"at,omitempty"`
	Events int    `json:"events"` // of the transaction that come before it
	// Changes are what it wrote: it is seen by others, as a write among the events,
	// when the transaction commits.
	Changes []Change `json:"changes,omitempty"`
}

// Change is a write of a statement.
type Change struct {
	Key    string `json:"key,omitempty"`
	Value  any    `json:"value,omitempty"` // as in Event
	Text   string `json:"text,omitempty"`
	Undo   bool   `json:"undo,omitempty"` // of the changes since a savepoint, and no other change
	Events int    `json:"events"`         // of the transaction that come before it
}

// statements are those of a session that ended at a node, by transaction.
func (s Source) statements(end *behaviour.Node) map[int][]Statement {
	all := map[int][]Statement{}
	txn, events := -1, 0
	change := func(c Change) {
		if list := all[txn]; len(list) > 0 {
			last := &list[len(list)-1]
			last.Changes = append(last.Changes, c)
		}
	}
	for _, n := range end.Path() {
		for _, e := range n.Events {
			switch e.Kind {
			case behaviour.BeginEvent:
				txn, events = txn+1, 0
			case behaviour.WriteEvent, behaviour.OwnReadEvent:
				events++
			case behaviour.StatementEvent:
				all[txn] = append(all[txn], Statement{Text: e.Text, At: s.at(e.Loc), Events: events})
			case behaviour.ChangeEvent:
				c := Change{Key: s.Names.Key(e.Var), Events: events}
				c.Value, c.Text = s.value(e.Val)
				change(c)
			case behaviour.UndoEvent:
				change(Change{Undo: true, Events: events})
			}
		}
		if n.Kind == behaviour.Read {
			events++
		}
	}
	return all
}

// state appends the rows of what a transaction's statements do before its event
// i: the statements themselves, and their changes. It returns the line of the
// statement that the event is of.
func (t *rowBuilder) state(txn *Transaction, i int) (at string) {
	seen := t.noted[txn.ID]
	for ; seen.statement < len(txn.Statements); seen.statement, seen.change = seen.statement+1, 0 {
		s := &txn.Statements[seen.statement]
		if s.Events > i {
			break
		}
		at = short(s.At)
		if seen.change == 0 {
			t.add(row{session: txn.Session, name: txn.Name, position: position{txn: txn.ID}, statement: true, op: s.Text, full: s.Text, at: at})
			seen.change = 1
		}
		for ; seen.change <= len(s.Changes) && s.Changes[seen.change-1].Events <= i; seen.change++ {
			t.change(txn, &s.Changes[seen.change-1])
		}
		next := seen.statement + 1
		if next == len(txn.Statements) || txn.Statements[next].Events > i {
			break
		}
	}
	t.noted[txn.ID] = seen
	return at
}

// latest is the last statement of a transaction that has a row, and its last change that has one.
type latest struct {
	statement int
	change    int // 1 and more: the statement's own row is there
}

func (t *rowBuilder) change(txn *Transaction, c *Change) {
	r := row{session: txn.Session, name: txn.Name, position: position{txn: txn.ID, event: txn.lastWrite(c.Key)}}
	switch is := shown(c.Value, c.Text); {
	case c.Undo:
		r.op = "  undo to the savepoint"
	case keys(c.Key) && !t.matter[c.Key]:
		return
	default:
		if is == "nil" {
			r.op = "  delete " + c.Key
			break
		}
		r.full = c.Key + " = " + is
		r.op = "  write " + c.Key + " = " + changes(t.before(txn, c.Key, c.Events), is, 0)
	}
	t.add(r)
}

// lastWrite is the place of the last write of a key among the events, from 1; 0 when
// there is none.
func (t *Transaction) lastWrite(key string) (place int) {
	for i, e := range t.Events {
		if e.Key == key && e.From == "" {
			place = i + 1
		}
	}
	return place
}

// hidden reports whether an event of a transaction with statements is not told.
func (t *rowBuilder) hidden(txn *Transaction, i int) bool {
	if len(txn.Statements) == 0 {
		return false
	}
	e := &txn.Events[i]
	switch {
	case e.From == "":
		return true // shown as a change
	case t.matter[e.Key] && !keys(e.Key):
		return t.again(txn, i)
	case t.matter[e.Key]:
		return false
	case keys(e.Key):
		return true
	}
	return e.From == initial && e.Value == nil && e.Text == "" || t.again(txn, i) || t.known(txn, i)
}

// known reports whether the transaction has read the version of event i before,
// and no transaction of the history writes another one.
func (t *rowBuilder) known(txn *Transaction, i int) bool {
	e := &txn.Events[i]
	before := slices.ContainsFunc(txn.Events[:i], func(b Event) bool { return b.Key == e.Key && b.From == e.From })
	return before && !slices.ContainsFunc(t.v.History.Transactions, func(o Transaction) bool {
		return o.ID != initial && slices.ContainsFunc(o.Events, func(b Event) bool { return b.Key == e.Key && b.From == "" })
	})
}

// whole are the rows of a transaction by itself, from its begin on.
func (v *Violation) whole(txn *Transaction) []row {
	t := newRowBuilder(v)
	for i := range txn.Events {
		t.step(txn, Step{Transaction: txn.ID, Op: txn.Events[i].Op, Event: i + 1}, false)
	}
	t.state(txn, len(txn.Events))
	return t.rows
}

// again reports whether the statement of event i reads the same version once more.
func (t *rowBuilder) again(txn *Transaction, i int) bool {
	e := &txn.Events[i]
	for j := i + 1; j < len(txn.Events); j++ {
		for _, s := range txn.Statements {
			if s.Events == j {
				return false
			}
		}
		if next := &txn.Events[j]; next.Key == e.Key && next.From == e.From {
			return true
		}
	}
	return false
}

// keys reports whether a variable of a row says only whether a key is taken:
// "acct/3 key", and "acct(owner)/ann" of a unique index.
func keys(name string) bool {
	table, _, ok := strings.Cut(name, "/")
	return ok && (strings.HasSuffix(name, " key") || strings.HasSuffix(table, ")"))
}

// matters are the variables that the explanation speaks of.
func (v *Violation) matters() map[string]bool {
	all := map[string]bool{}
	var proof func(p *Proof)
	proof = func(p *Proof) {
		for _, d := range p.Cycle {
			all[d.Key] = true
		}
		if p.Split != nil {
			all[p.Split.Key] = true
			proof(&p.Split.AFirst)
			proof(&p.Split.BFirst)
		}
	}
	if v.Explanation != nil {
		proof(&v.Explanation.Proof)
	}
	return all
}

// spoken reports whether a history has statements.
func (h *History) spoken() bool {
	for i := range h.Transactions {
		if len(h.Transactions[i].Statements) > 0 {
			return true
		}
	}
	return false
}

// shown is the text of a value for people: in a history with statements, nil is the
// value of a row that is not there.
func (h *History) shown(text string) string {
	if text == "nil" && h.spoken() {
		return "no row"
	}
	return text
}

// plain reports whether a variable with this value goes without saying in a
// history with statements, before and after it.
func (e *Event) plain() bool { return keys(e.Key) || e.Value == nil && e.Text == "" }
