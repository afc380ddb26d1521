package report

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
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

// Source says where histories come from: it gives names to their numbers.
type Source struct {
	Package string
	Client  *program.Client
	Options dpor.Options
	// Recorded gives the names where there is no client, only a recording, and
	// File is what stands for the program.
	Recorded Names
	File     string
}

// Names gives names to the numbers in a history. A [program.Client] does.
type Names interface {
	Key(program.VarID) string
	SessionName(int) string
	Initial(program.VarID) program.ValueID
	Value(program.ValueID) any
	Format(program.ValueID) string
	Location(program.Loc) program.Location
}

func (s Source) namer() Names {
	if s.Client == nil {
		return s.Recorded
	}
	return s.Client
}

func (s Source) program() string {
	if s.Client == nil {
		return s.File
	}
	return s.Client.Name
}

// Result is the line that ends an exploration.
func (s Source) Result(st dpor.Stats) *Result {
	base := s.Options.Base.String()
	if s.Options.DFS {
		base = "none"
	}
	if st.Engine == dpor.Serial {
		base = s.Options.Level.String()
	}
	return &Result{
		Type: TypeResult, Schema: Schema, Package: s.Package, Program: s.program(), Iso: s.Options.Level.String(), Base: base,
		Engine: string(st.Engine), Why: st.Why, Note: s.advice(st),
		Histories: st.Histories, EndStates: st.EndStates, Explored: st.Explored, Blocked: st.Blocked, Violations: st.Violations,
		Complete: st.Complete, Stopped: string(st.Stopped),
		Seconds: math.Round(st.Elapsed.Seconds()*1e6) / 1e6, PeakBytes: st.PeakBytes,
	}
}

// vain is how many histories a search may find in vain, for each that the level
// allows, before another engine is advised.
const vain = 10

// advice says what would have explored more before it was stopped, or is "".
func (s Source) advice(st dpor.Stats) string {
	o := s.Options
	if st.Complete || st.Stopped == dpor.ByViolation || st.Engine != dpor.Swap || o.DFS || o.Base != isolation.CC || o.Level <= isolation.CC ||
		st.EndStates <= vain*st.Histories {
		return ""
	}
	return fmt.Sprintf("%v forbids %d of the %d histories of cc found so far; --engine=auto explores %v alone",
		o.Level, st.EndStates-st.Histories, st.EndStates, o.Level)
}

// Violation is the line of a history with failures.
func (s Source) Violation(f *dpor.Found) *Violation {
	v := &Violation{
		Type: TypeViolation, Schema: Schema, Package: s.Package, Program: s.program(), Iso: s.Options.Level.String(),
		Failures: []Failure{}, History: s.History(f), Order: []string{},
	}
	for _, x := range f.Failures {
		v.Failures = append(v.Failures, s.failure(x))
	}
	for _, t := range f.Order {
		v.Order = append(v.Order, s.id(f.History, t))
	}
	v.Explanation, v.Cause = s.explanation(f, &v.History)
	return v
}

// Listed is the line of a history in a listing.
func (s Source) Listed(f *dpor.Found) *Listed {
	return &Listed{
		Type: TypeHistory, Schema: Schema, Package: s.Package, Program: s.program(), Iso: s.Options.Level.String(),
		History: s.History(f),
	}
}

// History gives names to a history.
func (s Source) History(f *dpor.Found) History {
	h := History{Transactions: []Transaction{s.initial(f.History)}, WR: []Edge{}, Observations: s.observations(f.Ends)}
	for i := range f.History.Txns[1:] {
		h.Transactions = append(h.Transactions, s.transaction(f.History, i+1))
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
	touched := map[string]program.VarID{}
	for _, t := range h.Txns[1:] {
		for _, e := range t.Events {
			touched[s.namer().Key(e.Var)] = e.Var
		}
	}
	t := Transaction{ID: initial, Session: initial, Name: initial, Status: semantics.Committed.String(), Events: []Event{}}
	for key, x := range touched {
		e := Event{Op: semantics.Write.String(), Key: key}
		e.Value, e.Text = s.value(s.namer().Initial(x))
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
		ID: s.id(h, i), Session: s.namer().SessionName(txn.Session), Index: txn.Index + 1, Name: txn.Name,
		Status: txn.Status.String(), Error: txn.Err, At: s.at(txn.Loc), Events: []Event{},
	}
	for _, e := range txn.Events {
		out := Event{Op: e.Kind.String(), Key: s.namer().Key(e.Var), At: s.at(e.Loc)}
		out.Value, out.Text = s.value(e.Val)
		if e.Kind == semantics.Read {
			out.From = own
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
func (s Source) observations(ends []*program.Node) []Observation {
	var list []Observation
	for session, end := range ends {
		txns, events, open := 0, 0, false
		for _, n := range end.Path() {
			for _, e := range n.Events {
				switch e.Kind {
				case program.BeginEvent:
					txns, events, open = txns+1, 0, true
				case program.WriteEvent, program.OwnReadEvent:
					events++
				case program.ObserveEvent:
					o := Observation{Session: s.namer().SessionName(session), Name: e.Text, At: s.at(e.Loc), Open: open}
					o.Value, o.Text = s.value(e.Val)
					if txns > 0 {
						o.After = s.txnID(session, txns-1)
					}
					if open {
						o.Events = events
					}
					list = append(list, o)
				}
			}
			switch n.Kind {
			case program.Read:
				events++
			case program.Commit, program.Abort:
				open = false
			}
		}
	}
	return list
}

func (s Source) failure(x *program.Failure) Failure {
	f := Failure{Kind: x.Kind.String(), Name: x.Name, Message: x.Message, At: x.At.String(), Stack: x.Stack}
	if x.Session >= 0 {
		f.Session = s.namer().SessionName(x.Session)
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
	return fmt.Sprintf("%s/%d", s.namer().SessionName(session), index+1)
}

func (s Source) at(l program.Loc) string { return s.namer().Location(l).String() }

// NewError is the line of an error that ended the exploration of a program; iso
// is "" when none had begun.
func NewError(pkg, name, iso string, err error) *Error {
	e := &Error{Type: TypeError, Schema: Schema, Package: pkg, Program: name, Iso: iso, Kind: "internal", Message: err.Error()}
	if p, ok := errors.AsType[*program.Error](err); ok {
		e.Kind, e.Session, e.Message, e.At, e.Stack = p.Kind.String(), p.Session, p.Message, p.At.String(), p.Stack
	}
	return e
}
