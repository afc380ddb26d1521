package wire

import "bytes"

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
