package recorded

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/txmc/txmc/checker"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/semantics"
)

// Read reads again those of the given indexes. They come without what the
// format says besides.
func (f *File) Read(ctx context.Context, indexes []int) (map[int]*history.Txn, error) {
	found := map[int]*history.Txn{}
	last, n := slices.Max(append(slices.Clone(indexes), -1)), 0
	err := f.Format.Read(ctx, f.Path, history.Sink{Txn: func(t *history.Txn) error {
		if slices.Contains(indexes, n) {
			own := *t
			own.Ops = slices.Clone(t.Ops)
			found[n] = &own
		}
		if n++; n > last {
			return errFound
		}
		return nil
	}})
	if err != nil && !errors.Is(err, errFound) {
		return nil, err
	}
	return found, nil
}

// errFound ends a reading that has all that it needs.
var errFound = errors.New("all found")

// Report makes a report of a violation that is a cycle; nil when it is something
// else, or a cycle of session order and reads alone, which has no order to be told
// in.
func (f *File) Report(ctx context.Context, v *checker.Verdict) (*report.Violation, error) {
	if v.Violation == nil {
		return nil, nil
	}
	h := v.Violation.History
	_, order, ok := semantics.Order(h)
	if !ok {
		return nil, nil
	}
	txns, err := f.Read(ctx, v.Violation.Txns)
	if err != nil {
		return nil, err
	}
	n := &names{keys: v.Violation.Keys, file: f.Path, history: h}
	n.sessions = make([]string, h.Sessions)
	shown := relevant(h)
	n.values = append(n.values, nil)
	for i := range shown.Txns {
		if t := txns[v.Violation.Txns[i]]; i > 0 {
			n.place(shown, i, t)
		}
	}
	src := report.Source{Recorded: n, File: f.Path, Options: dpor.Options{Level: v.Level}}
	told := src.Violation(&dpor.Found{History: shown, Order: order})
	byOrder(told, v.Violation, v.Level)
	if n := v.Violation.Choices; n > 0 {
		told.Explanation.Words.Sentences = append(told.Explanation.Words.Sentences, choices(n))
	}
	return told, nil
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
	touched := map[program.VarID]int{} // the transaction, or -1 for several
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
	lines    []program.Location
}

// place gives transaction i of h the names and values of the recorded one, nil for
// an initial transaction that is not the first.
func (n *names) place(h *semantics.History, i int, t *history.Txn) {
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
		n.lines = append(n.lines, program.Location{File: t.File, Line: t.Line})
		x.Loc = program.Loc(len(n.lines))
	}
	for k := range x.Events {
		e := &x.Events[k]
		e.Loc = x.Loc
		e.Val = n.value(t, n.keys[e.Var], e.Kind, e.From)
	}
}

// sessionName makes a number a name.
func sessionName(s string) string {
	if _, err := strconv.ParseInt(s, 10, 64); err == nil {
		return "s" + s
	}
	return s
}

// value finds the value that the recorded transaction read first from another, or
// wrote last.
func (n *names) value(t *history.Txn, key string, kind semantics.EventKind, from int) program.ValueID {
	var got history.Value
	for _, o := range t.Ops {
		switch {
		case o.Key != key:
			continue
		case kind == semantics.Write && (o.Kind == history.Write || o.Kind == history.Append):
			got = o.Value
		case kind == semantics.Read && o.Kind == history.ReadList:
			return n.number(fmt.Sprint(o.List))
		case kind == semantics.Read && o.Kind == history.Read:
			if o.Value.Kind == history.Initial && from == 0 {
				return 0
			}
			return n.number(native(o.Value))
		}
	}
	return n.number(native(got))
}

func native(v history.Value) any {
	switch v.Kind {
	case history.Number:
		return v.Num
	case history.Text:
		return v.Text
	}
	return nil
}

func (n *names) number(v any) program.ValueID {
	if v == nil {
		return 0
	}
	n.values = append(n.values, v)
	return program.ValueID(len(n.values) - 1)
}

// The methods of report.Names.
func (n *names) Key(x program.VarID) string            { return n.keys[x] }
func (n *names) SessionName(s int) string              { return n.sessions[s] }
func (n *names) Initial(program.VarID) program.ValueID { return 0 }
func (n *names) Value(v program.ValueID) any           { return n.values[v] }
func (n *names) Location(l program.Loc) program.Location {
	if l == 0 {
		return program.Location{}
	}
	return n.lines[l-1]
}

// Format is a value as reports print it.
func (n *names) Format(v program.ValueID) string {
	switch v := n.values[v].(type) {
	case nil:
		return "initial"
	case string:
		return fmt.Sprintf("%q", v)
	default:
		return fmt.Sprint(v)
	}
}
