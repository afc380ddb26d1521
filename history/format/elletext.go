package format

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/txmc/txmc/history"
)

// Lists as text, an operation a line. A line has session and transaction; then A key
// value for an append, or R key n and the n values of a list that was read.

func looksElleText(head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \r\n\t"), []byte("\n"))
	f := bytes.Fields(line)
	return len(f) >= 5 && len(f[2]) == 1 && (f[2][0] == 'A' || f[2][0] == 'R')
}

func readElleText(s *source, to history.Sink) error {
	var t history.Txn
	seen := map[string]bool{}
	flush := func() error {
		if t.ID == "" {
			return nil
		}
		return to.Txn(&t)
	}
	err := s.lines(func(n int, line []byte) error {
		f := bytes.Fields(line)
		if len(f) == 0 {
			return nil
		}
		o, err := parseElleText(s, f)
		if err != nil {
			return s.errorAt(n, "%v", err)
		}
		if t.ID != string(f[1]) || t.Session != string(f[0]) {
			if err := flush(); err != nil {
				return err
			}
			t = history.Txn{Session: s.keyOf(sessionKey, f[0]), ID: string(f[1]), Ops: t.Ops[:0], File: s.name, Line: n}
			if seen[t.Session+" "+t.ID] {
				return s.errorAt(n, "transaction %s goes on after operations of others: sort the file by session and transaction", t.ID)
			}
			seen[t.Session+" "+t.ID] = true
		}
		t.Ops = append(t.Ops, o)
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

func parseElleText(s *source, f [][]byte) (o history.Op, err error) {
	if len(f) < 5 || len(f[2]) != 1 {
		return o, fmt.Errorf("expected session transaction A key value, or session transaction R key n values, got %q", clip(bytes.Join(f, []byte(" "))))
	}
	o.Key = s.key(f[3])
	switch f[2][0] {
	case 'A':
		o.Kind, o.Value = history.Append, decimal(f[4])
		if len(f) != 5 {
			err = fmt.Errorf("expected one value behind A key")
		}
		return o, err
	case 'R':
		n, err := strconv.Atoi(string(f[4]))
		if err != nil || n != len(f)-5 {
			return o, fmt.Errorf("expected %s values behind R key, got %d", clip(f[4]), len(f)-5)
		}
		o.Kind, o.List = history.ReadList, []history.Value{}
		for _, v := range f[5:] {
			o.List = append(o.List, decimal(v))
		}
		return o, nil
	}
	return o, fmt.Errorf("expected A or R as the third field, got %q", f[2])
}
