package access

import (
	"errors"
	"strings"
)

// node is a node of PostgreSQL's analysed statements, as nodeToString writes it
// (src/backend/nodes/outfuncs.c): {NAME :field value …}.
type node struct {
	name   string
	order  []string         // of the fields
	fields map[string][]any // values: *node, list, or a word
}

// list is a list in parentheses, or the bytes of a constant in brackets.
type list []any

var errNode = errors.New("PostgreSQL's analysed statement cannot be read")

// parse reads a text of nodeToString.
func parse(text string) (any, error) {
	r := &reader{words: words(text)}
	v := r.value()
	if r.failed || r.at != len(r.words) {
		return nil, errNode
	}
	return v, nil
}

// words are the parts of the text: brackets of all kinds, and what stands between blanks.
// A backslash keeps the character after it.
func words(text string) (all []string) {
	start := -1
	end := func(i int) {
		if start >= 0 {
			all, start = append(all, text[start:i]), -1
		}
	}
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if start < 0 {
				start = i
			}
			i++
		case c == '"':
			if start < 0 {
				start = i
			}
			quoted = !quoted
		case quoted:
		case c == ' ' || c == '\n':
			end(i)
		case strings.IndexByte("(){}[]", c) >= 0:
			end(i)
			all = append(all, text[i:i+1])
		case start < 0:
			start = i
		}
	}
	end(len(text))
	return all
}

type reader struct {
	words  []string
	at     int
	failed bool
}

func (r *reader) next() string {
	if r.at >= len(r.words) {
		r.failed = true
		return ""
	}
	r.at++
	return r.words[r.at-1]
}

// value reads a node, a list or a word.
func (r *reader) value() any {
	switch w := r.next(); w {
	case "{":
		return r.node()
	case "(", "[":
		var l list
		for !r.failed && r.at < len(r.words) && r.words[r.at] != ")" && r.words[r.at] != "]" {
			l = append(l, r.value())
		}
		r.next()
		return l
	default:
		return w
	}
}

func (r *reader) node() *node {
	n := &node{name: r.next(), fields: map[string][]any{}}
	field := ""
	for !r.failed {
		if r.at >= len(r.words) {
			r.failed = true
			break
		}
		w := r.words[r.at]
		if w == "}" {
			r.at++
			break
		}
		if strings.HasPrefix(w, ":") {
			field = w[1:]
			n.order = append(n.order, field)
			r.at++
			continue
		}
		n.fields[field] = append(n.fields[field], r.value())
	}
	return n
}

// word is a field's only word.
func (n *node) word(field string) string {
	if v := n.fields[field]; len(v) > 0 {
		if w, ok := v[0].(string); ok {
			return strings.Trim(w, `"`)
		}
	}
	return ""
}

func (n *node) number(field string) int { return number(n.word(field)) }

func number(w string) (n int) {
	negative := strings.HasPrefix(w, "-")
	for _, c := range strings.TrimPrefix(w, "-") {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	if negative {
		return -n
	}
	return n
}

// child is a field's node, nil without one.
func (n *node) child(field string) *node {
	if v := n.fields[field]; len(v) > 0 {
		c, _ := v[0].(*node)
		return c
	}
	return nil
}

// nodes are those of a field's list, nil in place of what is none.
func (n *node) nodes(field string) (all []*node) {
	v := n.fields[field]
	if len(v) == 0 {
		return nil
	}
	l, _ := v[0].(list)
	for _, e := range l {
		c, _ := e.(*node)
		all = append(all, c)
	}
	return all
}

// set is a field's set of numbers, written (b 1 2).
func (n *node) set(field string) (all []int) {
	v := n.fields[field]
	if len(v) == 0 {
		return nil
	}
	l, _ := v[0].(list)
	for i, e := range l {
		if w, ok := e.(string); ok && i > 0 {
			all = append(all, number(w))
		}
	}
	return all
}

// walk calls f with all nodes below a value, and the value; f says whether to go deeper.
func walk(v any, f func(*node) bool) {
	switch v := v.(type) {
	case *node:
		if v == nil || !f(v) {
			return
		}
		for _, field := range v.order {
			for _, e := range v.fields[field] {
				walk(e, f)
			}
		}
	case list:
		for _, e := range v {
			walk(e, f)
		}
	}
}
