package engine

import (
	"regexp"
	"strings"
)

// Clean makes a statement one that the parser knows: it blanks MariaDB's own comments,
// which the parser would read as text, and spells FOR SHARE as LOCK IN SHARE MODE where
// it stands alone, else as FOR UPDATE.
func Clean(text string) string {
	text = blanked(text)
	m := forShare.FindStringSubmatchIndex(text)
	switch {
	case m == nil:
		return text
	case m[2] < 0:
		return text[:m[0]] + " LOCK IN SHARE MODE"
	}
	return text[:m[0]] + " FOR UPDATE" + text[m[2]:m[3]]
}

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

// forShare is FOR SHARE at the end of a statement, with what follows.
var forShare = regexp.MustCompile("(?is)\\s+FOR\\s+SHARE(\\s+(?:OF\\s+[\\w`,.\\s]+|NOWAIT|SKIP\\s+LOCKED)+)?\\s*;?\\s*$")
