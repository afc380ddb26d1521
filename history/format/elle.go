package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/txmc/txmc/history"
)

// Jepsen's operations, as EDN or as elle-cli's JSON, one after another or in one list.
// An operation is an invocation and its end, by the same process. It ends with ok when
// it committed, with fail when it had no effect, and with info when it may have had
// one. What their values say is in elleops.go.

func looksElle(head []byte) bool {
	trimmed := bytes.TrimLeft(head, "[( \r\n\t")
	for bytes.HasPrefix(trimmed, []byte(";")) {
		_, rest, _ := bytes.Cut(trimmed, []byte("\n"))
		trimmed = bytes.TrimLeft(rest, "[( \r\n\t")
	}
	if tag := bytes.IndexByte(trimmed, '{'); tag > 0 && trimmed[0] == '#' && !bytes.ContainsAny(trimmed[:tag], " \"(") {
		trimmed = trimmed[tag:] // a record, as Clojure prints it
	}
	return bytes.HasPrefix(trimmed, []byte("{")) && (bytes.Contains(head, []byte(":type")) || bytes.Contains(head, []byte(`"type"`)) && bytes.Contains(head, []byte(`"invoke"`)))
}

func readElle(s *source, to history.Sink) error {
	head, _ := s.Peek(peeked)
	r := &elle{s: s, to: to, open: map[string]*history.Txn{}, sets: newSets()}
	if bytes.Contains(head, []byte(":type")) {
		return r.edn()
	}
	r.isJSON = true
	return r.json()
}

// elle pairs invocations and completions.
type elle struct {
	s    *source
	to   history.Sink
	open map[string]*history.Txn // invocations by process
	loop []string                // the processes of open, in order
	txns int
	sunk error // the sink's error
	past int64 // events so far
	sets *sets

	isJSON bool
	timed  bool // operations have times
	zero   bool // registers have 0 at first
}

// timeOf is the time of an operation, in nanoseconds.
func timeOf(m ednMap) (int64, bool) {
	v, _ := m.get("time")
	n, ok := v.(int64)
	return n, ok && n >= 0
}

// elleOp is an operation.
type elleOp struct {
	kind, f, process string
	value            any
	hasProcess       bool
	time             int64 // or the number of the event
	timed            bool  // false where others have times and this has none
}

func (r *elle) edn() error {
	e := &edn{s: r.s, line: 1}
	c, err := e.peek()
	inList := err == nil && (c == '[' || c == '(')
	if inList {
		r.s.ReadByte()
	}
	for {
		c, err := e.peek()
		if err == io.EOF && !inList {
			return r.end()
		}
		if err != nil {
			return e.early(err)
		}
		if inList && (c == ']' || c == ')') {
			return r.end()
		}
		line := e.line
		v, err := e.value(0)
		if err != nil {
			return err
		}
		m, ok := v.(ednMap)
		if !ok {
			if v == skipped {
				continue
			}
			return e.fail("expected an operation in braces")
		}
		if err := r.operation(m, line, 0); err != nil {
			return r.refused(err, r.s.errorAt(line, "%v", err))
		}
	}
}

func (r *elle) json() error {
	j := newStream(r.s)
	one := func(at int64) error {
		var fields map[string]any
		if err := j.value(&fields, "expected an operation as an object"); err != nil {
			return err
		}
		if err := r.operation(ednOf(fields).(ednMap), 0, at); err != nil {
			return r.refused(err, r.s.errorByte(at, "%v", err))
		}
		return nil
	}
	if head, _ := r.s.Peek(1); bytes.Equal(head, []byte("[")) {
		if err := j.list("expected a list of operations", one); err != nil {
			return err
		}
		return r.end()
	}
	for j.d.More() {
		if err := one(j.d.InputOffset()); err != nil {
			return err
		}
	}
	return r.end()
}

// ednOf makes decoded JSON what EDN would be.
func ednOf(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		return ednNumber(v)
	case []any:
		for i := range v {
			v[i] = ednOf(v[i])
		}
	case map[string]any:
		m := ednMap{}
		for k, x := range v {
			m = append(m, [2]any{keyword(k), ednOf(x)})
		}
		return m
	}
	return v
}

