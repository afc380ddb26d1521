package format

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/txmc/txmc/history"
)

// writer writes a history transaction by transaction.
type writer interface {
	txn(t *history.Txn) error
	close() error
}

// factWriter can also write what a database tells.
type factWriter interface {
	writer
	fact(f history.Fact) error
}

// noteWriter may have something to say of what it has written.
type noteWriter interface {
	writer
	note() string
}

// CanWrite reports whether histories can be written in the format.
func (f *Format) CanWrite() bool { return f.write != nil }

// Write returns a sink that writes to w, and what to call at the end. The sink
// fails with an error that names the transaction where the format cannot say what
// it does.
func (f *Format) Write(w io.Writer) (to history.Sink, end func() error, err error) {
	to, out, err := f.sink(w)
	if err != nil {
		return history.Sink{}, nil, err
	}
	return to, out.close, nil
}

func (f *Format) sink(w io.Writer) (to history.Sink, out writer, err error) {
	if f.write == nil {
		return history.Sink{}, nil, fmt.Errorf("histories are not written as %s", f.Name)
	}
	out = f.write(w)
	txn := out.txn
	if strings.Contains(f.What, "JSON") {
		txn = func(t *history.Txn) error {
			if err := isUTF8(t); err != nil {
				return err
			}
			return out.txn(t)
		}
	}
	to = history.Sink{Txn: txn, Fact: func(history.Fact) error {
		return fmt.Errorf("the format %s cannot tell orders of versions or of transactions: use txmc", f.Name)
	}}
	if facts, ok := out.(factWriter); ok {
		to.Fact = facts.fact
	}
	return to, out, nil
}

// inexpressible says that the format written cannot say something.
func inexpressible(t *history.Txn, what string) error {
	return fmt.Errorf("%s: the format cannot express %s", t.Where(), what)
}

// isUTF8 refuses names that JSON cannot tell apart.
func isUTF8(t *history.Txn) error {
	for _, o := range t.Ops {
		if !utf8.ValidString(o.Key) || !utf8.ValidString(o.Value.Text) {
			return inexpressible(t, fmt.Sprintf("%q, which is not UTF-8", o.Key))
		}
	}
	return nil
}

// numbered numbers names in the order of their appearance, from 0.
func numbered(names map[string]int, name string) int {
	n, ok := names[name]
	if !ok {
		n = len(names)
		names[name] = n
	}
	return n
}

// zeroed is a value for formats in which 0 is the initial one.
func zeroed(t *history.Txn, v history.Value) (int64, error) {
	switch {
	case v.Kind == history.Initial:
		return 0, nil
	case v.Kind != history.Number:
		return 0, inexpressible(t, fmt.Sprintf("the value %q, which is no whole number", v.Text))
	case v.Num == 0:
		return 0, inexpressible(t, "a written value 0, which stands for the initial one")
	}
	return v.Num, nil
}

// wordOf is a key without the characters that separate fields.
func wordOf(t *history.Txn, key, separators string) (string, error) {
	if key == "" || strings.ContainsAny(key, separators+" \t\r\n") {
		return "", inexpressible(t, fmt.Sprintf("the key %q", key))
	}
	return key, nil
}
