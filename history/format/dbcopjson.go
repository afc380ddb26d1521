package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"github.com/txmc/txmc/history"
)

// dbcop's JSON since 2026: sessions of transactions of events, where the version
// null is the initial one.

func looksDbcopJSON(head []byte) bool {
	head = bytes.Join(bytes.Fields(head), nil)
	return bytes.HasPrefix(head, []byte("{")) && bytes.Contains(head, []byte(`"data":[[`))
}

type dbcopTxn struct {
	Events    []dbcopEvent `json:"events"`
	Committed *bool        `json:"committed"`
}

type dbcopEvent struct {
	Write *dbcopVersion `json:"Write,omitempty"`
	Read  *dbcopVersion `json:"Read,omitempty"`
}

type dbcopVersion struct {
	Variable any    `json:"variable"`
	Version  *int64 `json:"version"`
}

func readDbcopJSON(s *source, to history.Sink) error {
	j := newStream(s)
	if err := j.delim('{', "expected an object"); err != nil {
		return err
	}
	for j.d.More() {
		name, err := j.d.Token()
		if err != nil {
			return j.fail(err, "expected the name of a field")
		}
		if name != "data" {
			var skipped json.RawMessage
			if err := j.value(&skipped, "expected a value"); err != nil {
				return err
			}
			continue
		}
		if err := readDbcopData(j, to); err != nil {
			return err
		}
	}
	return j.delim('}', "expected the end of the object")
}

func readDbcopData(j *stream, to history.Sink) error {
	session, txns := 0, 0
	t := history.Txn{File: j.s.name}
	return j.list("expected a list of sessions", func(int64) error {
		session++
		return j.list("expected a list of transactions", func(at int64) error {
			var x dbcopTxn
			if err := j.value(&x, "expected a transaction with events"); err != nil {
				return err
			}
			txns++
			t.Session, t.ID, t.Byte, t.Ops, t.Fate = strconv.Itoa(session), strconv.Itoa(txns), at, t.Ops[:0], history.Committed
			if x.Committed != nil && !*x.Committed {
				t.Fate = history.Aborted
			}
			for _, e := range x.Events {
				o, v := history.Op{Kind: history.Read}, e.Read
				if e.Write != nil {
					o.Kind, v = history.Write, e.Write
				}
				if v == nil || e.Write != nil && v.Version == nil {
					return j.s.errorByte(at, `expected events {"Write":{"variable":…,"version":…}} and {"Read":…}`)
				}
				var err error
				if o.Key, err = keyOf(j.s, v.Variable); err != nil {
					return j.s.errorByte(at, "%v", err)
				}
				o.Value = history.Value{Kind: history.Initial}
				if v.Version != nil {
					o.Value = number(*v.Version)
				}
				t.Ops = append(t.Ops, o)
			}
			return to.Txn(&t)
		})
	})
}

// dbcopJSONWriter gathers the sessions, as each stands in one piece.
type dbcopJSONWriter struct {
	w        io.Writer
	sessions map[string]int
	keys     map[string]int
	data     [][]dbcopTxn
}

func newDbcopJSON(w io.Writer) writer {
	return &dbcopJSONWriter{w: w, sessions: map[string]int{}, keys: map[string]int{}, data: [][]dbcopTxn{}}
}

func (p *dbcopJSONWriter) txn(t *history.Txn) error {
	if t.Fate == history.Unknown {
		return inexpressible(t, "a transaction of unknown fate")
	}
	committed := t.Fate == history.Committed
	x := dbcopTxn{Events: []dbcopEvent{}, Committed: &committed}
	for _, o := range t.Ops {
		v := &dbcopVersion{}
		if n, err := strconv.ParseUint(o.Key, 10, 63); err == nil {
			v.Variable = n
		} else {
			v.Variable = numbered(p.keys, o.Key)
		}
		switch {
		case o.Kind != history.Read && o.Kind != history.Write:
			return inexpressible(t, "lists and predicates")
		case o.Value.Kind != history.Number && o.Value.Kind != history.Initial:
			return inexpressible(t, "values that are no numbers")
		case o.Value.Kind == history.Number:
			v.Version = &o.Value.Num
		case o.Kind == history.Write:
			return inexpressible(t, "writing the initial value")
		}
		if o.Kind == history.Write {
			x.Events = append(x.Events, dbcopEvent{Write: v})
		} else {
			x.Events = append(x.Events, dbcopEvent{Read: v})
		}
	}
	s := numbered(p.sessions, t.Session)
	if s == len(p.data) {
		p.data = append(p.data, []dbcopTxn{})
	}
	p.data[s] = append(p.data[s], x)
	return nil
}

func (p *dbcopJSONWriter) close() error {
	w := bufio.NewWriter(p.w)
	if err := json.NewEncoder(w).Encode(map[string]any{"data": p.data}); err != nil {
		return err
	}
	return w.Flush()
}
