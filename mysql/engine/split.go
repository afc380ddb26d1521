package engine

import (
	"iter"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Statements yields the statements of a script, with their positions in it, in bytes. They
// end with a semicolon; one that cannot be parsed takes the rest along.
func Statements(script string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		script = blanked(script)
		at := 0
		for at < len(script) {
			rest := script[at:]
			skip := len(rest) - len(strings.TrimLeft(rest, "; \t\r\n"))
			at += skip
			rest = rest[skip:]
			n := statement(rest)
			if rest == "" || !yield(at, rest[:n]) {
				return
			}
			at += n
		}
	}
}

// statement is the length of the first statement, with its semicolon. The tokenizer is a
// character ahead.
func statement(text string) int {
	tokens := sqlparser.NewStringTokenizer(text)
	for tokens.Position <= len(text) {
		switch kind, _ := tokens.Scan(); kind {
		case ';':
			return tokens.Position - 1
		case 0, sqlparser.LEX_ERROR:
			return len(text)
		}
	}
	return len(text)
}
