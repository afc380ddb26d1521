package proxy

import (
	"strings"
	"unicode"

	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/rows"
)

// Kind is what a statement means to other sessions, as far as its first words say.
type Kind uint8

const (
	// Runs is a statement that others may notice.
	Runs Kind = iota
	// Prepares only parses and describes statements.
	Prepares
	// Means nothing to others: BEGIN, SET, nothing at all.
	Means
	// Saves is SAVEPOINT and RELEASE, which mean nothing to others either.
	Saves
	// Commits is COMMIT.
	Commits
	// RollsBack is ROLLBACK of a transaction.
	RollsBack
)

// kindOf is the kind of what is sent to PostgreSQL.
func kindOf(q *access.Sent) Kind {
	if q.Prepares {
		return Prepares
	}
	switch len(q.Texts) {
	case 0: // the end of a batch, or of a statement in autocommit
		return Commits
	case 1:
	default:
		return Runs
	}
	text := Bare(q.Texts[0])
	if before, rest, several := strings.Cut(text, ";"); several && Bare(rest) != "" {
		return Runs
	} else if several {
		text = before
	}
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return Means
	}
	switch word := strings.TrimRightFunc(words[0], func(r rune) bool { return !unicode.IsLetter(r) }); word {
	case "begin", "start", "deallocate", "reset", "show":
		return Means
	case "set":
		if len(words) > 1 && (words[1] == "constraints" || words[len(words)-2] == "snapshot") {
			return Runs
		}
		return Means
	case "savepoint", "release":
		return Saves
	case "commit", "end":
		return Commits
	case "rollback", "abort":
		for _, w := range words {
			if w == "to" || w == "prepared" {
				return Runs
			}
		}
		return RollsBack
	}
	return Runs
}

// Bare is a text without the white space and comments before it.
func Bare(text string) string { return text[rows.Blank(text):] }

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
		status = s.link.Status()
	}
	switch x.dialect.Kind(s.node.Sent) {
	case Means, Saves:
		return true
	case Prepares:
		return status == 'I'
	case Commits, RollsBack:
		return status == 'I' || !s.shown || status == 'E' && !s.saved // an error has given up all locks
	}
	return false
}

// known are the first words of PostgreSQL's statements that change no definitions.
var known = WordSet("select insert update delete with values merge table begin start commit end rollback abort savepoint release set show reset " +
	"copy declare fetch move close prepare execute deallocate lock listen unlisten notify explain truncate discard")

// WordSet is the set of the words of a text.
func WordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// defines reports whether a statement may change definitions.
func (d *Dialect) defines(text string) bool {
	for part := range strings.SplitSeq(text, ";") {
		word := strings.ToLower(Bare(part))
		if end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
			word = word[:end]
		}
		if word != "" && !d.Known[word] {
			return true
		}
	}
	return false
}
