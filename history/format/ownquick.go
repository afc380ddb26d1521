package format

import (
	"math"
	"strconv"

	"github.com/txmc/txmc/history"
)

// quick reads a transaction of the own format as it is mostly written: without
// escapes in its texts, predicates or facts. It does not judge: what it does not
// know it leaves to the decoder of all of JSON, which is many times slower.
type quick struct {
	s    *source
	rest []byte
	ok   bool
}

// quickTxn reports whether the line was such a transaction, which t is then.
func (s *source) quickTxn(line []byte, t *history.Txn) bool {
	q := quick{s, line, true}
	t.Session, t.ID, t.Ops, t.Fate, t.Timed, t.Start, t.Commit, t.Real = "", "", t.Ops[:0], history.Committed, false, 0, 0, history.Interval{}
	const session, id, fate, start, commit, ops, called, returned = 1, 2, 4, 8, 16, 32, 64, 128
	seen := 0
	q.byte('{')
	for q.ok {
		name := q.text()
		q.byte(':')
		before := seen
		switch string(name) {
		case "session":
			seen |= session
			t.Session = s.keyOf(sessionKey, q.text())
		case "id":
			seen |= id
			t.ID = string(q.text())
		case "fate":
			seen |= fate
			t.Fate = q.fate()
		case "start":
			seen |= start
			t.Start = q.number()
		case "commit":
			seen |= commit
			t.Commit = q.number()
		case "called":
			seen |= called
			t.Real.Known, t.Real.Called = true, q.number()
		case "returned":
			seen |= returned
			t.Real.Returned = q.number()
		case "ops":
			seen |= ops
			q.ops(t)
		}
		if seen == before { // unknown, or there twice
			return false
		}
		if !q.next(',') {
			break
		}
	}
	q.byte('}')
	q.space()
	t.Timed = seen&start != 0
	if t.Real.Known && seen&returned == 0 {
		t.Real.Returned = history.Never
	}
	return q.ok && (!t.Real.Known && seen&returned == 0 || t.Real.Known && t.Real.Called <= t.Real.Returned) && len(q.rest) == 0 && seen&session != 0 && (seen&start != 0) == (seen&commit != 0)
}

func (q *quick) space() {
	for len(q.rest) > 0 && (q.rest[0] == ' ' || q.rest[0] == '\t') {
		q.rest = q.rest[1:]
	}
}

// next passes over c if it comes next.
func (q *quick) next(c byte) bool {
	q.space()
	if len(q.rest) > 0 && q.rest[0] == c {
		q.rest = q.rest[1:]
		return true
	}
	return false
}

// byte passes over c, which must come next.
func (q *quick) byte(c byte) { q.ok = q.next(c) && q.ok }

// text reads a text of printable ASCII without escapes.
func (q *quick) text() []byte {
	q.byte('"')
	for i, c := range q.rest {
		if c == '"' {
			text := q.rest[:i]
			q.rest = q.rest[i+1:]
			return text
		}
		if c < ' ' || c > '~' || c == '\\' {
			break
		}
	}
	q.ok = false
	return nil
}

// number reads a whole number of at most 19 digits.
func (q *quick) number() int64 {
	q.space()
	negative := len(q.rest) > 0 && q.rest[0] == '-'
	if negative {
		q.rest = q.rest[1:]
	}
	n, digits := uint64(0), 0
	for digits < len(q.rest) && q.rest[digits]-'0' <= 9 && digits < 20 {
		n = 10*n + uint64(q.rest[digits]-'0')
		digits++
	}
	if digits == 0 || digits > 19 || n > math.MaxInt64 || digits > 1 && q.rest[0] == '0' || negative && n == 0 {
		q.ok = false
	}
	if q.rest = q.rest[digits:]; len(q.rest) > 0 && (q.rest[0] == '.' || q.rest[0] == 'e' || q.rest[0] == 'E') {
		q.ok = false
	}
	if negative {
		return -int64(n)
	}
	return int64(n)
}

func (q *quick) fate() history.Fate {
	fate, ok := ownFate(string(q.text()))
	q.ok = q.ok && ok
	return fate
}

func (q *quick) ops(t *history.Txn) {
	q.byte('[')
	if q.next(']') {
		return
	}
	for q.ok {
		t.Ops = append(t.Ops, q.op())
		if !q.next(',') {
			break
		}
	}
	q.byte(']')
}

func (q *quick) op() (o history.Op) {
	q.byte('[')
	var ok bool
	if o.Kind, ok = ownKind(string(q.text())); !ok {
		q.ok = false
		return o
	}
	q.byte(',')
	o.Key = q.key()
	q.byte(',')
	if o.Kind == history.ReadList {
		o.List = q.list()
	} else {
		o.Value = q.value()
	}
	q.byte(']')
	return o
}

// key reads a text or a number.
func (q *quick) key() string {
	q.space()
	if len(q.rest) > 0 && q.rest[0] == '"' {
		return q.s.key(q.text())
	}
	var buf [20]byte
	return q.s.keyOf(numberKey, strconv.AppendInt(buf[:0], q.number(), 10))
}

func (q *quick) list() (list []history.Value) {
	q.byte('[')
	if q.next(']') {
		return nil
	}
	for q.ok {
		list = append(list, q.value())
		if !q.next(',') {
			break
		}
	}
	q.byte(']')
	return list
}

// value reads a number, a text or null.
func (q *quick) value() history.Value {
	q.space()
	switch {
	case len(q.rest) > 0 && q.rest[0] == '"':
		return history.Value{Text: string(q.text()), Kind: history.Text}
	case len(q.rest) >= 4 && string(q.rest[:4]) == "null":
		q.rest = q.rest[4:]
		return history.Value{Kind: history.Initial}
	}
	return number(q.number())
}
