package anomaly

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// phrasing puts dependencies into words.
type phrasing struct {
	h *semantics.History
	n Namer
}

// longest is the most characters of a value that are told.
const longest = 40

// shown is the value of an event, by what differs from the value which the transaction had
// of the variable before, or else from the initial one.
func (t phrasing) shown(txn, event int) string {
	e := &t.h.Txns[txn].Events[event]
	s := []rune(t.n.Value(t.before(txn, event), e.Val))
	if len(s) > longest {
		return string(s[:longest-1]) + "…"
	}
	return string(s)
}

// before is the value of an event's variable that the transaction had before, or else the
// initial one; without any it is the event's.
func (t phrasing) before(txn, event int) behaviour.ValueID {
	events := t.h.Txns[txn].Events
	e := events[event]
	for _, list := range [][]semantics.Event{events[:event], t.h.Txns[0].Events} {
		for _, o := range slices.Backward(list) {
			if o.Var == e.Var {
				return o.Val
			}
		}
	}
	return e.Val
}

// read is a read with its value and where that comes from: a read x = 1 (written
// by b).
func (t phrasing) read(txn, event int) string {
	e := &t.h.Txns[txn].Events[event]
	return fmt.Sprintf("%s read %s (%s)", t.n.Txn(txn), t.about(txn, event), t.written(e.From))
}

// about is a read's variable and value.
func (t phrasing) about(txn, event int) string {
	e := &t.h.Txns[txn].Events[event]
	return t.n.Var(e.Var) + " = " + t.shown(txn, event)
}

func (t phrasing) written(by int) string {
	if by <= 0 || by >= len(t.h.Txns) {
		return "the initial value"
	}
	return "written by " + t.n.Txn(by)
}

// reads finds a read of x in txn that is from the transaction from.
func (t phrasing) reads(txn int, x behaviour.VarID, from int) (event int, ok bool) {
	for i, e := range t.h.Txns[txn].Events {
		if e.Kind == semantics.Read && e.Var == x && e.From == from {
			return i, true
		}
	}
	return 0, false
}

// write is a transaction's last write of x: b's write of x = 1.
func (t phrasing) write(txn int, x behaviour.VarID) string {
	return t.n.Txn(txn) + "'s write of " + t.value(txn, x)
}

// value is what txn has written to x.
func (t phrasing) value(txn int, x behaviour.VarID) string {
	for i, e := range slices.Backward(t.h.Txns[txn].Events) {
		if e.Var == x && e.Kind == semantics.Write {
			return t.n.Var(x) + " = " + t.shown(txn, i)
		}
	}
	return t.n.Var(x)
}

// edge is a dependency as a sentence without its full stop, with its reason.
func (t phrasing) edge(e Edge) string {
	switch {
	case e.Kind == WR:
		return t.read(e.Reader, e.Event)
	case e.Kind == RW:
		return t.read(e.Reader, e.Event) + " before " + t.write(e.To, e.Var) + t.later(e)
	case e.Kind == WW && e.Reason.Rule == Seen:
		return fmt.Sprintf("%s saw %s%s, but read %s from %s: so %s came before %s's", t.n.Txn(e.Reader), t.n.Txn(e.From),
			t.because(e.Reason.Premise), t.about(e.Reader, e.Event), t.n.Txn(e.To), t.write(e.From, e.Var), t.n.Txn(e.To))
	case e.Kind == WW && e.Reason.Rule == FirstCommitter:
		because := t.premise(e.Reason.Premise)
		if because != "" {
			because = "as " + because + ", "
		}
		return fmt.Sprintf("%s and %s both wrote %s; %s%s must have committed before %s began",
			t.n.Txn(e.From), t.n.Txn(e.To), t.n.Var(e.Var), because, t.n.Txn(e.From), t.n.Txn(e.To))
	}
	return t.clause(e)
}

// later says why the write that was read comes before the one to which the rw edge leads. Of
// an initial write it says nothing.
func (t phrasing) later(e Edge) string {
	if e.Reason.Source == 0 {
		return ""
	}
	return ", which came after " + t.n.Txn(e.Reason.Source) + "'s" + t.because(e.Reason.Premise)
}

// because is a premise in brackets.
func (t phrasing) because(path []Edge) string {
	if s := t.premise(path); s != "" {
		return " (" + s + ")"
	}
	return ""
}

// premise tells a path, when it is short.
func (t phrasing) premise(path []Edge) string {
	if len(path) > mostSentences {
		return ""
	}
	return t.join(path, t.clause)
}

// clause is a dependency in short.
func (t phrasing) clause(e Edge) string {
	from, to := t.n.Txn(e.From), t.n.Txn(e.To)
	switch e.Kind {
	case WR:
		return fmt.Sprintf("%s read %s from %s", to, t.about(e.Reader, e.Event), from)
	case RW:
		return fmt.Sprintf("%s read %s before %s's write", from, t.about(e.Reader, e.Event), to)
	case WW:
		return fmt.Sprintf("%s wrote %s before %s", from, t.n.Var(e.Var), to)
	}
	switch session := t.h.Txns[e.To].Session; {
	case e.From == 0:
		return to + " comes after the initial state"
	case session == t.h.Txns[e.From].Session:
		return fmt.Sprintf("%s comes after %s in session %s", to, from, t.n.Session(session))
	}
	return to + " comes after all sessions"
}
