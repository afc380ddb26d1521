package engine

import "strings"

// `\_` and `\%` in a text in quotation marks are two characters each, the backslash and the
// wildcard (MySQL 8.0 Reference Manual, 11.1.1), and the parser reads one. A second backslash
// makes it read two.

// withBackslashes doubles the backslashes before wildcards in texts. What is doubled stays so.
func withBackslashes(text string) string {
	if !strings.Contains(text, `\_`) && !strings.Contains(text, `\%`) {
		return text
	}
	var b strings.Builder
	for at := 0; at < len(text); {
		n := piece(text[at:])
		part := text[at : at+n]
		if part[0] == '\'' || part[0] == '"' {
			part = doubled(part)
		}
		b.WriteString(part)
		at += n
	}
	return b.String()
}

// minus stands between two minus signs.
const minus = "/*:m*/"

// withMinuses puts it there. Two of them begin a comment only before a space (MySQL 8.0 Reference
// Manual, 11.7). For the parser they always do.
func withMinuses(text string) string {
	if !strings.Contains(text, "--") {
		return text
	}
	var b strings.Builder
	for at := 0; at < len(text); {
		n := piece(text[at:])
		b.WriteString(text[at : at+n])
		if at += n; n == 1 && text[at-1] == '-' && at < len(text) && text[at] == '-' {
			b.WriteString(minus)
		}
	}
	return b.String()
}

// piece is the length of what a text begins with: something in quotation marks, a comment, or a
// character.
func piece(text string) int {
	switch c := text[0]; {
	case c == '\'' || c == '"' || c == '`':
		return quotedLength(text)
	case c == '#' || strings.HasPrefix(text, "--") && (len(text) == 2 || text[2] <= ' '):
		return through(text, "\n")
	case strings.HasPrefix(text, "/*"):
		return through(text, "*/")
	}
	return 1
}

// through is how long a text is as far as an end.
func through(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i + len(end)
	}
	return len(text)
}

// quotedLength is the length of what stands in quotation marks at the beginning of a text.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] != '`':
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return len(text)
}

// doubled is a text in quotation marks with two backslashes before each wildcard that has one.
func doubled(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		b.WriteByte(text[i])
		if text[i] != '\\' || i+1 == len(text) {
			continue
		}
		if i++; text[i] == '_' || text[i] == '%' {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
