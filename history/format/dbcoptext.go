package format

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/txmc/txmc/history"
)

// dbcop's text since 2026. A transaction is [x:=1 y==2 z==?]: x is written, y is read,
// and z is read before anybody wrote it. An exclamation mark behind a transaction says
// that it did not commit. A line --- ends a session; // begins a comment.

func looksDbcopText(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = withoutComment(line)
		if len(line) > 0 && string(line) != "---" { // sessions without transactions
			return line[0] == '[' && (bytes.Contains(line, []byte(":=")) || bytes.Contains(line, []byte("==")))
		}
	}
	return false
}

func withoutComment(line []byte) []byte {
	line, _, _ = bytes.Cut(line, []byte("//"))
	return bytes.TrimSpace(line)
}

func readDbcopText(s *source, to history.Sink) error {
	session, txns := 1, 0
	t := history.Txn{File: s.name}
	return s.lines(func(n int, line []byte) error {
		line = withoutComment(line)
		if ruler(line, '-') {
			session++
			return nil
		}
		for len(line) > 0 {
			end := bytes.IndexByte(line, ']')
			if line[0] != '[' || end < 0 {
				return s.errorAt(n, "expected transactions in [ and ], or ---, got %q", clip(line))
			}
			txns++
			t.Session, t.ID, t.Line, t.Ops, t.Fate = strconv.Itoa(session), strconv.Itoa(txns), n, t.Ops[:0], history.Committed
			for _, event := range bytes.Fields(line[1:end]) {
				o, err := parseDbcopEvent(s, event)
				if err != nil {
					return s.errorAt(n, "%v", err)
				}
				t.Ops = append(t.Ops, o)
			}
			if line = line[end+1:]; len(line) > 0 && line[0] == '!' {
				t.Fate, line = history.Aborted, line[1:]
			}
			line = bytes.TrimSpace(line)
			if err := to.Txn(&t); err != nil {
				return err
			}
		}
		return nil
	})
}

func parseDbcopEvent(s *source, event []byte) (history.Op, error) {
	o := history.Op{Kind: history.Write}
	key, value, ok := bytes.Cut(event, []byte(":="))
	if !ok {
		o.Kind = history.Read
		key, value, ok = bytes.Cut(event, []byte("=="))
	}
	if !ok || len(key) == 0 {
		return o, fmt.Errorf("expected key:=value or key==value, got %q", clip(event))
	}
	o.Key = s.key(key)
	if o.Kind == history.Read && string(value) == "?" {
		o.Value.Kind = history.Initial
		return o, nil
	}
	num, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return o, fmt.Errorf("expected a number as value of %s, got %q", key, clip(value))
	}
	o.Value = number(num)
	return o, nil
}

type dbcopTextWriter struct {
	w        io.Writer
	sessions map[string]int
	text     [][]byte
}

func newDbcopText(w io.Writer) writer {
	return &dbcopTextWriter{w: w, sessions: map[string]int{}}
}

func (p *dbcopTextWriter) txn(t *history.Txn) error {
	if t.Fate == history.Unknown {
		return inexpressible(t, "a transaction of unknown fate")
	}
	s := numbered(p.sessions, t.Session)
	if s == len(p.text) {
		p.text = append(p.text, nil)
	}
	b := append(p.text[s], '[')
	for i, o := range t.Ops {
		key, err := wordOf(t, o.Key, "[]=:/!")
		switch {
		case err != nil:
			return err
		case o.Kind != history.Read && o.Kind != history.Write:
			return inexpressible(t, "lists and predicates")
		case o.Value.Kind != history.Number && o.Value.Kind != history.Initial:
			return inexpressible(t, "values that are no numbers")
		case o.Kind == history.Write && o.Value.Kind == history.Initial:
			return inexpressible(t, "writing the initial value")
		}
		if i > 0 {
			b = append(b, ' ')
		}
		switch {
		case o.Kind == history.Write:
			b = fmt.Appendf(b, "%s:=%d", key, o.Value.Num)
		case o.Value.Kind == history.Initial:
			b = fmt.Appendf(b, "%s==?", key)
		default:
			b = fmt.Appendf(b, "%s==%d", key, o.Value.Num)
		}
	}
	b = append(b, ']')
	if t.Fate == history.Aborted {
		b = append(b, '!')
	}
	p.text[s] = append(b, '\n')
	return nil
}

func (p *dbcopTextWriter) close() error {
	w := bufio.NewWriter(p.w)
	for i, b := range p.text {
		if i > 0 {
			w.WriteString("---\n")
		}
		w.Write(b)
	}
	return w.Flush()
}
