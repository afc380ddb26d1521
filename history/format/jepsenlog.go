package format

import (
	"bytes"
	"io"
	"strings"

	"github.com/txmc/txmc/history"
)

// Jepsen's log of a test of a register, as porcupine's tests have it. A line that is an operation ends
// with process, type, function and value, with blanks between: 3 :invoke :cas [1 2]. All others are passed
// over. A value :timed-out says that there was no answer.

func looksJepsenLog(head []byte) bool {
	for line := range bytes.Lines(head) {
		if o := logged(line); len(o) > 0 {
			return true
		}
	}
	return false
}

// logged are the fields of an operation, or none.
func logged(line []byte) []string {
	at := bytes.LastIndex(line, []byte(" - "))
	if at < 0 {
		return nil
	}
	f := strings.Fields(string(line[at+3:]))
	if len(f) > 4 {
		f = append(f[:3], strings.Join(f[3:], " "))
	}
	if len(f) < 3 || !strings.HasPrefix(f[1], ":") || !strings.HasPrefix(f[2], ":") {
		return nil
	}
	return f
}

func readJepsenLog(s *source, to history.Sink) error {
	r := &elle{s: s, to: to, open: map[string]*history.Txn{}, sets: newSets()}
	err := s.lines(func(n int, line []byte) error {
		f := logged(line)
		if f == nil || strings.Trim(f[0], "0123456789") != "" {
			return nil
		}
		o := elleOp{kind: f[1][1:], f: f[2][1:], process: f[0], hasProcess: true, time: r.past, timed: true}
		if len(f) > 3 {
			e := &edn{s: &source{Reader: newText(f[3]), name: s.name}, line: n}
			v, err := e.value(0)
			if err != nil && err != io.EOF {
				return err
			}
			if k, ok := v.(keyword); !ok || k != "timed-out" {
				o.value = v
			}
		}
		r.past++
		if o.kind == "fail" && o.f == "read" { // which has read nothing
			o.value = nil
		}
		if err := r.perform(o, n, 0); err != nil {
			return r.refused(err, s.errorAt(n, "%v", err))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.end()
}
