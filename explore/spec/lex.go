package spec

import (
	"fmt"
	"strings"
)

// Words of the format. Names are identifiers, plain or in double quotes, in which a double quote is
// doubled; nothing folds their case. SQL stands in braces, and has no brace that closes. A comment
// begins with # and ends with its line.

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	end tokenKind = iota
	word
	quoted // never a keyword
	number
	block
	sign
)

// token is a word of the file.
type token struct {
	kind tokenKind
	text string
	line int
}

// String is the token in a message.
func (t token) String() string {
	switch t.kind {
	case end:
		return "the end of the file"
	case block:
		return "a block of SQL"
	}
	return fmt.Sprintf("%q", t.text)
}

// lexer makes tokens of a text.
type lexer struct {
	name, text string
	at, line   int
}

func (l *lexer) wrong(line int, format string, args ...any) error {
	return &Error{l.name, line, fmt.Sprintf(format, args...)}
}

// next is the next token.
func (l *lexer) next() (token, error) {
	l.blank()
	t := token{line: l.line}
	if l.at == len(l.text) {
		return t, nil
	}
	rest := l.text[l.at:]
	switch c := rest[0]; {
	case c == '{':
		return l.block()
	case c == '"':
		return l.quoted()
	case strings.IndexByte("(),*", c) >= 0:
		t.kind, t.text = sign, rest[:1]
	case c >= '0' && c <= '9':
		t.kind, t.text = number, rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	case starts(c):
		n := 1
		for n < len(rest) && (starts(rest[n]) || rest[n] >= '0' && rest[n] <= '9' || rest[n] == '$') {
			n++
		}
		t.kind, t.text = word, rest[:n]
	default:
		return t, l.wrong(l.line, "unexpected character %q", []rune(rest)[0])
	}
	l.at += len(t.text)
	return t, nil
}

// starts reports whether an identifier can begin with the byte: a letter, and all that is not ASCII.
func starts(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// blank goes over blanks and comments.
func (l *lexer) blank() {
	for ; l.at < len(l.text); l.at++ {
		switch c := l.text[l.at]; {
		case c == '\n':
			l.line++
		case c == '#':
			rest := l.text[l.at:]
			l.at += len(rest)
			if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
				l.at += i - len(rest)
			}
			l.at--
		case strings.IndexByte(" \t\r\f", c) < 0:
			return
		}
	}
}

// block is SQL in braces. Blanks at the begin, up to the end of the line, and at the end are no part of it.
func (l *lexer) block() (t token, err error) {
	t = token{kind: block, line: l.line}
	text, _, closed := strings.Cut(l.text[l.at+1:], "}")
	if !closed {
		return t, l.wrong(l.line, "the block of SQL is not closed by }")
	}
	l.at += len(text) + 2
	l.line += strings.Count(text, "\n")
	t.text = strings.TrimRight(strings.TrimLeft(text, " \t\r\f"), " \t\r\f")
	return t, nil
}

// quoted is a name in double quotes.
func (l *lexer) quoted() (t token, err error) {
	t = token{kind: quoted, line: l.line}
	for i := l.at + 1; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == '\n':
			return t, l.wrong(l.line, "the name has no \" before the end of the line")
		case c != '"':
			t.text += string(c)
		case strings.HasPrefix(l.text[i+1:], `"`):
			t.text += `"`
			i++
		default:
			l.at = i + 1
			return t, nil
		}
	}
	return t, l.wrong(l.line, "the name has no \" at its end")
}
