package wire

import (
	"encoding/binary"
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
	for rest := []byte(seen); len(rest) > 0; {
		kind := rest[0]
		n, size := binary.Uvarint(rest[1:])
		if !strings.ContainsRune("DCIE", rune(kind)) || size <= 0 || n > uint64(len(rest)-1-size) {
			return "", false
		}
		body := rest[1+size:][:n]
		rest = rest[1+size:][n:]
		b = append(b, kind)
		if kind != 'D' {
			b = append(binary.AppendUvarint(b, n), body...)
			continue
		}
		row := &pgproto3.DataRow{}
		if row.Decode(body) != nil {
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
