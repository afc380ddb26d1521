package wire

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"
)

// names are the prepared statements and portals of a connection. Connections
// share a server: the first one's names go to it as they are, the others' with
// the connection's number before them.
type names struct {
	prefix   string
	prepared map[string]*prepared
	portals  map[string]portal
	asked    []string // the statements whose descriptions are awaited
}

type prepared struct {
	sql    string
	params []uint32 // OIDs of their types, as far as they are known
}

// portal is a statement with its arguments.
type portal struct {
	text string // with the arguments in it
	sql  string
	args []string // as literals
}

func newNames(connection int32) names {
	n := names{prepared: map[string]*prepared{}, portals: map[string]portal{}}
	if connection > 0 {
		n.prefix = "c" + strconv.Itoa(int(connection)) + "_"
	}
	return n
}

// rename returns a message with the names that the server knows, and notes what
// it prepares and binds.
func (n *names) rename(m []byte) ([]byte, error) {
	var message pgproto3.FrontendMessage
	switch m[0] {
	case 'P':
		p := &pgproto3.Parse{}
		if err := p.Decode(m[5:]); err != nil {
			return nil, err
		}
		n.prepared[p.Name] = &prepared{p.Query, p.ParameterOIDs}
		p.Name = n.own(p.Name)
		message = p
	case 'B':
		b := &pgproto3.Bind{}
		if err := b.Decode(m[5:]); err != nil {
			return nil, err
		}
		n.portals[b.DestinationPortal] = n.bound(b)
		b.PreparedStatement, b.DestinationPortal = n.own(b.PreparedStatement), n.own(b.DestinationPortal)
		message = b
	case 'D':
		d := &pgproto3.Describe{}
		if err := d.Decode(m[5:]); err != nil {
			return nil, err
		}
		if d.ObjectType == 'S' {
			n.asked = append(n.asked, d.Name)
		}
		d.Name = n.own(d.Name)
		message = d
	case 'E':
		e := &pgproto3.Execute{}
		if err := e.Decode(m[5:]); err != nil {
			return nil, err
		}
		e.Portal = n.own(e.Portal)
		message = e
	case 'C':
		c := &pgproto3.Close{}
		if err := c.Decode(m[5:]); err != nil {
			return nil, err
		}
		c.Name = n.own(c.Name)
		message = c
	}
	if message == nil || n.prefix == "" {
		return m, nil
	}
	return message.Encode(nil)
}

// own is a name as the server knows it. The statement and the portal without a
// name are used at once by who makes them: they may be shared.
func (n *names) own(name string) string {
	if name == "" {
		return ""
	}
	return n.prefix + name
}

// statement is the statement that a message runs, if it runs one.
func (n *names) statement(m []byte) (text string, ok bool) {
	switch m[0] {
	case 'Q':
		return strings.TrimSuffix(string(m[5:]), "\x00"), true
	case 'E':
		p, ok := n.portals[portalOf(m)]
		return p.text, ok
	}
	return "", false
}

// portalOf is the name of the portal that a message runs.
func portalOf(m []byte) string {
	name, _, _ := strings.Cut(string(m[5:]), "\x00")
	return name
}

// parts are the statement that a message runs, and its arguments as literals.
func (n *names) parts(m []byte) (sql string, args []string) {
	if m[0] == 'E' {
		p := n.portals[portalOf(m)]
		return p.sql, p.args
	}
	text, _ := n.statement(m)
	return text, nil
}

// parsed is the statement that a message prepares, if it prepares one.
func (n *names) parsed(m []byte) (text string, ok bool) {
	if m[0] != 'P' {
		return "", false
	}
	name, _, _ := strings.Cut(string(m[5:]), "\x00")
	p := n.prepared[name]
	if p == nil {
		return "", false
	}
	return p.sql, true
}

