package wire

import (
	"encoding/binary"
	"iter"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Words says what answers say of a statement. It has the command tags, such as UPDATE
// 1. Of an error it has ! and its SQLSTATE, a blank and its message. It is "" when the
// answers say nothing.
func Words(answers []byte) string {
	var tags []string
	for kind, body := range messages(answers) {
		switch kind {
		case 'C':
			tags = append(tags, strings.TrimRight(string(body), "\x00"))
		case 'E':
			e := &pgproto3.ErrorResponse{}
			if e.Decode(body) == nil {
				return "!" + e.Code + " " + e.Message
			}
		}
	}
	return strings.Join(tags, ", ")
}

// Seen is what the client has seen of answers, whichever version of the server gave them:
// rows, command tags, and the codes of errors.
func Seen(answers []byte) string {
	var b []byte
	for kind, body := range messages(answers) {
		switch kind {
		case 'D', 'C', 'I':
		case 'E':
			e := &pgproto3.ErrorResponse{}
			if e.Decode(body) != nil {
				continue
			}
			body = []byte(e.Code)
		default:
			continue
		}
		b = append(binary.AppendUvarint(append(b, kind), uint64(len(body))), body...)
	}
	return string(b)
}

// Changed is what [Seen] has made of answers, with each value of a row changed by a
// function; false when the text is not Seen's.
func Changed(seen string, change func(value []byte) string) (string, bool) {
	var b []byte
	for part, ok := range parts([]byte(seen)) {
		if !ok {
			return "", false
		}
		b = append(b, part.kind)
		if part.kind != 'D' {
			b = append(binary.AppendUvarint(b, uint64(len(part.body))), part.body...)
			continue
		}
		row := &pgproto3.DataRow{}
		if row.Decode(part.body) != nil {
			return "", false
		}
		for _, value := range row.Values {
			if value == nil {
				b = append(b, 0) // no value has this length, see below
				continue
			}
			text := change(value)
			b = append(binary.AppendUvarint(b, uint64(len(text))+1), text...)
		}
	}
	return string(b), true
}

// Unordered is what [Seen] has made of answers, with the rows of each in an order of their own; the text itself when
// it is not Seen's.
func Unordered(seen string) string {
	var b, rows []string
	end := func() {
		slices.Sort(rows)
		b, rows = append(b, rows...), rows[:0]
	}
	for p, ok := range parts([]byte(seen)) {
		if !ok {
			return seen
		}
		text := string(append(binary.AppendUvarint([]byte{p.kind}, uint64(len(p.body))), p.body...))
		if p.kind == 'D' {
			rows = append(rows, text)
			continue
		}
		end()
		b = append(b, text)
	}
	end()
	return strings.Join(b, "")
}

// part is a message of [Seen].
type part struct {
	kind byte
	body []byte
}

// parts yields those of a text; false where the text is not Seen's.
func parts(rest []byte) iter.Seq2[part, bool] {
	return func(yield func(part, bool) bool) {
		for len(rest) > 0 {
			n, size := binary.Uvarint(rest[1:])
			if !strings.ContainsRune("DCIE", rune(rest[0])) || size <= 0 || n > uint64(len(rest)-1-size) {
				yield(part{}, false)
				return
			}
			p := part{rest[0], rest[1+size:][:n]}
			if rest = rest[1+size:][n:]; !yield(p, true) {
				return
			}
		}
	}
}

// Without is answers without the messages of some types.
func Without(answers []byte, types string) (out []byte) {
	for kind, body := range messages(answers) {
		if !strings.ContainsRune(types, rune(kind)) {
			out = binary.BigEndian.AppendUint32(append(out, kind), uint32(len(body)+4))
			out = append(out, body...)
		}
	}
	return out
}
