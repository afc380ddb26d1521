package access

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// What expressions of the tree say: columns, constants, parameters.

// plain is a node without the conversions around it.
func plain(n *node) *node {
	for n != nil {
		switch n.name {
		case "RELABELTYPE", "COERCEVIAIO", "COERCETODOMAIN":
			n = n.child("arg")
		case "FUNCEXPR":
			args := n.nodes("args")
			// funcformat 1 and 2 are casts, of which the length may follow.
			if format := n.word("funcformat"); (format != "1" && format != "2") || len(args) == 0 {
				return n
			}
			n = args[0]
		default:
			return n
		}
	}
	return n
}

// columnOf is the column of a table that an expression is.
func (q *query) columnOf(n *node) (column, bool) {
	if n = plain(n); n == nil || n.name != "VAR" || n.number("varlevelsup") > 0 {
		return column{}, false
	}
	c := column{n.number("varno"), n.number("varattno")}
	if c.entry < 1 || c.entry > len(q.tables) || q.tables[c.entry-1] == nil {
		return column{}, false
	}
	if rte := q.tables[c.entry-1]; rte.word("rtekind") == "2" { // a join: its columns are others'
		if vars := rte.nodes("joinaliasvars"); c.number > 0 && c.number <= len(vars) && vars[c.number-1] != nil {
			return q.columnOf(vars[c.number-1])
		}
		return column{}, false
	}
	return c, true
}

// nextval is the number of the function nextval(regclass) (catalog/pg_proc.dat).
const nextval = 1574

// operand is a parameter or a constant, or the next number of a sequence.
func operand(n *node) Operand {
	switch n = plain(n); {
	case n == nil:
	case n.name == "PARAM" && n.word("paramkind") == "0":
		return Operand{Param: n.number("paramid"), Known: true}
	case n.name == "CONST":
		if text, ok := constant(n); ok {
			return Operand{Const: text, Known: true}
		}
	case n.name == "NEXTVALUEEXPR", n.name == "FUNCEXPR" && n.number("funcid") == nextval:
		return Operand{Fresh: true}
	}
	return Operand{}
}

// constant is a constant of the commonest types as SQL text.
func constant(n *node) (string, bool) {
	if n.word("constisnull") == "true" {
		return "", false
	}
	values := n.fields["constvalue"] // the length, and the bytes in brackets
	if len(values) != 2 {
		return "", false
	}
	bytes, _ := values[1].(list)
	var raw []byte
	for _, b := range bytes {
		w, _ := b.(string)
		raw = append(raw, byte(number(w)))
	}
	switch n.number("consttype") {
	case 20, 21, 23: // int8, int2, int4
		switch len(raw) {
		case 4: // as wide as a Datum of the engine
			return strconv.FormatInt(int64(int32(binary.LittleEndian.Uint32(raw))), 10), true
		case 8:
			return strconv.FormatInt(int64(binary.LittleEndian.Uint64(raw)), 10), true
		}
		return "", false
	case 16: // bool
		return fmt.Sprint(len(raw) > 0 && raw[0] != 0), true
	case 25, 1042, 1043, 705: // text, bpchar, varchar, unknown: a header of four bytes
		if n.number("consttype") == 705 {
			return quote(strings.TrimRight(string(raw), "\x00")), true
		}
		if len(raw) < 4 {
			return "", false
		}
		return quote(string(raw[4:])), true
	}
	return "", false
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
