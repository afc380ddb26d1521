package packet

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// What answers and arguments say, in the words of the text protocol.

// column is a column of a result.
type column struct {
	name     string
	kind     byte
	unsigned bool
	decimals byte
}

// The types of columns and arguments (field_types.h).
const (
	tiny      = 1
	short     = 2
	long      = 3
	float     = 4
	double    = 5
	null      = 6
	timestamp = 7
	longlong  = 8
	int24     = 9
	date      = 10
	clock     = 11
	datetime  = 12
	year      = 13
	decimal   = 246

	oldDecimal = 0
)

// describe reads the definition of a column.
func describe(p []byte) (c column, err error) {
	var s []byte
	ok := true
	for i := range 6 { // catalog, schema, table, its own name, the column, its own name
		if s, p, ok = text(p); !ok {
			break
		}
		if i == 4 {
			c.name = string(s)
		}
	}
	const fixed = 11
	if !ok || len(p) < fixed {
		return c, fmt.Errorf("a definition of a column that is cut off")
	}
	c.kind, c.unsigned, c.decimals = p[7], p[8]&0x20 != 0, p[10]
	return c, nil
}

// value is a value of the binary protocol as a text, and what follows it; ok is false where
// it is cut off.
func value(c column, p []byte) (s string, rest []byte, ok bool) {
	size := map[byte]int{tiny: 1, short: 2, year: 2, long: 4, int24: 4, float: 4, longlong: 8, double: 8}[c.kind]
	switch {
	case len(p) < size:
		return "", nil, false
	case size > 0:
		return fixed(c, p[:size]), p[size:], true
	case c.kind == date || c.kind == datetime || c.kind == timestamp || c.kind == clock:
		b, rest, ok := text(p)
		return moment(c, b), rest, ok
	}
	b, rest, ok := text(p)
	return string(b), rest, ok
}

// fixed is a number.
func fixed(c column, b []byte) string {
	var n uint64
	for i, x := range b {
		n |= uint64(x) << (8 * i)
	}
	switch {
	case c.kind == float:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(n))), 'g', -1, 32)
	case c.kind == double:
		return strconv.FormatFloat(math.Float64frombits(n), 'g', -1, 64)
	case c.unsigned:
		return strconv.FormatUint(n, 10)
	}
	shift := 64 - 8*len(b)
	return strconv.FormatInt(int64(n<<shift)>>shift, 10)
}

// moment is a date, a time, or both.
func moment(c column, b []byte) string {
	full := make([]byte, 12)
	copy(full, b)
	var s string
	var micro uint32
	if c.kind == clock {
		hours := binary.LittleEndian.Uint32(full[1:])*24 + uint32(full[5])
		s = fmt.Sprintf("%02d:%02d:%02d", hours, full[6], full[7])
		if full[0] == 1 {
			s = "-" + s
		}
		micro = binary.LittleEndian.Uint32(full[8:])
	} else {
		s = fmt.Sprintf("%04d-%02d-%02d", binary.LittleEndian.Uint16(full), full[2], full[3])
		if c.kind == date {
			return s
		}
		s += fmt.Sprintf(" %02d:%02d:%02d", full[4], full[5], full[6])
		micro = binary.LittleEndian.Uint32(full[7:])
	}
	if n := int(c.decimals); n > 0 && n <= 6 {
		s += fmt.Sprintf(".%06d", micro)[:n+1]
	}
	return s
}

// cells are the values of a row; a nil is NULL.
func cells(list []column, p []byte, inBinary bool) (out []*string) {
	nulls, first := p, 0
	if inBinary {
		const head, offset = 1, 2
		end := head + (len(list)+7+offset)/8
		if len(p) < end {
			return nil
		}
		nulls, first, p = p[head:end], offset, p[end:]
	}
	for i, c := range list {
		at := i + first
		switch {
		case inBinary && nulls[at/8]>>(at%8)&1 == 1, !inBinary && len(p) > 0 && p[0] == isFile:
			if out = append(out, nil); !inBinary {
				p = p[1:]
			}
			continue
		case !inBinary:
			c.kind = null // a text, whatever the column is
		}
		s, rest, ok := value(c, p)
		if !ok {
			return out
		}
		out, p = append(out, &s), rest
	}
	return out
}

// words counts results.
type words struct {
	list []string
	rows int
}

