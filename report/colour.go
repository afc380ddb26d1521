package report

import "strings"

// The styles of text on a terminal, as ANSI escape sequences.
const (
	plain  = ""
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

// paint gives s a style, when the text is coloured. It adds no width: paint what
// has been laid out.
func (t *Text) paint(style, s string) string {
	if !t.Colour || style == plain || s == "" {
		return s
	}
	return style + s + reset
}

// paintLine gives the first line of s a style.
func (t *Text) paintLine(style, s string) string {
	first, rest, _ := strings.Cut(s, "\n")
	return t.paint(style, first) + "\n" + rest
}
