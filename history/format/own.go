package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/txmc/txmc/history"
)

// The own format: JSON, an object a line. It says everything that a history can
// hold; docs/histories.md describes it.
//
//	{"session":"s1","id":"1","ops":[["w","x",1],["r","y",null]]}
//	{"session":"s1","id":"2","fate":"unknown","start":10,"commit":12,"ops":[["a","l",1],["l","l",[1]]]}
//	{"versions":"x","values":[1,2]}
//	{"serial":["1","2"]}
//	{"matches":"grp = 3","of":[["x",1]]}
//	{"deleted":[["x",2,750]]}

type ownLine struct {
	Session *string             `json:"session,omitempty"`
	ID      string              `json:"id,omitempty"`
	Fate    string              `json:"fate,omitempty"` // committed if it is left out
	Start   *int64              `json:"start,omitempty"`
	Commit  *int64              `json:"commit,omitempty"`
	Called  *int64              `json:"called,omitempty"`
	Back    *int64              `json:"returned,omitempty"` // with called; never if it is left out
	Events  bool                `json:"events,omitempty"`   // these are numbers of events
	Ops     [][]json.RawMessage `json:"ops,omitempty"`

	Versions any      `json:"versions,omitempty"` // a key
	Values   []any    `json:"values,omitempty"`
	Serial   []string `json:"serial,omitempty"`

	Matches *string  `json:"matches,omitempty"` // the name of a predicate
	Of      [][2]any `json:"of,omitempty"`
	Deleted [][3]any `json:"deleted,omitempty"` // versions, and when they were deleted
}

// ownNames are the names of operations on a key, by kind.
var ownNames = [...]string{history.Read: "r", history.Write: "w", history.Append: "a", history.ReadList: "l"}

// ownKind returns the kind of operations on a key that have that name.
func ownKind(name string) (history.Kind, bool) {
	switch name { // faster than to look through ownNames
	case "r":
		return history.Read, true
	case "w":
		return history.Write, true
	case "a":
		return history.Append, true
	case "l":
		return history.ReadList, true
	}
	return 0, false
}

// ownFate returns the fate of that name, which is left out where it is committed.
func ownFate(name string) (history.Fate, bool) {
	switch name {
	case "", "committed":
		return history.Committed, true
	case "aborted":
		return history.Aborted, true
	case "unknown":
		return history.Unknown, true
	}
	return 0, false
}

// ownWhere is the argument of a predicate read, ["p",{…}].
type ownWhere struct {
	Where   string   `json:"where,omitempty"`   // its name, where facts tell what matches
	Matches [][2]any `json:"matches,omitempty"` // else those that do
	Saw     [][2]any `json:"saw"`
	Result  [][2]any `json:"result"`

	Snapshot []int64 `json:"snapshot,omitempty"` // which deletions it saw
}

