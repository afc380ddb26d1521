package wire

import (
	"encoding/binary"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Words tells what answers say of a statement: the command tags, such as UPDATE 1, or
// of an error ! and its SQLSTATE, a blank and its message; "" when they say nothing.
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
