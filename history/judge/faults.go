package judge

import (
	"context"
	"fmt"
	"strings"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
)

// Fault is an operation that no level allows, in words.
type Fault struct {
	Anomaly     string `json:"anomaly"`
	Session     string `json:"session"`
	Transaction string `json:"transaction"`        // as the file names it
	Operation   string `json:"operation"`          // such as r x = 1
	At          string `json:"at"`                 // where the transaction stands in the file
	Other       string `json:"other,omitempty"`    // the operation that it contradicts
	OtherAt     string `json:"other_at,omitempty"` // where the transaction of that stands

	OtherSession     string `json:"other_session,omitempty"`
	OtherTransaction string `json:"other_transaction,omitempty"`
}

// Faults returns the faults of a verdict.
func (f *File) Faults(ctx context.Context, v *check.Verdict) ([]Fault, error) {
	var indexes []int
	for _, x := range v.Faults {
		indexes = append(indexes, x.Txn, x.Other.Txn)
	}
	txns, err := f.Read(ctx, indexes)
	if err != nil {
		return nil, err
	}
	var list []Fault
	for _, x := range v.Faults {
		out := Fault{Anomaly: x.Fault.String()}
		if t := txns[x.Txn]; t != nil {
			out.Session, out.Transaction, out.At, out.Operation = t.Session, t.ID, t.Where(), operation(t, x.Op)
		}
		if t := txns[x.Other.Txn]; t != nil {
			out.Other, out.OtherAt = operation(t, x.Other.Op), t.Where()
			out.OtherSession, out.OtherTransaction = t.Session, t.ID
		}
		list = append(list, out)
	}
	return list, nil
}

// operation is an operation of a transaction in words.
func operation(t *history.Txn, i int) string {
	kept := 0
	for _, o := range t.Ops {
		if o.Kind == history.Predicate {
			continue
		}
		if kept == i {
			switch o.Kind {
			case history.Read:
				return fmt.Sprintf("read %s = %s", o.Key, o.Value)
			case history.ReadList:
				return fmt.Sprintf("read %s = %v", o.Key, o.List)
			case history.Append:
				return fmt.Sprintf("append %s to %s", o.Value, o.Key)
			}
			return fmt.Sprintf("write %s = %s", o.Key, o.Value)
		}
		kept++
	}
	return ""
}

// Say is the fault as a sentence.
func (x *Fault) Say() string {
	s := fmt.Sprintf("%s: %s of transaction %s, session %s (%s)", x.Anomaly, x.Operation, x.Transaction, x.Session, x.At)
	if x.Other != "" {
		s += fmt.Sprintf(" contradicts %s (%s)", x.Other, x.OtherAt)
	}
	return s
}

// RealTime says what is wrong with the order in real time.
func (f *File) RealTime(ctx context.Context, v *check.Verdict) (lines []string, err error) {
	var txns map[int]*history.Txn
	name := func(i int) string {
		if t := txns[i]; t != nil {
			return named(t)
		}
		return "the initial transaction"
	}
	switch {
	case v.Unordered != nil:
		if txns, err = f.Read(ctx, []int{v.Unordered.Txn}); err != nil {
			return nil, err
		}
		return []string{fmt.Sprintf("%s: no order of its %d operations in real time explains what they read; until %s returned there was one",
			v.Unordered.Key, v.Unordered.Operations, name(v.Unordered.Txn))}, nil
	case v.Violation == nil || v.Violation.RealTime == nil:
		return nil, nil
	}
	if txns, err = f.Read(ctx, v.Violation.Txns); err != nil {
		return nil, err
	}
	for _, i := range v.Violation.Txns[1:] {
		if t := txns[i]; t != nil {
			line := name(i) + ":"
			for k := range kept(t) {
				line += " " + operation(t, k) + ","
			}
			lines = append(lines, strings.TrimRight(line, ",:"))
		}
	}
	for _, p := range v.Violation.RealTime {
		t, u := txns[v.Violation.Txns[p[0]]], txns[v.Violation.Txns[p[1]]]
		if t != nil && u != nil {
			lines = append(lines, fmt.Sprintf("%s was called, at %d, after %s had returned, at %d", named(u), called(u), named(t), returned(t)))
		}
	}
	return lines, nil
}

// named is a transaction with its name, if it has one, its session and its place.
func named(t *history.Txn) string {
	if t.ID == "" {
		return fmt.Sprintf("the transaction of session %s (%s)", t.Session, t.Where())
	}
	return fmt.Sprintf("transaction %s of session %s (%s)", t.ID, t.Session, t.Where())
}

// kept counts the operations that are no predicates.
func kept(t *history.Txn) (n int) {
	for _, o := range t.Ops {
		if o.Kind != history.Predicate {
			n++
		}
	}
	return n
}

func called(t *history.Txn) int64 {
	if t.Real.Known {
		return t.Real.Called
	}
	return t.Start
}

func returned(t *history.Txn) int64 {
	if t.Real.Known {
		return t.Real.Returned
	}
	return t.Commit
}

// Claimed says where an order that the history claims is wrong.
func (f *File) Claimed(ctx context.Context, v *check.Verdict) (string, error) {
	c := v.Mismatch
	if c == nil {
		return "", nil
	}
	txns, err := f.Read(ctx, []int{c.Txn, c.Read, c.Other})
	if err != nil {
		return "", err
	}
	name := func(i int) string {
		if t := txns[i]; t != nil {
			return fmt.Sprintf("transaction %s of session %s (%s)", t.ID, t.Session, t.Where())
		}
		return "the initial transaction"
	}
	switch c.Kind {
	case check.WrongRead:
		return fmt.Sprintf("%s reads %s from %s, and by then it is from %s", name(c.Txn), c.Key, name(c.Read), name(c.Other)), nil
	case check.Overlap:
		return fmt.Sprintf("%s writes %s, which %s wrote while it was open", name(c.Txn), c.Key, name(c.Other)), nil
	case check.Early:
		return fmt.Sprintf("%s begins before %s has committed", name(c.Txn), name(c.Other)), nil
	}
	return fmt.Sprintf("%s is not in the order exactly once", name(c.Txn)), nil
}
