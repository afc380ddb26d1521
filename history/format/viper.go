package format

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/txmc/txmc/history"
)

// Viper's logs. There is a file for each session, and a line for each transaction: a JSON
// object with its operations. These are w (write), r (read), i (insert), d (delete) and
// range. A range lists the keys between two bounds, both live and dead ones. Deleting
// writes a value of its own, which reads of dead keys return.

type viperTxn struct {
	Value     []json.RawMessage `json:"value"`
	IsInitial bool              `json:"isInitial"`
}

// deleted is what a deleted key has.
var deleted = history.Value{Text: "deleted", Kind: history.Text}

func readViper(s *source, to history.Sink) error {
	t := history.Txn{Session: session(s.name), File: s.name}
	return s.lines(func(n int, line []byte) error {
		if len(line) == 0 {
			return nil
		}
		var x viperTxn
		if err := plainJSON(line); err != nil {
			return s.errorAt(n, "%v", err)
		}
		if err := json.Unmarshal(line, &x); err != nil {
			return s.errorAt(n, "expected an object with the operations of a transaction as value: %v", err)
		}
		t.ID, t.Line, t.Ops = t.Session+"/"+strconv.Itoa(n), n, t.Ops[:0]
		for _, raw := range x.Value {
			ops, err := viperOps(s, raw)
			if err != nil {
				return s.errorAt(n, "%v", err)
			}
			t.Ops = append(t.Ops, ops...)
		}
		return to.Txn(&t)
	})
}

func viperOps(s *source, raw json.RawMessage) ([]history.Op, error) {
	var f []any
	if err := unmarshalNumbers(raw, &f); err != nil || len(f) == 0 {
		return nil, fmt.Errorf(`expected an operation such as ["w",key,value,true], got %.60s`, raw)
	}
	kind, _ := f[0].(string)
	if kind == "range" {
		return viperRange(s, f)
	}
	if len(f) < 2 {
		return nil, fmt.Errorf("expected the key of %q", kind)
	}
	o := history.Op{Kind: history.Write, Value: deleted}
	var err error
	if o.Key, err = keyOf(s, f[1]); err != nil {
		return nil, err
	}
	switch kind {
	case "d":
		return []history.Op{o}, nil
	case "r":
		o.Kind = history.Read
	case "w", "i":
	default:
		return nil, fmt.Errorf("expected w, r, i, d or range, got %q", kind)
	}
	if len(f) < 3 {
		return nil, fmt.Errorf("expected the value of %s of %q", kind, o.Key)
	}
	o.Value, err = valueOf(f[2])
	return []history.Op{o}, err
}

// viperRange reads what a range has listed, and what it has found dead.
func viperRange(s *source, f []any) (ops []history.Op, err error) {
	if len(f) < 4 {
		return nil, fmt.Errorf("expected two bounds and the keys of a range")
	}
	found, ok := f[3].([]any)
	if !ok {
		return nil, fmt.Errorf("expected a list of the keys of a range")
	}
	for _, x := range found {
		item, _ := x.(map[string]any)
		o := history.Op{Kind: history.Read}
		if o.Key, err = keyOf(s, item["id"]); err != nil {
			return nil, err
		}
		if o.Value, err = valueOf(item["val"]); err != nil {
			return nil, err
		}
		ops = append(ops, o)
	}
	if len(f) > 4 {
		dead, _ := f[4].([]any)
		for _, x := range dead {
			if item, ok := x.(map[string]any); ok {
				x = item["id"]
			}
			o := history.Op{Kind: history.Read, Value: deleted}
			if o.Key, err = keyOf(s, x); err != nil {
				return nil, err
			}
			ops = append(ops, o)
		}
	}
	return ops, nil
}
