package format

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/txmc/txmc/history"
)

// AWDIT writes an operation a line, w key value or r key value; a line of dashes
// ends a transaction, one of equals signs a session. No value is an initial one:
// some session has a transaction that writes what is there at first.

func looksAWDIT(head []byte) (rulers bool) {
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		_, _, err := parseAWDIT(line)
		if err == nil || !ruler(line, '-') && !ruler(line, '=') {
			return err == nil
		}
		rulers = true // so begins dbcop's text too, where a session is empty
	}
	return rulers
}

// ruler reports whether a line consists of that character, at least three times.
func ruler(line []byte, c byte) bool {
	return len(line) >= 3 && len(bytes.Trim(line, string(c))) == 0
}

func parseAWDIT(line []byte) (kind history.Kind, fields [][]byte, err error) {
	fields = bytes.Fields(line)
	if len(fields) != 3 || len(fields[0]) != 1 || fields[0][0] != 'r' && fields[0][0] != 'w' {
		return 0, nil, fmt.Errorf("expected r key value, w key value, ----- or =====, got %q", clip(line))
	}
	if _, err := strconv.ParseInt(string(fields[2]), 10, 64); err != nil {
		return 0, nil, fmt.Errorf("expected a number as value, got %q", clip(fields[2]))
	}
	if fields[0][0] == 'w' {
		kind = history.Write
	}
	return kind, fields[1:], nil
}

func readAWDIT(s *source, to history.Sink) error {
	session, txns := 0, 0
	t := history.Txn{File: s.name}
	flush := func() error {
		if len(t.Ops) == 0 {
			return nil
		}
		txns++
		t.Session, t.ID = strconv.Itoa(session), strconv.Itoa(txns)
		err := to.Txn(&t)
		t.Ops = t.Ops[:0]
		return err
	}
	err := s.lines(func(n int, line []byte) error {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
			return nil
		case ruler(line, '='):
			err := flush()
			session++
			return err
		case ruler(line, '-'):
			return flush()
		}
		kind, f, err := parseAWDIT(line)
		if err != nil {
			return s.errorAt(n, "%v", err)
		}
		if len(t.Ops) == 0 {
			t.Line = n
		}
		t.Ops = append(t.Ops, history.Op{Kind: kind, Key: s.key(f[0]), Value: decimal(f[1])})
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

type awditWriter struct {
	w       *bufio.Writer
	session string
	some    bool
	ended   map[string]bool
}

func newAWDIT(w io.Writer) writer {
	return &awditWriter{w: bufio.NewWriter(w), ended: map[string]bool{}}
}

func (p *awditWriter) txn(t *history.Txn) error {
	if t.Fate != history.Committed {
		return inexpressible(t, "transactions that did not commit")
	}
	switch {
	case !p.some:
	case p.session == t.Session:
		fmt.Fprintln(p.w, "-----")
	case p.ended[t.Session]:
		return inexpressible(t, "sessions that are interleaved: sort them first")
	default:
		fmt.Fprintln(p.w, "=====")
	}
	p.some, p.session, p.ended[t.Session] = true, t.Session, true
	for _, o := range t.Ops {
		if o.Kind != history.Read && o.Kind != history.Write {
			return inexpressible(t, "lists and predicates")
		}
		if o.Value.Kind != history.Number {
			return inexpressible(t, "initial values, and values that are no numbers")
		}
		key, err := wordOf(t, o.Key, "")
		if err != nil {
			return err
		}
		fmt.Fprintf(p.w, "%c %s %d\n", "rw"[o.Kind], key, o.Value.Num)
	}
	return nil
}

func (p *awditWriter) close() error { return p.w.Flush() }
