package format

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/txmc/txmc/history"
)

// Plume and PolySI write an operation a line, w(key,value,session,transaction) or
// r(…). Transactions have numbers of their own; -1 marks operations of aborted
// ones. Every key has the value 0 at first.

func looksPlume(head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \r\n\t"), []byte("\n"))
	_, err := parsePlume(line)
	return err == nil
}

// plumeOp is a line.
type plumeOp struct {
	write               bool
	key, value, session []byte
	txn                 int64
}

func parsePlume(line []byte) (o plumeOp, err error) {
	line = bytes.TrimSpace(line)
	if len(line) < 3 || line[0] != 'r' && line[0] != 'w' || line[1] != '(' || line[len(line)-1] != ')' {
		return o, fmt.Errorf("expected r(key,value,session,transaction) or w(…), got %q", clip(line))
	}
	o.write = line[0] == 'w'
	rest := line[2 : len(line)-1]
	for _, to := range []*[]byte{&o.key, &o.value, &o.session} {
		field, after, ok := bytes.Cut(rest, []byte(","))
		if !ok {
			return o, fmt.Errorf("expected four fields in the parentheses, got %q", clip(line))
		}
		*to, rest = bytes.TrimSpace(field), after
	}
	if len(o.key) == 0 || len(o.value) == 0 || len(o.session) == 0 {
		return o, fmt.Errorf("expected four fields in the parentheses, got %q", clip(line))
	}
	o.txn, err = strconv.ParseInt(string(bytes.TrimSpace(rest)), 10, 64)
	if err != nil {
		return o, fmt.Errorf("expected the number of a transaction as the fourth field, got %q", clip(rest))
	}
	return o, nil
}

// clip is the beginning of what is too long to show.
func clip(b []byte) []byte {
	if len(b) > 60 {
		return append(append([]byte{}, b[:60]...), "…"...)
	}
	return b
}

func readPlume(s *source, to history.Sink) error {
	var t history.Txn
	open := false
	seen := map[int64]bool{}
	var last int64
	flush := func() error {
		if !open {
			return nil
		}
		open = false
		return to.Txn(&t)
	}
	err := s.lines(func(n int, line []byte) error {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		o, err := parsePlume(line)
		if err != nil {
			return s.errorAt(n, "%v", err)
		}
		if !open || last != o.txn || t.Session != string(o.session) {
			if err := flush(); err != nil {
				return err
			}
			if o.txn >= 0 && seen[o.txn] {
				return s.errorAt(n, "transaction %d goes on after operations of others: sort the file by session and transaction", o.txn)
			}
			open, last, seen[o.txn] = true, o.txn, true
			t = history.Txn{Session: s.keyOf(sessionKey, o.session), ID: strconv.FormatInt(o.txn, 10), Ops: t.Ops[:0], File: s.name, Line: n}
			if o.txn < 0 {
				t.Fate = history.Aborted
			}
		}
		op := history.Op{Kind: history.Read, Key: s.key(o.key), Value: decimal(o.value)}
		if o.write {
			op.Kind = history.Write
		}
		if op.Value == number(0) {
			op.Value.Kind = history.Initial
		}
		t.Ops = append(t.Ops, op)
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// decimal is a value from its digits, or a text.
func decimal(b []byte) history.Value {
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		return number(n)
	}
	return history.Value{Text: string(b), Kind: history.Text}
}

type plumeWriter struct {
	w        *bufio.Writer
	sessions map[string]int
	txns     int
}

func newPlume(w io.Writer) writer {
	return &plumeWriter{w: bufio.NewWriter(w), sessions: map[string]int{}}
}

func (p *plumeWriter) txn(t *history.Txn) error {
	s := numbered(p.sessions, t.Session)
	p.txns++
	id := p.txns
	if t.Fate == history.Aborted {
		id = -1
	} else if t.Fate == history.Unknown {
		return inexpressible(t, "a transaction of unknown fate")
	}
	for _, o := range t.Ops {
		name := "r"
		switch o.Kind {
		case history.Write:
			name = "w"
		case history.Read:
		default:
			return inexpressible(t, "lists and predicates")
		}
		v, err := zeroed(t, o.Value)
		if err != nil {
			return err
		}
		key, err := wordOf(t, o.Key, ",()")
		if err != nil {
			return err
		}
		fmt.Fprintf(p.w, "%s(%s,%d,%d,%d)\n", name, key, v, s, id)
	}
	return nil
}

func (p *plumeWriter) close() error { return p.w.Flush() }
