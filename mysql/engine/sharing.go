package engine

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// FOR SHARE, and LOCK IN SHARE MODE with NOWAIT or SKIP LOCKED, which the parser does not know. It
// knows FOR UPDATE OF tables. So they are spelled as FOR UPDATE OF a table that no statement has:
//
//	FOR SHARE                      LOCK IN SHARE MODE
//	FOR SHARE SKIP LOCKED          FOR UPDATE OF txmc_shared SKIP LOCKED
//	FOR SHARE OF t NOWAIT          FOR UPDATE OF txmc_shared , t NOWAIT

const sharedName = "txmc_shared"

// sharing finds texts in which there may be such a clause.
var sharing = regexp.MustCompile(`(?i)\bshare\b`)

// shared spells the clauses.
func shared(text string) string {
	if !sharing.MatchString(text) {
		return text
	}
	r := &respeller{text: text, tokens: tokensOf(text)}
	for i := range r.tokens {
		last := i + 1
		switch {
		case r.is(i, "for") && r.is(i+1, "share"):
		case r.is(i, "lock") && r.is(i+1, "in") && r.is(i+2, "share") && r.is(i+3, "mode"):
			last = i + 3
		default:
			continue
		}
		clause := edit{r.tokens[i].from, r.tokens[last].to, "FOR UPDATE OF " + sharedName}
		switch next := last + 1; {
		case r.is(next, "of"):
			r.edits = append(r.edits, edit{r.tokens[next].from, r.tokens[next].to, ","})
		case !r.is(next, "nowait") && !r.is(next, "skip"):
			clause.text = "LOCK IN SHARE MODE"
		}
		r.edits = append(r.edits, clause)
	}
	return r.edited()
}

// SharesRows reports whether a locking clause, of a text that Clean has spelled, locks shared.
func SharesRows(l *sqlparser.Lock) bool {
	return strings.Contains(strings.ToLower(l.Type), "share mode") ||
		slices.ContainsFunc(l.Tables, func(t sqlparser.TableName) bool { return t.Name.String() == sharedName })
}

// NamedIn are the tables that a locking clause names; none for all.
func NamedIn(l *sqlparser.Lock) sqlparser.TableNames {
	return slices.DeleteFunc(slices.Clone(l.Tables), func(t sqlparser.TableName) bool { return t.Name.String() == sharedName })
}
