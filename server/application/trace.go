package application

import (
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"regexp"
	"strconv"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Which request a statement belongs to is said by a comment at its end, or its beginning, as sqlcommenter writes it: each
// request has a trace of its own (W3C Trace Context, the header traceparent), and the comment repeats it. Without one a statement belongs to the request
// that is under way. The comments are taken away: the database and reports have the statements alone.

// origin is where a statement comes from, as far as its comment says.
type origin struct {
	trace string
	file  string // of the application
	line  int

	background bool // no request has sent it
}

// newTrace is the traceparent of a request.
func newTrace() string {
	var b [24]byte
	rand.Read(b[:]) // it never fails
	return "00-" + hex.EncodeToString(b[:16]) + "-" + hex.EncodeToString(b[16:]) + "-01"
}

const pair = `[\w%.-]+='(?:[^'\\]|\\.)*'`

var (
	comment = regexp.MustCompile(`^\s*/\*\s*(` + pair + `(?:\s*,\s*` + pair + `)*)\s*\*/\s*|\s*/\*\s*(` + pair + `(?:\s*,\s*` + pair + `)*)\s*\*/(\s*;?\s*)$`)
	said    = regexp.MustCompile(`([\w%.-]+)='((?:[^'\\]|\\.)*)'`)
	traced  = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-`)
)

// uncommented is a statement without its comment, and what that says.
func uncommented(sql string) (string, origin) {
	var o origin
	f := comment.FindStringSubmatch(sql)
	if f == nil {
		return sql, o
	}
	for _, p := range said.FindAllStringSubmatch(f[1]+f[2], -1) {
		v, err := url.PathUnescape(p[2])
		if err != nil {
			v = p[2]
		}
		switch p[1] {
		case "traceparent":
			if t := traced.FindStringSubmatch(v); t != nil {
				o.trace = t[1]
			}
		case "txmc":
			o.background = v == "background"
		case "file":
			o.file = v
		case "line":
			o.line, _ = strconv.Atoi(v)
		}
	}
	if o.line <= 0 || o.file == "" {
		o.file, o.line = "", 0
	}
	return comment.ReplaceAllString(sql, "$3"), o
}

// uncommented takes the comments of statements away. The batch is from where the last one says.
func (b *batch) uncommented() {
	for i, m := range b.messages {
		var o origin
		switch m[0] {
		case 'Q':
			var q pgproto3.Query
			if !m.decode(&q) {
				continue
			}
			q.String, o = uncommented(q.String)
			b.messages[i] = encode(&q)
		case 'P':
			var p pgproto3.Parse
			if !m.decode(&p) {
				continue
			}
			p.Query, o = uncommented(p.Query)
			b.messages[i] = encode(&p)
		default:
			continue
		}
		if o != (origin{}) {
			b.from = o
		}
	}
}

// runOf is the run to which a batch belongs, nil for none; background says that it is no request's. The mux is locked.
func (m *mux) runOf(s *socket, b batch) (r *Run, background bool) {
	switch {
	case s.owner != nil && (s.owns || s.status != 'I' && s.begin == nil): // in a transaction
		return s.owner, false
	case b.from.trace != "":
		return m.requests[b.from.trace], false
	case b.from.background:
		return nil, true
	case m.current == nil:
		return s.owner, false
	}
	return m.current, false
}