func (r *elle) operation(m ednMap, line int, at int64) error {
	var o elleOp
	if v, ok := m.get("type"); ok {
		o.kind = word(v)
	}
	if v, ok := m.get("f"); ok {
		o.f = word(v)
	}
	if v, ok := m.get("process"); ok {
		o.process, o.hasProcess = word(v), true
	}
	o.value, _ = m.get("value")
	if r.past == 0 {
		_, r.timed = timeOf(m)
	}
	if o.time, o.timed = timeOf(m); !r.timed {
		o.time, o.timed = r.past, true
	}
	r.past++
	return r.perform(o, line, at)
}

// perform takes an operation: an invocation, or its end.
func (r *elle) perform(o elleOp, line int, at int64) error {
	if o.process == "nemesis" || o.kind == "" {
		return nil
	}
	switch o.kind {
	case "invoke":
		if !o.hasProcess {
			return nil
		}
		t, err := r.txn(o, line, at)
		if err != nil {
			return err
		}
		return r.begin(o.process, t)
	case "ok", "fail", "info":
	default:
		return fmt.Errorf("expected the type invoke, ok, fail or info, got %s", o.kind)
	}
	t, err := r.txn(o, line, at)
	if err != nil {
		return err
	}
	t.Real = history.Interval{}
	if begun := r.open[o.process]; begun != nil && o.hasProcess {
		delete(r.open, o.process)
		t.Real = begun.Real
		switch {
		case o.kind == "ok" && !o.timed:
			t.Real = history.Interval{}
		case o.kind == "ok" && t.Real.Known:
			t.Real.Returned = o.time
		}
		if len(t.Ops) == 0 && o.kind != "ok" {
			t.Ops = begun.Ops // what it was about to do
		}
	}
	t.Fate = map[string]history.Fate{"ok": history.Committed, "fail": history.Aborted, "info": history.Unknown}[o.kind]
	return r.emit(t)
}

// begin notes an invocation. One of the same process that was not completed may have
// happened.
func (r *elle) begin(process string, t *history.Txn) error {
	if before := r.open[process]; before != nil {
		before.Fate = history.Unknown
		if err := r.emit(before); err != nil {
			return err
		}
	} else {
		r.loop = append(r.loop, process)
	}
	r.open[process] = t
	if len(r.loop) > 2*len(r.open)+16 { // forget the processes that have ended
		kept := r.loop[:0]
		for _, p := range r.loop {
			if r.open[p] != nil {
				kept = append(kept, p)
			}
		}
		r.loop = kept
	}
	return nil
}

// end follows the last operation: what has not been completed may have happened.
func (r *elle) end() error {
	for _, p := range r.loop {
		if t := r.open[p]; t != nil {
			delete(r.open, p)
			t.Fate = history.Unknown
			if err := r.emit(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// emit numbers the transactions, as they have no names.
func (r *elle) emit(t *history.Txn) error {
	r.txns++
	t.ID = strconv.Itoa(r.txns)
	if t.Session == "" {
		t.Session = "txn " + t.ID
	}
	r.sunk = r.to.Txn(t)
	return r.sunk
}

// refused is the error of the sink as it is, and of anything else where it is.
func (r *elle) refused(err, where error) error {
	if r.sunk != nil {
		return err
	}
	return where
}

// txn makes the transaction that an operation is.
func (r *elle) txn(o elleOp, line int, at int64) (*history.Txn, error) {
	t := &history.Txn{Session: o.process, File: r.s.name, Line: line, Byte: at}
	if o.timed {
		t.Real = history.Interval{Known: true, Events: !r.timed, Called: o.time, Returned: history.Never}
	}
	ops, err := r.operations(o)
	if o.kind != "ok" && o.f != "cas" { // what was asked is no answer; but a cas that happened has read what it asked for
		ops = slices.DeleteFunc(ops, func(o history.Op) bool { return o.Kind != history.Write && o.Kind != history.Append })
	}
	t.Ops = ops
	return t, err
}