func (w *words) ok(affected, _ uint64) { w.list = append(w.list, fmt.Sprintf("OK %d", affected)) }
func (w *words) err(code uint16, message string) {
	w.list = []string{fmt.Sprintf("!%d %s", code, message)}
}
func (w *words) columns([]column) { w.rows = 0 }
func (w *words) row([]byte, bool) { w.rows++ }
func (w *words) end()             { w.list = append(w.list, fmt.Sprintf("OK %d", w.rows)) }

// Words says what an answer says of a statement. It has the number of rows, such as OK
// 1. Of an error it has ! and its number, a blank and its message. It is "" when the
// answer says nothing.
func Words(answer []byte) string {
	var w words
	read(answer, &w)
	return strings.Join(w.list, ", ")
}

// Seen is what a client sees of results: the numbers of rows and new keys, columns, values,
// and the numbers of errors. It is the same in both protocols.
type Seen struct{ strings.Builder }

func (s *Seen) ok(affected, insert uint64) { s.OK(affected, insert) }
func (s *Seen) err(code uint16, _ string)  { s.Failed(int(code)) }
func (s *Seen) end()                       {}
func (s *Seen) row([]byte, bool)           {}
func (s *Seen) columns([]column)           {}

// OK adds the end of a statement without rows.
func (s *Seen) OK(affected, insert uint64) { fmt.Fprintf(s, "ok %d %d;", affected, insert) }

// Failed adds an error.
func (s *Seen) Failed(code int) { fmt.Fprintf(s, "!%d;", code) }

// Columns adds the names of columns.
func (s *Seen) Columns(names []string) { fmt.Fprintf(s, "%q;", names) }

// Row adds a row; a nil is NULL.
func (s *Seen) Row(cells []*string) {
	for _, c := range cells {
		if c == nil {
			s.WriteString("NULL,")
			continue
		}
		s.WriteString(strconv.Quote(*c) + ",")
	}
	s.WriteByte('\n')
}

// seen reads an answer into a Seen.
type seen struct {
	Seen
	list  []column
	begun int // where the statement's answer begins
}

// err is the error of a statement, which may come behind columns and rows.
func (s *seen) err(code uint16, message string) {
	before := s.String()[:min(s.begun, s.Len())]
	s.Reset()
	s.WriteString(before)
	s.Seen.err(code, message)
}

func (s *seen) ok(affected, insert uint64) {
	s.Seen.ok(affected, insert)
	s.begun = s.Len()
}

func (s *seen) end() { s.begun = s.Len() }

func (s *seen) columns(list []column) {
	s.list = list
	var names []string
	for _, c := range list {
		names = append(names, c.name)
	}
	s.Columns(names)
}

func (s *seen) row(p []byte, inBinary bool) {
	row := cells(s.list, p, inBinary)
	for i, cell := range row {
		if k := s.list[i].kind; cell != nil && (k == decimal || k == oldDecimal) {
			text := Decimal(*cell)
			row[i] = &text
		}
	}
	s.Row(row)
}

// Decimal is a decimal number without zeros at its end: these do not tell two numbers
// apart.
func Decimal(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// SeenOf is what a client sees of an answer.
func SeenOf(answer []byte) string {
	if len(answer) > 0 && answer[0] == Prepare {
		return ""
	}
	var s seen
	read(answer, &s)
	return s.String()
}

// Argument is an argument of a statement that was prepared.
type Argument struct {
	Null   bool
	Text   string
	Number bool
}

// Arguments are those of an Execute of a statement with n parameters. types are those that
// an earlier Execute of the statement has sent; they are returned for the next one. Long
// arguments, which have been sent apart, are NULL here.
func Arguments(payload []byte, n int, types []byte) ([]Argument, []byte) {
	const head = 10 // the command, the statement, flags, a count
	nulls := head + (n+7)/8
	if n == 0 || len(payload) < nulls+1 {
		return nil, types
	}
	p := payload[nulls+1:]
	if payload[nulls] == 1 {
		if len(p) < 2*n {
			return nil, types
		}
		types, p = p[:2*n], p[2*n:]
	}
	if len(types) < 2*n {
		return nil, types
	}
	list := make([]Argument, n)
	for i := range list {
		c := column{kind: types[2*i], unsigned: types[2*i+1]&0x80 != 0, decimals: 6}
		if payload[head+i/8]>>(i%8)&1 == 1 || c.kind == null {
			list[i].Null = true
			continue
		}
		s, rest, ok := value(c, p)
		if !ok {
			return list[:i], types
		}
		list[i] = Argument{Text: s, Number: c.kind <= double || c.kind == longlong || c.kind == int24}
		p = rest
	}
	return list, types
}
