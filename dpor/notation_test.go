package dpor_test

import (
	"fmt"
	"strconv"
	"strings"
)

// A test program is written in a few letters: `|` separates sessions, and `;` separates
// transactions. A transaction is a list of operations on the variables x, y, z, u. All
// variables start at 0:
//
//	r x      reads x
//	w x      writes a value that no other operation of the program writes
//	w x 3    writes 3
//	inc x    reads x and writes it plus 1
//	l x      reads x by a locking read
//	upd x    reads x by a locking read and writes it plus 1
//	sum x    writes the sum of all that the session has read so far, plus 1
//	abort    ends the transaction without effect
//	if C { … } else { … }
//
// where C is a condition on the value that the session's last read returned, also a
// read of an earlier transaction. C is odd, even, or a number that the value equals. A
// transaction that begins with `when C` does not take place at all unless C holds. A
// last session that begins with `final` is the program's Finals.
type prog struct {
	sessions [][]txn
	final    []txn
}

type txn struct {
	when *cond
	body []op
}

type opKind string

const (
	opRead  opKind = "r"
	opWrite opKind = "w"
	opInc   opKind = "inc"
	opLock  opKind = "l"
	opUpd   opKind = "upd"
	opSum   opKind = "sum"
	opAbort opKind = "abort"
	opIf    opKind = "if"
)

type op struct {
	kind   opKind
	v      int  // variable
	val    int  // of a write
	unique bool // of a write: val is of its own
	cond   cond
	then   []op
	orElse []op
}

type cond struct {
	parity string // odd, even, or "" to compare with number
	number int
}

func (c cond) holds(last int) bool {
	switch c.parity {
	case "odd":
		return last%2 == 1
	case "even":
		return last%2 == 0
	}
	return last == c.number
}

const variables = "xyzu"

// firstUnique is the first value of the writes that have one of their own;
// other values stay below it unless a program is long.
const firstUnique = 10

// all returns the sessions and, when there are Finals, their session.
func (p *prog) all() [][]txn {
	if len(p.final) == 0 {
		return p.sessions
	}
	return append(p.sessions[:len(p.sessions):len(p.sessions)], p.final)
}

func (p *prog) String() string {
	var sessions []string
	for i, s := range p.all() {
		var txns []string
		for _, t := range s {
			text := opsString(t.body)
			if t.when != nil {
				text = strings.TrimSpace("when " + t.when.String() + " " + text)
			}
			txns = append(txns, text)
		}
		text := strings.Join(txns, " ; ")
		if i == len(p.sessions) {
			text = "final " + text
		}
		sessions = append(sessions, text)
	}
	return strings.Join(sessions, " | ")
}

func (c cond) String() string {
	if c.parity != "" {
		return c.parity
	}
	return strconv.Itoa(c.number)
}

func opsString(ops []op) string {
	var words []string
	for _, o := range ops {
		words = append(words, o.String())
	}
	return strings.Join(words, " ")
}

func (o op) String() string {
	name := string(variables[o.v])
	switch {
	case o.kind == opAbort:
		return "abort"
	case o.kind == opIf && len(o.orElse) == 0:
		return fmt.Sprintf("if %v { %s }", o.cond, opsString(o.then))
	case o.kind == opIf:
		return fmt.Sprintf("if %v { %s } else { %s }", o.cond, opsString(o.then), opsString(o.orElse))
	case o.kind == opWrite && !o.unique:
		return fmt.Sprintf("w %s %d", name, o.val)
	}
	return string(o.kind) + " " + name
}

// parse reads the notation above. It panics on what it cannot read: the
// programs are part of the tests.
func parse(text string) *prog {
	p := &prog{}
	for session := range strings.SplitSeq(text, "|") {
		var txns []txn
		words := strings.Fields(session)
		final := len(words) > 0 && words[0] == "final"
		if final {
			words = words[1:]
		}
		for part := range strings.SplitSeq(strings.Join(words, " "), ";") {
			txns = append(txns, parseTxn(text, strings.Fields(part)))
		}
		if final {
			p.final = txns
		} else {
			p.sessions = append(p.sessions, txns)
		}
	}
	p.number()
	return p
}

// number gives every unique write its value, in the order of the text.
func (p *prog) number() {
	next := firstUnique
	var number func(ops []op)
	number = func(ops []op) {
		for i := range ops {
			if ops[i].unique {
				ops[i].val = next
				next++
			}
			number(ops[i].then)
			number(ops[i].orElse)
		}
	}
	for _, s := range p.all() {
		for _, t := range s {
			number(t.body)
		}
	}
}

type parser struct {
	text  string
	words []string
}

func parseTxn(text string, words []string) txn {
	ps := &parser{text, words}
	var t txn
	if ps.accept("when") {
		c := ps.cond()
		t.when = &c
	}
	t.body = ps.ops()
	if len(ps.words) > 0 {
		ps.bad()
	}
	return t
}

func (ps *parser) bad() {
	panic(fmt.Sprintf("test program %q: cannot read %q", ps.text, strings.Join(ps.words, " ")))
}

func (ps *parser) accept(word string) bool {
	if len(ps.words) == 0 || ps.words[0] != word {
		return false
	}
	ps.words = ps.words[1:]
	return true
}

func (ps *parser) expect(word string) {
	if !ps.accept(word) {
		ps.bad()
	}
}

// accepted takes a number if one comes next.
func (ps *parser) accepted() (int, bool) {
	if len(ps.words) == 0 {
		return 0, false
	}
	n, err := strconv.Atoi(ps.words[0])
	if err != nil {
		return 0, false
	}
	ps.words = ps.words[1:]
	return n, true
}

func (ps *parser) cond() cond {
	for _, parity := range []string{"odd", "even"} {
		if ps.accept(parity) {
			return cond{parity: parity}
		}
	}
	n, ok := ps.accepted()
	if !ok {
		ps.bad()
	}
	return cond{number: n}
}

func (ps *parser) variable() int {
	if len(ps.words) > 0 && len(ps.words[0]) == 1 {
		if v := strings.Index(variables, ps.words[0]); v >= 0 {
			ps.words = ps.words[1:]
			return v
		}
	}
	ps.bad()
	return 0
}

func (ps *parser) ops() []op {
	var ops []op
	for len(ps.words) > 0 && ps.words[0] != "}" {
		o := op{kind: opKind(ps.words[0])}
		ps.words = ps.words[1:]
		switch o.kind {
		case opRead, opInc, opSum, opLock, opUpd:
			o.v = ps.variable()
		case opWrite:
			o.v = ps.variable()
			n, ok := ps.accepted()
			o.val, o.unique = n, !ok
		case opAbort:
		case opIf:
			o.cond = ps.cond()
			ps.expect("{")
			o.then = ps.ops()
			ps.expect("}")
			if ps.accept("else") {
				ps.expect("{")
				o.orElse = ps.ops()
				ps.expect("}")
			}
		default:
			ps.words = append([]string{string(o.kind)}, ps.words...)
			ps.bad()
		}
		ops = append(ops, o)
	}
	return ops
}
