package report

import (
	"errors"
	"fmt"
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// own is Event.From of a read of the transaction's own write.
const own = "own"

// initial is the ID of the initial transaction, and final the session that comes
// after all others.
const (
	initial = "init"
	final   = "final"
)

// Source says where histories come from, and gives names to their numbers.
type Source struct {
	Package string
	Program string // the Explore function, or the file of a recording
	Level   isolation.Level
	Names   Names
}

// Case is a complete history, in the form in which an exploration finds it.
type Case struct {
	History *semantics.History
	// Order lists the transactions as indexes in History.Txns, in an order that
	// extends session order and write-read.
	Order []int
	// Ends are the nodes at which the sessions ended, one for each session; none of
	// a recording.
	Ends []*behaviour.Node
	// Failures are the assertions that the history breaks.
	Failures []*behaviour.Failure
	Orbit    int64 // histories that it stands for, as sessions are alike; itself counted

	// Under a database's model there is no History and no Order: Schedule is the way
	// to the outcome, and Values are the values that are left, by variable.
	Schedule []model.Choice
	Values   []behaviour.ValueID
	Rows     []int32
}

// Names gives names to the numbers in a history. A [program.Client] does.
type Names interface {
	Key(behaviour.VarID) string
	SessionName(int) string
	Initial(behaviour.VarID) behaviour.ValueID
	Value(behaviour.ValueID) any
	Format(behaviour.ValueID) string
	Location(behaviour.Loc) behaviour.Location
}

// Violation is the line of a history with failures.
func (s Source) Violation(c Case) *Violation { return s.Explained(c, anomaly.Explain(c.History)) }

// Explained is Violation with an explanation that is known.
func (s Source) Explained(c Case, why *anomaly.Explanation) *Violation {
	v := &Violation{
		Type: TypeViolation, Schema: Schema, Package: s.Package, Program: s.Program, Iso: s.Level.String(),
		Failures: []Failure{}, History: s.History(c), Order: []string{},
	}
	for _, x := range c.Failures {
		v.Failures = append(v.Failures, s.failure(x))
	}
	for _, t := range c.Order {
		v.Order = append(v.Order, s.id(c.History, t))
	}
	v.Explanation = s.explanation(c, why, &v.History)
	v.Printed = s.printed(c.Ends)
	v.Cause = why.CauseKey(c.Failures, s.Names.Key)
	return v
}

// Listed is the line of a history in a listing.
func (s Source) Listed(c Case) *Listed {
	return &Listed{
		Type: TypeHistory, Schema: Schema, Package: s.Package, Program: s.Program, Iso: s.Level.String(),
		History: s.History(c),
	}
}

// History gives names to a history.
func (s Source) History(c Case) History {
	h := History{Transactions: []Transaction{s.initial(c.History)}, WR: []Edge{}, Observations: s.observations(c.Ends)}
	spoken := make([]map[int][]Statement, len(c.Ends))
	for i, end := range c.Ends {
		spoken[i] = s.statements(end)
	}
	for i := range c.History.Txns[1:] {
		t := s.transaction(c.History, i+1)
		if txn := &c.History.Txns[i+1]; len(spoken) > 0 {
			t.Statements = spoken[txn.Session][txn.Index]
		}
		h.Transactions = append(h.Transactions, t)
	}
	for _, t := range h.Transactions[1:] {
		for _, e := range t.Events {
			edge := Edge{e.From, t.ID, e.Key}
			if e.Op == semantics.Read.String() && e.From != own && !slices.Contains(h.WR, edge) {
				h.WR = append(h.WR, edge)
			}
		}
	}
	return h
}

// initial makes the initial transaction of the keys that h touches.
func (s Source) initial(h *semantics.History) Transaction {
	touched := map[string]behaviour.VarID{}
	for _, t := range h.Txns[1:] {
		for _, e := range t.Events {
			touched[s.Names.Key(e.Var)] = e.Var
		}
	}
	t := Transaction{ID: initial, Session: initial, Name: initial, Status: semantics.Committed.String(), Events: []Event{}}
	for key, x := range touched {
		e := Event{Op: semantics.Write.String(), Key: key}
		e.Value, e.Text = s.value(s.Names.Initial(x))
		t.Events = append(t.Events, e)
	}
	slices.SortFunc(t.Events, func(a, b Event) int {
		if a.Key < b.Key {
			return -1
		}
		return 1 // keys differ
	})
	return t
}

func (s Source) transaction(h *semantics.History, i int) Transaction {
	txn := &h.Txns[i]
	t := Transaction{
		ID: s.id(h, i), Session: s.Names.SessionName(txn.Session), Index: txn.Index + 1, Name: txn.Name,
		Status: txn.Status.String(), Error: txn.Err, At: s.at(txn.Loc), Events: []Event{},
	}
	for _, e := range txn.Events {
		out := Event{Op: e.Kind.String(), Key: s.Names.Key(e.Var), At: s.at(e.Loc)}
		out.Value, out.Text = s.value(e.Val)
		if e.Kind == semantics.Read {
			out.From, out.Lock = own, e.Lock
			if e.From != semantics.Own {
				out.From = s.id(h, e.From)
			}
		}
		t.Events = append(t.Events, out)
	}
	return t
}

// observations collects what the sessions that ended at the given nodes
// recorded on their way.
func (s Source) observations(ends []*behaviour.Node) []Observation {
	var list []Observation
	s.walk(ends, func(e *behaviour.Event, at Place, session int) {
		if e.Kind == behaviour.ObserveEvent {
			o := Observation{Session: s.Names.SessionName(session), Name: e.Text, At: s.at(e.Loc), Place: at}
			o.Value, o.Text = s.value(e.Val)
			list = append(list, o)
		}
	}, func(behaviour.Print, Place, int) {})
	return list
}

// walk goes over the events of sessions that ended at the given nodes, and over what they have printed.
func (s Source) walk(ends []*behaviour.Node, each func(*behaviour.Event, Place, int), prints func(behaviour.Print, Place, int)) {
	for session, end := range ends {
		txns, events, open := 0, 0, false
		place := func() (at Place) {
			if txns > 0 {
				at.After = s.txnID(session, txns-1)
			}
			if at.Open = open; open {
				at.Events = events
			}
			return at
		}
		for _, n := range end.Path() {
			printed := n.Printed
			for i := range len(n.Events) + 1 {
				for len(printed) > 0 && (printed[0].Before <= i || i == len(n.Events)) {
					prints(printed[0], place(), session)
					printed = printed[1:]
				}
				if i == len(n.Events) {
					break
				}
				switch n.Events[i].Kind {
				case behaviour.BeginEvent:
					txns, events, open = txns+1, 0, true
				case behaviour.WriteEvent, behaviour.OwnReadEvent:
					events++
				}
				each(&n.Events[i], place(), session)
			}
			switch n.Kind {
			case behaviour.Read:
				events++
			case behaviour.Commit, behaviour.Abort:
				open = false
			}
		}
	}
}

func (s Source) failure(x *behaviour.Failure) Failure {
	f := Failure{Kind: x.Kind.String(), Name: x.Name, Message: x.Message, At: x.At.String(), Stack: x.Stack, Unasserted: x.Unasserted}
	if x.Session >= 0 {
		f.Session = s.Names.SessionName(x.Session)
		if x.Txn >= 0 {
			f.Transaction = s.txnID(x.Session, x.Txn)
		}
	}
	return f
}

// id is the ID of transaction i of h.
func (s Source) id(h *semantics.History, i int) string {
	if i == 0 {
		return initial
	}
	return s.txnID(h.Txns[i].Session, h.Txns[i].Index)
}

func (s Source) txnID(session, index int) string {
	return fmt.Sprintf("%s/%d", s.Names.SessionName(session), index+1)
}

func (s Source) at(l behaviour.Loc) string { return s.Names.Location(l).String() }

// NewError is the line of an error that ended the exploration of a program; iso
// is "" when none had begun.
func NewError(pkg, name, iso string, err error) *Error {
	e := &Error{Type: TypeError, Schema: Schema, Package: pkg, Program: name, Iso: iso, Kind: "internal", Message: err.Error()}
	var p *behaviour.Error
	if errors.As(err, &p) {
		e.Kind, e.Session, e.Message, e.At, e.Stack = p.Kind.String(), p.Session, p.Message, p.At.String(), p.Stack
		e.Printed = p.Printed
	}
	return e
}
