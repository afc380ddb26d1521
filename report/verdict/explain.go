package verdict

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/semantics"
)

// Violation makes a report of a violation that is a cycle. It returns nil when the
// violation is something else, or a cycle of session order and reads alone: then
// there is no order in which its transactions could be shown.
func Violation(ctx context.Context, f *judge.File, v *check.Verdict) (*report.Violation, error) {
	if v.Violation == nil {
		return nil, nil
	}
	h := v.Violation.History
	_, order, ok := semantics.Order(h)
	if !ok {
		return nil, nil
	}
	indexes := slices.Clone(v.Violation.Txns)
	for _, o := range v.Violation.Versions {
		indexes = append(indexes, o.List.Txn)
	}
	txns, err := f.Read(ctx, indexes)
	if err != nil {
		return nil, err
	}
	n := &names{keys: v.Violation.Keys, file: f.Path, history: h, selected: map[behaviour.VarID]check.Selected{}, initial: map[behaviour.VarID]behaviour.ValueID{}}
	for _, s := range v.Violation.Selected {
		n.selected[behaviour.VarID(s.Var)] = s
	}
	n.sessions = make([]string, h.Sessions)
	shown := relevant(h)
	n.values = append(n.values, nil)
	for i := range shown.Txns {
		if t := txns[v.Violation.Txns[i]]; i > 0 {
			n.fill(shown, i, t, func(from int) *history.Txn { return txns[v.Violation.Txns[from]] })
		}
	}
	src := report.Source{Program: f.Path, Level: v.Level, Names: n}
	out := src.Explained(report.Case{History: shown, Order: order}, anomaly.ExplainVersions(shown, judge.ExplainedAt(h, v.Level), judge.Given(v.Violation, txns)))
	if n := v.Violation.Choices; n > 0 {
		out.Explanation.Words.Sentences = append(out.Explanation.Words.Sentences, choices(n))
	}
	return out, nil
}

// choices says that so many reads may be from other writers than those shown.
func choices(n int) string {
	if n == 1 {
		return "One read returns a value that several of these transactions wrote: from each other of them, it is a violation as well."
	}
	return fmt.Sprintf("%d reads return values that several of these transactions wrote: from whichever others of them, it is a violation as well.", n)
}

// relevant is h without the operations on keys that only one transaction touches:
// nothing depends on them.
func relevant(h *semantics.History) *semantics.History {
	touched := map[behaviour.VarID]int{} // the transaction, or -1 for several
	for t, x := range h.Txns {
		for _, e := range x.Events {
			if by, ok := touched[e.Var]; ok && by != t {
				touched[e.Var] = -1
			} else {
				touched[e.Var] = t
			}
		}
	}
	out := &semantics.History{Final: h.Final, Sessions: h.Sessions, Txns: slices.Clone(h.Txns)}
	for t := range out.Txns {
		x := &out.Txns[t]
		x.Events = slices.DeleteFunc(slices.Clone(x.Events), func(e semantics.Event) bool { return touched[e.Var] >= 0 })
	}
	return out
}

// names are those of the recording, and its values.
type names struct {
	keys     []string
	sessions []string
	file     string
	history  *semantics.History
	values   []any // by value ID; 0 is the initial one
	lines    []behaviour.Location
	selected map[behaviour.VarID]check.Selected // variables that stand for whether a key matches
	initial  map[behaviour.VarID]behaviour.ValueID
}

// matching says whether a key matches a predicate.
type matching string

func matches(yes bool) matching {
	if yes {
		return "matches"
	}
	return "no match"
}

// fill gives transaction i of h the names and values of the recorded one, nil for
// an initial transaction that is not the first.
func (n *names) fill(h *semantics.History, i int, t *history.Txn, writer func(int) *history.Txn) {
	x := &h.Txns[i]
	if t == nil {
		n.sessions[x.Session] = "initial values"
		for k := range x.Events {
			x.Events[k].Val = 0
		}
		return
	}
	n.sessions[x.Session] = sessionName(t.Session)
	x.Name = "transaction " + t.ID
	if t.Line > 0 {
		n.lines = append(n.lines, behaviour.Location{File: t.File, Line: t.Line})
		x.Loc = behaviour.Loc(len(n.lines))
	}
	for k := range x.Events {
		e := &x.Events[k]
		e.Loc = x.Loc
		if s, ok := n.selected[e.Var]; ok {
			n.match(e, i, s)
			continue
		}
		if e.Kind == semantics.Write {
			e.Val = n.number(lastWritten(t, n.keys[e.Var]).Any())
		} else {
			e.Val = n.number(firstRead(t, n.keys[e.Var], e.From > 0, writer(e.From)))
		}
	}
}

// match gives an event on whether a key matches the value that it has.
func (n *names) match(e *semantics.Event, i int, s check.Selected) {
	switch {
	case e.Kind == semantics.Write:
		e.Val = n.number(matches(s.Matches[i]))
	case e.From > 0:
		e.Val = n.number(matches(s.Matches[e.From]))
	default: // as it was before these transactions
		e.Val = n.number(matches(s.Saw[i]))
		n.initial[e.Var] = e.Val
	}
}

// sessionName makes a number a name.
func sessionName(s string) string {
	if _, err := strconv.ParseInt(s, 10, 64); err == nil {
		return "s" + s
	}
	return s
}

// lastWritten is the value that a transaction wrote last.
func lastWritten(t *history.Txn, key string) (last history.Value) {
	for _, o := range t.Ops {
		if o.Key == key && (o.Kind == history.Write || o.Kind == history.Append) {
			last = o.Value
		}
	}
	return last
}

// firstRead is the first value that a transaction read from a writer, nil for the initial
// one, or else the first that it read from any. For a list it is what stands before the
// own appends.
func firstRead(t *history.Txn, key string, written bool, writer *history.Txn) any {
	var first any
	own, seen := 0, false
	for _, o := range t.Ops {
		if o.Key != key {
			continue
		}
		var got any
		var last history.Value
		switch o.Kind {
		case history.Write, history.Append:
			own++
			continue
		case history.ReadList:
			list := o.List[:max(0, len(o.List)-own)]
			if got, last = fmt.Sprint(list), (history.Value{Kind: history.Initial}); len(list) > 0 {
				last = list[len(list)-1]
			}
		case history.Read:
			if own > 0 {
				continue
			}
			got, last = o.Value.Any(), o.Value
		}
		if !seen {
			first, seen = got, true
		}
		if written && writer != nil && lastWritten(writer, key) == last || !written && last.Kind == history.Initial {
			return got
		}
	}
	return first
}

func (n *names) number(v any) behaviour.ValueID {
	if v == nil {
		return 0
	}
	n.values = append(n.values, v)
	return behaviour.ValueID(len(n.values) - 1)
}

// The methods of report.Names.
func (n *names) Key(x behaviour.VarID) string                { return n.keys[x] }
func (n *names) SessionName(s int) string                    { return n.sessions[s] }
func (n *names) Initial(x behaviour.VarID) behaviour.ValueID { return n.initial[x] }
func (n *names) Value(v behaviour.ValueID) any               { return n.values[v] }
func (n *names) Location(l behaviour.Loc) behaviour.Location {
	if l == 0 {
		return behaviour.Location{}
	}
	return n.lines[l-1]
}

// Format is a value as reports print it.
func (n *names) Format(v behaviour.ValueID) string {
	switch v := n.values[v].(type) {
	case nil:
		return "initial"
	case string:
		return fmt.Sprintf("%q", v)
	case json.RawMessage: // a number that is not whole, or a truth value
		return string(v)
	default:
		return fmt.Sprint(v)
	}
}