func looksOwn(head []byte) bool {
	head = bytes.TrimLeft(head, " \r\n\t")
	if !bytes.HasPrefix(head, []byte("{")) {
		return false
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.Contains(line, []byte(`"session":`)) || bytes.Contains(line, []byte(`"versions":`)) || bytes.Contains(line, []byte(`"serial":`)) ||
		bytes.Contains(line, []byte(`"matches":`)) || bytes.Contains(line, []byte(`"deleted":`))
}

func readOwn(s *source, to history.Sink) error {
	t := history.Txn{File: s.name}
	return s.lines(func(n int, line []byte) error {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		if s.quickTxn(line, &t) {
			t.Line = n
			return to.Txn(&t)
		}
		x, err := decodeOwn(line)
		switch {
		case err != nil:
		case x.Session != nil:
			t.Line, t.Session = n, s.keyOf(sessionKey, []byte(*x.Session))
			if err = x.txn(s, &t); err == nil {
				return to.Txn(&t)
			}
		case x.Versions != nil:
			var f history.Fact
			if f, err = x.order(s); err == nil {
				return to.PutFact(f)
			}
		case x.Serial != nil:
			return to.PutFact(history.Fact{Serial: x.Serial})
		case x.Matches != nil:
			f := history.Fact{Where: *x.Matches}
			if f.Matches, err = versionsOf(s, x.Of); err == nil {
				return to.PutFact(f)
			}
		case x.Deleted != nil:
			var f history.Fact
			if f.Deleted, err = deletionsOf(s, x.Deleted); err == nil {
				return to.PutFact(f)
			}
		default:
			err = fmt.Errorf("expected a transaction, with a session, or a fact: versions, serial, matches or deleted")
		}
		return s.errorAt(n, "%v", err)
	})
}

// decodeOwn reads any line.
func decodeOwn(line []byte) (x ownLine, err error) {
	if err := plainJSON(line); err != nil {
		return x, err
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		return x, fmt.Errorf("expected a transaction or a fact: %w", err)
	}
	if rest := bytes.TrimSpace(line[d.InputOffset():]); len(rest) > 0 {
		return x, fmt.Errorf("expected one transaction or fact in a line, which goes on with %.20q", rest)
	}
	return x, nil
}

func (x *ownLine) txn(s *source, t *history.Txn) error {
	t.ID, t.Ops, t.Timed, t.Start, t.Commit = x.ID, t.Ops[:0], false, 0, 0
	var ok bool
	if t.Fate, ok = ownFate(x.Fate); !ok {
		return fmt.Errorf("expected the fate committed, aborted or unknown, got %q", x.Fate)
	}
	if err := x.interval(t); err != nil {
		return err
	}
	if (x.Start == nil) != (x.Commit == nil) {
		return fmt.Errorf("expected both start and commit, or none")
	}
	if x.Start != nil {
		t.Timed, t.Start, t.Commit = true, *x.Start, *x.Commit
	}
	for _, raw := range x.Ops {
		o, err := ownOp(s, raw)
		if err != nil {
			return err
		}
		t.Ops = append(t.Ops, o)
	}
	return nil
}

func ownOp(s *source, raw []json.RawMessage) (o history.Op, err error) {
	var name string
	var f []any
	for i, r := range raw {
		var v any
		if i == 1 && name == "p" {
			o.Kind = history.Predicate
			o.Where, err = ownPredicate(s, r)
			return o, err
		}
		if err := unmarshalNumbers(r, &v); err != nil {
			return o, err
		}
		if i == 0 {
			name, _ = v.(string)
		}
		f = append(f, v)
	}
	if len(f) != 3 {
		return o, fmt.Errorf(`expected an operation ["r",key,value], ["w",…], ["a",…], ["l",key,[values]] or ["p",{…}]`)
	}
	if o.Key, err = keyOf(s, f[1]); err != nil {
		return o, err
	}
	var ok bool
	if o.Kind, ok = ownKind(name); !ok {
		return o, fmt.Errorf("expected r, w, a, l or p as an operation, got %q", name)
	}
	if o.Kind != history.ReadList {
		o.Value, err = valueOf(f[2])
		return o, err
	}
	list, ok := f[2].([]any)
	if !ok {
		return o, fmt.Errorf("expected the values of the list %s", o.Key)
	}
	o.List, err = valuesOf(list)
	return o, err
}

func ownPredicate(s *source, raw json.RawMessage) (*history.Where, error) {
	var x ownWhere
	if err := unmarshalNumbers(raw, &x); err != nil {
		return nil, fmt.Errorf("expected a predicate with matches, saw and result: %v", err)
	}
	if x.Where != "" && x.Matches != nil {
		return nil, fmt.Errorf("expected a predicate with where or with matches, not with both")
	}
	w := &history.Where{Name: x.Where, Snapshot: x.Snapshot}
	for _, part := range []struct {
		from [][2]any
		to   *[]history.Version
	}{{x.Matches, &w.Matches}, {x.Saw, &w.Saw}, {x.Result, &w.Result}} {
		var err error
		if *part.to, err = versionsOf(s, part.from); err != nil {
			return nil, err
		}
	}
	return w, nil
}

type ownWriter struct{ w *bufio.Writer }

func newOwn(w io.Writer) writer { return &ownWriter{bufio.NewWriter(w)} }

func (p *ownWriter) line(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	p.w.Write(b)
	return p.w.WriteByte('\n')
}

func (p *ownWriter) txn(t *history.Txn) error {
	x := struct {
		Session string  `json:"session"`
		ID      string  `json:"id,omitempty"`
		Fate    string  `json:"fate,omitempty"`
		Start   *int64  `json:"start,omitempty"`
		Commit  *int64  `json:"commit,omitempty"`
		Called  *int64  `json:"called,omitempty"`
		Back    *int64  `json:"returned,omitempty"`
		Events  bool    `json:"events,omitempty"`
		Ops     [][]any `json:"ops"`
	}{Session: t.Session, ID: t.ID, Ops: [][]any{}}
	if t.Fate != history.Committed {
		x.Fate = t.Fate.String()
	}
	if t.Timed {
		x.Start, x.Commit = &t.Start, &t.Commit
	}
	if t.Real.Known {
		x.Called, x.Events = &t.Real.Called, t.Real.Events
		if t.Real.Returned != history.Never {
			x.Back = &t.Real.Returned
		}
	}
	for _, o := range t.Ops {
		switch o.Kind {
		case history.Predicate:
			x.Ops = append(x.Ops, []any{"p", ownWhere{o.Where.Name, pairs(o.Where.Matches), pairs(o.Where.Saw), pairs(o.Where.Result), o.Where.Snapshot}})
		case history.ReadList:
			x.Ops = append(x.Ops, []any{ownNames[o.Kind], o.Key, plainList(o.List)})
		default:
			x.Ops = append(x.Ops, []any{ownNames[o.Kind], o.Key, o.Value.Any()})
		}
	}
	return p.line(x)
}

func (p *ownWriter) fact(f history.Fact) error {
	if f.Serial != nil {
		return p.line(map[string]any{"serial": f.Serial})
	}
	if f.Deleted != nil {
		var list [][3]any
		for _, d := range f.Deleted {
			list = append(list, [3]any{d.Key, d.Value.Any(), d.At})
		}
		return p.line(map[string]any{"deleted": list})
	}
	if f.Where != "" {
		return p.line(struct {
			Matches string   `json:"matches"`
			Of      [][2]any `json:"of"`
		}{f.Where, pairs(f.Matches)})
	}
	return p.line(struct {
		Versions string `json:"versions"`
		Values   []any  `json:"values"`
	}{f.Key, plainList(f.Versions)})
}

func (p *ownWriter) close() error { return p.w.Flush() }

func plainList(values []history.Value) []any {
	list := []any{}
	for _, v := range values {
		list = append(list, v.Any())
	}
	return list
}

func pairs(versions []history.Version) [][2]any {
	list := [][2]any{}
	for _, v := range versions {
		list = append(list, [2]any{v.Key, v.Value.Any()})
	}
	return list
}
