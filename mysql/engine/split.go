package engine

import (
	"iter"
	"regexp"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Statements yields the statements of a script, with their positions in it, in bytes. They
// end with a semicolon, but for those that the client's command DELIMITER ends otherwise; one
// that cannot be parsed takes the rest along. The semicolons in the body of a trigger are its own.
func Statements(script string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		script = blanked(script)
		at, delimiter := 0, ";"
		for at < len(script) {
			rest := script[at:]
			skip := len(rest) - len(strings.TrimLeft(rest, "; \t\r\n"))
			at += skip
			rest = rest[skip:]
			if m := delimiting.FindStringSubmatch(rest); m != nil {
				delimiter = m[1]
				at += len(m[0])
				continue
			}
			n, behind := statement(rest), 0
			if delimiter != ";" {
				n, behind = upTo(rest, delimiter), len(delimiter)
			}
			if rest == "" || n > 0 && !yield(at, rest[:n]) {
				return
			}
			at += n + behind
		}
	}
}

// delimiting is the command DELIMITER of MariaDB's and MySQL's client.
var delimiting = regexp.MustCompile(`(?i)^DELIMITER[ \t]+(\S+)[ \t]*(?:\r?\n|$)`)

// statement is the length of the first statement, with its semicolon. The tokenizer is a
// character ahead.
func statement(text string) int {
	tokens := sqlparser.NewStringTokenizer(text)
	var b body
	for tokens.Position <= len(text) {
		kind, val := tokens.Scan()
		switch kind {
		case ';':
			if len(b.open) == 0 {
				return tokens.Position - 1
			}
		case 0, sqlparser.LEX_ERROR:
			return len(text)
		case sqlparser.COMMENT:
			continue
		}
		to := min(tokens.Position-1, len(text))
		from := max(0, to-max(1, len(val)))
		b.see(kind, strings.ToLower(text[from:to]))
	}
	return len(text)
}

// body is how far the body of a trigger has come. Other statements have none.
type body struct {
	words  int      // so many tokens have been seen
	has    bool     // the statement has a body
	open   []string // the blocks that are open: begin, case, if, loop, repeat, while; "when" for a CASE that is an expression
	starts bool     // a statement of the body begins here
	last   string
}

// openers begin blocks that END ends.
var openers = map[string]bool{"if": true, "loop": true, "repeat": true, "while": true}

// see takes a token of the statement, in lower case.
func (b *body) see(kind int, word string) {
	first := b.words == 0
	b.words++
	if first && word != "create" {
		b.words = head // it has no body
	}
	if !b.has {
		b.has = b.words < head && (word == "trigger" || word == "procedure" || word == "function" || word == "event")
		b.last = word
		return
	}
	expression := len(b.open) > 0 && b.open[len(b.open)-1] == "when"
	switch {
	case b.last == "end" && (openers[word] || word == "case"):
	case word == "end" && len(b.open) > 0:
		b.open = b.open[:len(b.open)-1]
	case word == "case" && !b.starts:
		b.open = append(b.open, "when")
	case word == "begin" || word == "case" || b.starts && openers[word]:
		b.open = append(b.open, word)
	}
	switch word {
	case "begin", "then", "else", "do", "loop", "repeat":
		b.starts = !expression && b.last != "end"
	case "row":
		b.starts = b.last == "each"
	default:
		b.starts = kind == ';' || kind == ':'
	}
	b.last = word
}

// head bounds how many tokens a statement has up to TRIGGER: CREATE OR REPLACE DEFINER = user @ host TRIGGER.
const head = 12

// quotes finds what a delimiter is not looked for in: texts, names and comments.
var quotes = regexp.MustCompile("(?s)^(?:'(?:[^'\\\\]|\\\\.|'')*'|\"(?:[^\"\\\\]|\\\\.|\"\")*\"|`[^`]*`|--[ \\t][^\\n]*|#[^\\n]*|/\\*.*?\\*/)")

// upTo is the length of a text before a delimiter.
func upTo(text, delimiter string) int {
	for i := 0; i < len(text); i++ {
		if strings.HasPrefix(text[i:], delimiter) {
			return i
		}
		if strings.IndexByte("'\"`-#/", text[i]) >= 0 && !strings.HasPrefix(text[i:], "/*!") {
			i += max(0, len(quotes.FindString(text[i:]))-1)
		}
	}
	return len(text)
}
