package format

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/txmc/txmc/history"
)

// edn reads Clojure's data notation: numbers, texts, keywords and symbols, lists
// and vectors, maps and sets.
type edn struct {
	s      *source
	line   int
	values int // of the present value, those in it included
}

// What edn makes of keywords and of collections other than lists; lists and vectors
// are []any, and symbols are keywords too.
type (
	keyword   string
	ednNumber string // one that is not a whole number of 64 bits
	ednMap    [][2]any
	ednSet    []any
)

func (m ednMap) get(name string) (any, bool) {
	for _, pair := range m {
		if pair[0] == keyword(name) || pair[0] == name {
			return pair[1], true
		}
	}
	return nil, false
}

// Bounds on how deeply collections are nested, and on how many values one has in
// all.
const (
	deepest    = 64
	mostValues = 2 << 20
)

func (e *edn) fail(format string, args ...any) error { return e.s.errorAt(e.line, format, args...) }

// peek returns the next character that is not blank or in a comment; io.EOF at the
// end.
func (e *edn) peek() (byte, error) {
	for {
		c, err := e.s.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			e.line++
		case ' ', '\t', '\r', ',':
		case ';':
			for c != '\n' {
				if c, err = e.s.ReadByte(); err != nil {
					return 0, err
				}
			}
			e.line++
		default:
			return c, e.s.UnreadByte()
		}
	}
}

// value reads a value.
func (e *edn) value(depth int) (any, error) {
	c, err := e.peek()
	if err != nil {
		return nil, e.early(err)
	}
	if depth > deepest {
		return nil, e.fail("collections are nested more than %d deep", deepest)
	}
	if depth == 0 {
		e.values = 0
	}
	if e.values++; e.values > mostValues {
		return nil, e.fail("an operation has more than %d values", mostValues)
	}
	switch c {
	case '[', '(':
		e.s.ReadByte()
		list, err := e.until(map[byte]byte{'[': ']', '(': ')'}[c], depth)
		return list, err
	case '{':
		e.s.ReadByte()
		return e.pairs(depth)
	case '"':
		e.s.ReadByte()
		return e.text()
	case '#':
		e.s.ReadByte()
		return e.dispatch(depth)
	case ']', ')', '}':
		return nil, e.fail("%c closes nothing", c)
	}
	return e.atom()
}

func (e *edn) early(err error) error {
	if err == io.EOF {
		return e.fail("the file ends early")
	}
	return e.s.failed(err)
}

// until reads values up to a bracket.
func (e *edn) until(end byte, depth int) ([]any, error) {
	list := []any{}
	for {
		c, err := e.peek()
		if err != nil {
			return nil, e.early(err)
		}
		if c == end {
			e.s.ReadByte()
			return list, nil
		}
		v, err := e.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if v != skipped {
			list = append(list, v)
		}
	}
}

// skipped is what #_ makes of a value.
var skipped any = new(int)

func (e *edn) pairs(depth int) (any, error) {
	list, err := e.until('}', depth)
	if err != nil {
		return nil, err
	}
	if len(list)%2 != 0 {
		return nil, e.fail("a map has a key without a value")
	}
	m := make(ednMap, 0, len(list)/2)
	there := map[any]bool{}
	for i := 0; i < len(list); i += 2 {
		if isScalar(list[i]) {
			if there[list[i]] {
				return nil, e.fail("a map has the key %s twice", short(list[i]))
			}
			there[list[i]] = true
		}
		m = append(m, [2]any{list[i], list[i+1]})
	}
	return m, nil
}

func isScalar(v any) bool {
	switch v.(type) {
	case int64, keyword, string, ednNumber, bool:
		return true
	}
	return false
}

// dispatch reads what follows #: a set, a value to skip, or a tag, which is passed
// over.
func (e *edn) dispatch(depth int) (any, error) {
	c, err := e.s.ReadByte()
	switch {
	case err != nil:
		return nil, e.early(err)
	case c == '{':
		list, err := e.until('}', depth)
		return ednSet(list), err
	case c == '_':
		_, err := e.value(depth + 1)
		return skipped, err
	}
	e.s.UnreadByte()
	if _, err := e.atom(); err != nil {
		return nil, err
	}
	return e.value(depth + 1)
}

func (e *edn) text() (any, error) {
	var b strings.Builder
	for {
		c, err := e.s.ReadByte()
		if err != nil {
			return nil, e.early(err)
		}
		switch c {
		case '"':
			return b.String(), nil
		case '\n':
			e.line++
		case '\\':
			if c, err = e.s.ReadByte(); err != nil {
				return nil, e.early(err)
			}
			if i := strings.IndexByte("ntr", c); i >= 0 {
				c = "\n\t\r"[i]
			}
		}
		if b.Len() > longest {
			return nil, e.fail("a text is longer than %d bytes", longest)
		}
		b.WriteByte(c)
	}
}

// atom reads a number, a keyword, a symbol, nil, true or false.
func (e *edn) atom() (any, error) {
	var b []byte
	for {
		c, err := e.s.ReadByte()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, e.s.failed(err)
		}
		if strings.IndexByte(" \t\r\n,;[](){}\"", c) >= 0 {
			e.s.UnreadByte()
			break
		}
		if b = append(b, c); len(b) > 1<<16 {
			return nil, e.fail("a name is longer than %d bytes", 1<<16)
		}
	}
	word := string(b)
	switch word {
	case "nil":
		return nil, nil
	case "true", "false":
		return word == "true", nil
	case "":
		return nil, e.fail("expected a value")
	}
	if strings.HasPrefix(word, ":") {
		return keyword(word[1:]), nil
	}
	if n, err := strconv.ParseInt(strings.TrimSuffix(word, "N"), 10, 64); err == nil {
		return n, nil
	}
	if number := strings.TrimRight(word, "MN"); plainNumber(number) {
		return ednNumber(number), nil
	}
	return keyword(word), nil
}

// scalar is an EDN or JSON value as one of a history; nil is the initial one.
func scalar(v any) (history.Value, error) {
	switch v := v.(type) {
	case nil:
		return history.Value{Kind: history.Initial}, nil
	case int64:
		return number(v), nil
	case keyword:
		return history.Value{Text: string(v), Kind: history.Text}, nil
	case string:
		return history.Value{Text: v, Kind: history.Text}, nil
	case bool:
		return history.Value{Text: fmt.Sprint(v), Kind: history.Literal}, nil
	case ednNumber:
		return decimalOf(string(v))
	}
	return history.Value{}, fmt.Errorf("expected a number, a keyword or a text, got %s", short(v))
}

// short is the beginning of a value that may be large.
func short(v any) []byte { return clip(fmt.Append(nil, v)) }
