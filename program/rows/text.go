package rows

import (
	"strings"
	"unicode"
)

// What the text of a statement tells, whichever database it is for.

// Blank is the length of the white space and the comments that a text begins with.
func Blank(text string) int {
	at := 0
	for {
		rest := strings.TrimLeft(text[at:], " \t\r\n;")
		at = len(text) - len(rest)
		end := ""
		switch {
		case strings.HasPrefix(rest, "--"):
			end = "\n"
		case strings.HasPrefix(rest, "/*"):
			end = "*/"
		default:
			return at
		}
		n := strings.Index(rest, end)
		if n < 0 {
			return len(text)
		}
		at += n + len(end)
	}
}

// WithoutComment is a statement without the comments before it.
func WithoutComment(sql string) string { return sql[Blank(sql):] }

// First is a statement's first word in lower case.
func First(sql string) string {
	word := WithoutComment(sql)
	if end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		word = word[:end]
	}
	return strings.ToLower(word)
}

// Short is a statement in one line, without the comments before it.
func Short(sql string) string {
	const most = 64 << 10 // bytes: no report shows so much
	sql = WithoutComment(sql)
	if len(sql) > most {
		sql = strings.ToValidUTF8(sql[:most], "") + "…"
	}
	return strings.Join(strings.Fields(sql), " ")
}

// Begins reports whether a statement begins a transaction.
func Begins(sql string) bool { return First(sql) == "begin" || First(sql) == "start" }

// ends reports whether a statement ends a transaction: ROLLBACK TO does not.
func ends(sql string) bool {
	switch First(sql) {
	case "commit", "end", "abort":
		return true
	case "rollback":
		words := strings.Fields(strings.ToLower(WithoutComment(sql)))
		return len(words) < 2 || words[1] != "to"
	}
	return false
}

// Control reports whether a statement only begins or ends a transaction or a savepoint.
func Control(sql string) bool {
	if _, more, _ := strings.Cut(sql, ";"); WithoutComment(more) != "" {
		return false
	}
	switch First(sql) {
	case "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release":
		return true
	}
	return false
}
