package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/txmc/txmc/history"
)

// TimeKiller's JSON: a list of transactions with sessions, start and commit
// timestamps, and operations: w and r of values, a that appends to a list and r of
// lists. A timestamp has a physical and a logical part. The value 0 is the initial
// one of a key, and the empty list that of a list.

func looksTimekiller(head []byte) bool {
	trimmed := bytes.TrimLeft(head, " \r\n\t")
	return bytes.HasPrefix(trimmed, []byte("[")) && bytes.Contains(head, []byte(`"ops"`)) &&
		(bytes.Contains(head, []byte(`"cts"`)) || bytes.Contains(head, []byte(`"sts"`)))
}

type killerTxn struct {
	TID any        `json:"tid"`
	SID any        `json:"sid"`
	STS killerTime `json:"sts"`
	CTS killerTime `json:"cts"`
	Ops []killerOp `json:"ops"`
}

type killerTime struct {
	P any   `json:"p"`
	L int64 `json:"l"`
}

type killerOp struct {
	T string `json:"t"`
	K any    `json:"k"`
	V any    `json:"v"`
}

// clock makes one number of the parts of timestamps. Where the physical part is
// small enough the logical one stands below it. Physical parts that take all bits
// hold a logical part already, as TiDB's do.
type clock struct{ wide, narrow bool }

func (c *clock) timestamp(k killerTime) (int64, error) {
	p, err := strconv.ParseInt(fmt.Sprint(k.P), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("expected a number as timestamp, got %s", short(k.P))
	}
	wide := p > 1<<44 || p < -(1<<44)
	c.wide, c.narrow = c.wide || wide, c.narrow || !wide
	switch {
	case c.wide && c.narrow:
		return 0, fmt.Errorf("the timestamp %d is of another kind than those before", p)
	case wide && k.L == 0:
		return p, nil
	case wide || k.L < 0 || k.L >= 1<<18:
		return 0, fmt.Errorf("the timestamp %d, %d is too large", p, k.L)
	}
	return p<<18 | k.L, nil
}

// killerTimeOf is the time of which [clock.timestamp] makes the number n.
func killerTimeOf(n int64) killerTime { return killerTime{P: n >> 18, L: n & (1<<18 - 1)} }

func readTimekiller(s *source, to history.Sink) error {
	j := newStream(s)
	t := history.Txn{File: s.name, Timed: true}
	var times clock
	return j.list("expected a list of transactions", func(at int64) error {
		var x killerTxn
		if err := j.value(&x, "expected a transaction with tid, sid, sts, cts and ops"); err != nil {
			return err
		}
		var err error
		t.Session, t.ID, t.Byte, t.Ops = fmt.Sprint(x.SID), fmt.Sprint(x.TID), at, t.Ops[:0]
		if t.Start, err = times.timestamp(x.STS); err != nil {
			return s.errorByte(at, "%v", err)
		}
		if t.Commit, err = times.timestamp(x.CTS); err != nil {
			return s.errorByte(at, "%v", err)
		}
		for _, o := range x.Ops {
			op, err := o.op(s)
			if err != nil {
				return s.errorByte(at, "%v", err)
			}
			t.Ops = append(t.Ops, op)
		}
		return to.Txn(&t)
	})
}

func (k killerOp) op(s *source) (o history.Op, err error) {
	if o.Key, err = keyOf(s, k.K); err != nil {
		return o, err
	}
	list, isList := k.V.([]any)
	switch {
	case k.T == "r" && isList:
		o.Kind = history.ReadList
		o.List, err = valuesOf(list)
		return o, err
	case k.T == "r":
		o.Kind = history.Read
	case k.T == "w":
		o.Kind = history.Write
	case k.T == "a":
		o.Kind = history.Append
	default:
		return o, fmt.Errorf("expected w, r or a as an operation, got %q", k.T)
	}
	if o.Value, err = valueOf(k.V); o.Value == number(0) && o.Kind != history.Append {
		o.Value.Kind = history.Initial
	}
	return o, err
}

func valuesOf(list []any) ([]history.Value, error) {
	values := make([]history.Value, len(list))
	for i, v := range list {
		var err error
		if values[i], err = valueOf(v); err != nil {
			return nil, err
		}
	}
	return values, nil
}

type killerWriter struct {
	w        *bufio.Writer
	sessions map[string]int
	txns     int
}

func newTimekiller(w io.Writer) writer {
	return &killerWriter{w: bufio.NewWriter(w), sessions: map[string]int{}}
}

func (p *killerWriter) txn(t *history.Txn) error {
	if t.Fate != history.Committed {
		return inexpressible(t, "transactions that did not commit")
	}
	if !t.Timed {
		return inexpressible(t, "a transaction without timestamps")
	}
	x := killerTxn{TID: p.txns, SID: numbered(p.sessions, t.Session), STS: killerTimeOf(t.Start), CTS: killerTimeOf(t.Commit), Ops: []killerOp{}}
	for _, o := range t.Ops {
		k := killerOp{K: o.Key, V: o.Value.Num}
		if n, err := strconv.ParseInt(o.Key, 10, 64); err == nil {
			k.K = n
		}
		switch o.Kind {
		case history.Read:
			k.T = "r"
		case history.Write:
			k.T = "w"
		case history.Append:
			k.T = "a"
		case history.ReadList:
			list := []any{}
			for _, v := range o.List {
				list = append(list, v.Any())
			}
			k.T, k.V = "r", list
		default:
			return inexpressible(t, "predicates")
		}
		if o.Kind != history.ReadList && o.Value.Kind != history.Number && o.Value.Kind != history.Initial {
			k.V = o.Value.Any()
		}
		x.Ops = append(x.Ops, k)
	}
	sep := ",\n"
	if p.txns == 0 {
		sep = "[\n"
	}
	p.txns++
	b, err := json.Marshal(x)
	if err != nil {
		return err
	}
	p.w.WriteString(sep)
	_, err = p.w.Write(b)
	return err
}

func (p *killerWriter) close() error {
	if p.txns == 0 {
		p.w.WriteString("[")
	}
	p.w.WriteString("\n]\n")
	return p.w.Flush()
}