// answered learns the types of prepared statements' parameters.
func (n *names) answered(answers []byte) {
	for kind, body := range messages(answers) {
		switch {
		case kind == 'Z':
			n.asked = nil
		case kind == 't' && len(n.asked) > 0:
			p := n.prepared[n.asked[0]]
			n.asked = n.asked[1:]
			if d := (&pgproto3.ParameterDescription{}); p != nil && d.Decode(body) == nil {
				p.params = d.ParameterOIDs
			}
		}
	}
}

// bound is a statement with its arguments in place of the parameters.
func (n *names) bound(b *pgproto3.Bind) portal {
	p := n.prepared[b.PreparedStatement]
	if p == nil {
		return portal{}
	}
	args := make([]string, len(b.Parameters))
	for i, v := range b.Parameters {
		var oid uint32
		if i < len(p.params) {
			oid = p.params[i]
		}
		args[i] = argument(v, oid, format(b.ParameterFormatCodes, i))
	}
	return portal{substitute(p.sql, args), p.sql, args}
}

// format is the format of parameter i: 0 text, 1 binary.
func format(codes []int16, i int) int16 {
	switch {
	case len(codes) == 1:
		return codes[0]
	case i < len(codes):
		return codes[i]
	}
	return 0
}

// argument is a parameter's value as a literal, cut when it is long.
func argument(v []byte, oid uint32, format int16) string {
	const most = 1 << 10 // bytes: more is not shown
	if v == nil {
		return "NULL"
	}
	if len(v) > most {
		v = []byte(strings.ToValidUTF8(string(v[:most]), ""))
	}
	if format == 1 {
		switch oid {
		case pgtype.BoolOID:
			return strconv.FormatBool(len(v) == 1 && v[0] == 1)
		case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID:
			return strconv.FormatInt(integer(v), 10)
		case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.JSONOID, pgtype.NameOID:
			return quote(string(v))
		}
		return decoded(v, oid)
	}
	switch oid {
	case pgtype.BoolOID, pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.NumericOID, pgtype.Float4OID, pgtype.Float8OID:
		return string(v)
	}
	return quote(string(v))
}

// types are maps of types, each of which is used by one goroutine at a time.
var types = sync.Pool{New: func() any { return pgtype.NewMap() }}

// decoded is a binary value of some other type, as SQL writes it.
func decoded(v []byte, oid uint32) string {
	m := types.Get().(*pgtype.Map)
	defer types.Put(m)
	if t, ok := m.TypeForOID(oid); ok {
		if x, err := t.Codec.DecodeValue(m, oid, pgtype.BinaryFormatCode, v); err == nil {
			if text, err := m.Encode(oid, pgtype.TextFormatCode, x, nil); err == nil {
				return quote(string(text))
			}
		}
	}
	return quote(`\x` + hex.EncodeToString(v))
}

func integer(v []byte) int64 {
	switch len(v) {
	case 2:
		return int64(int16(binary.BigEndian.Uint16(v)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(v)))
	case 8:
		return int64(binary.BigEndian.Uint64(v))
	}
	return 0
}

// quote makes a literal of a text.
func quote(s string) string {
	if !utf8.ValidString(s) {
		s = `\x` + hex.EncodeToString([]byte(s))
	}
	return "'" + strings.ReplaceAll(Shorten(s), "'", "''") + "'"
}

// substitute puts arguments in place of $1, $2 and so on, outside of texts and
// names in quotes. It is for people to read, not to be run.
func substitute(sql string, args []string) string {
	var b strings.Builder
	for i := 0; i < len(sql); i++ {
		switch c := sql[i]; c {
		case '\'', '"':
			end := strings.IndexByte(sql[i+1:], c)
			if end < 0 {
				end = len(sql) - i - 2
			}
			b.WriteString(sql[i : i+end+2])
			i += end + 1
		case '$':
			digits := 0
			for i+1+digits < len(sql) && sql[i+1+digits] >= '0' && sql[i+1+digits] <= '9' {
				digits++
			}
			k, err := strconv.Atoi(sql[i+1 : i+1+digits])
			if err != nil || k < 1 || k > len(args) {
				b.WriteByte(c)
				continue
			}
			b.WriteString(args[k-1])
			i += digits
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
