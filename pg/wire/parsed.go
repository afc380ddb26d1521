package wire

import (
	"bytes"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Text is the SQL that a message brings: a simple query, or a statement that is
// prepared, with parameters.
func Text(message []byte) (sql string, ok bool) {
	if len(message) < 5 {
		return "", false
	}
	text := message[5:]
	switch message[0] {
	case 'P':
		_, text, ok = bytes.Cut(text, []byte{0})
	case 'Q':
		ok = true
	}
	if !ok {
		return "", false
	}
	text, _, _ = bytes.Cut(text, []byte{0})
	return string(text), true
}

// Name is the name of the statement that a Parse or Close message speaks of.
func Name(message []byte) string {
	at := 5
	if message[0] == 'C' {
		at++ // what is closed
	}
	if len(message) < at {
		return ""
	}
	name, _, _ := bytes.Cut(message[at:], []byte{0})
	return string(name)
}

// Failed reports whether there is an error among answers.
func Failed(answers []byte) bool {
	for kind := range messages(answers) {
		if kind == 'E' {
			return true
		}
	}
	return false
}

// Rows are the rows among answers to a simple query, as texts; of NULL "".
func Rows(answers []byte) (list [][]string) {
	for kind, body := range messages(answers) {
		var r pgproto3.DataRow
		if kind != 'D' || r.Decode(body) != nil {
			continue
		}
		var row []string
		for _, v := range r.Values {
			row = append(row, string(v))
		}
		list = append(list, row)
	}
	return list
}
