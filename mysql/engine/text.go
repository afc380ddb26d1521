package engine

import (
	"regexp"
	"strings"
)

// Clean turns a statement into one that the parser knows. It respells it, quotes names that the parser keeps for itself,
// gives variables their present names, and doubles backslashes before wildcards. It blanks MariaDB's own comments, which the
// parser would read as text, and quotes the name of the primary key in a hint.
func Clean(text string) string {
	text = withMinuses(withBackslashes(oldVariables.ReplaceAllString(text, "${1}transaction_${2}")))
	return quoteNames(shared(respell(primaryHint.ReplaceAllString(blanked(text), "$1`PRIMARY`$2"))))
}

// doing is DO, which evaluates expressions and returns nothing.
var doing = regexp.MustCompile(`(?is)^(\s*)DO\b`)

// done is a DO spelled as SELECT, and whether it is one.
func done(text string) (string, bool) {
	if !doing.MatchString(text) {
		return text, false
	}
	return doing.ReplaceAllString(text, "${1}SELECT"), true
}

// oldVariables finds the names that two variables have in MariaDB 10 and MySQL 5, in a SET.
var oldVariables = regexp.MustCompile(`(?i)(^\s*SET\b.*)\btx_(isolation|read_only)\b`)

// primaryHint is a hint that names the primary key.
var primaryHint = regexp.MustCompile(`(?i)(\b(?:FORCE|USE|IGNORE)\s+(?:INDEX|KEY)\s*\(\s*)PRIMARY(\s*\))`)

// blanked is a text with spaces in place of MariaDB's own comments.
func blanked(text string) string {
	for {
		i := strings.Index(text, "/*M!")
		if i < 0 {
			return text
		}
		n := strings.Index(text[i:], "*/")
		if n < 0 {
			return text
		}
		blank := strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return ' '
		}, text[i:i+n+2])
		text = text[:i] + blank + text[i+n+2:]
	}
}
