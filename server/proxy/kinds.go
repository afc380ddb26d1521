package proxy

import (
	"strings"
	"unicode"

	"github.com/txmc/txmc/program/rows"
	"github.com/txmc/txmc/program/access"
)

// kind is what a statement means to other sessions, as far as its first words say.
type kind uint8

const (
	runs      kind = iota // others may notice it
	prepares              // only parses and describes statements
	means                 // means nothing to others: BEGIN, SET, nothing at all
	saves                 // so do SAVEPOINT and RELEASE
	commits               // COMMIT
	rollsBack             // ROLLBACK of a transaction
)

// kindOf is the kind of what is sent.
func kindOf(q *access.Sent) kind {
	if q.Prepares {
		return prepares
	}
	if len(q.Texts) != 1 {
		return runs
	}
	text := bare(q.Texts[0])
	if before, rest, several := strings.Cut(text, ";"); several && bare(rest) != "" {
		return runs
	} else if several {
		text = before
	}
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return means
	}
	switch word := strings.TrimRightFunc(words[0], func(r rune) bool { return !unicode.IsLetter(r) }); word {
	case "begin", "start", "discard", "deallocate", "reset", "show":
		return means
	case "set":
		if len(words) > 1 && (words[1] == "constraints" || words[len(words)-2] == "snapshot") {
			return runs
		}
		return means
	case "savepoint", "release":
		return saves
	case "commit", "end":
		return commits
	case "rollback", "abort":
		for _, w := range words {
			if w == "to" || w == "prepared" {
				return runs
			}
		}
		return rollsBack
	}
	return runs
}

// bare is a text without the white space and comments before it.
func bare(text string) string { return text[rows.Blank(text):] }

// eager reports whether what a session stands at means nothing to the others, in the
// state in which its transaction is.
//
// To prepare a statement takes the snapshot of a transaction at REPEATABLE READ; so in a
// transaction it comes with the statement that follows.
func (x *execution) eager(i int) bool {
	s := &x.sessions[i]
	if s.node.Sent == nil {
		return false
	}
	status := byte('I')
	if s.link != nil {
		status = s.link.status
	}
	switch kindOf(s.node.Sent) {
	case means, saves:
		return true
	case prepares:
		return status == 'I'
	case commits, rollsBack:
		return status == 'I' || !s.shown || status == 'E' && !s.saved // an error has given up all locks
	}
	return false
}

// known are the first words of statements that change no definitions.
var known = map[string]bool{}

func init() {
	for _, word := range strings.Fields("select insert update delete with values merge table begin start commit end rollback abort savepoint release set show reset " +
		"copy declare fetch move close prepare execute deallocate lock listen unlisten notify explain truncate discard") {
		known[word] = true
	}
}

// defines reports whether a statement may change definitions.
func defines(text string) bool {
	for part := range strings.SplitSeq(text, ";") {
		word := strings.ToLower(bare(part))
		if end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
			word = word[:end]
		}
		if word != "" && !known[word] {
			return true
		}
	}
	return false
}
