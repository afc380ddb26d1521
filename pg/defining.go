package pg

import (
	"slices"
	"strings"

	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/rows"
)

// Which statements change the schema, by their words. Others that change definitions are found
// out when they have done so (Backend.Exchange).

// defining reports whether a message has a statement that changes the schema for everybody.
func defining(m []byte) bool {
	if m[0] != 'Q' && m[0] != 'P' {
		return false
	}
	text, _ := wire.Text(m)
	for part := range strings.SplitSeq(strings.ToLower(text), ";") {
		switch firstWord(part) {
		case "create", "alter", "drop", "comment", "grant", "revoke", "refresh":
			if changesSchema(strings.Fields(rows.WithoutComment(part))) {
				return true
			}
		}
	}
	return false
}

// changesSchema reports whether the words of a statement change what the database has, and not
// what is the whole server's, or another one's.
func changesSchema(words []string) bool {
	switch words[0] {
	case "grant", "revoke", "refresh":
		return true
	case "comment":
		words = words[1:] // ON
	}
	if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "pg_temp.") }) {
		return false // the session's own, as functions that Sequelize makes
	}
	for _, w := range words[1:] {
		switch {
		case slices.Contains(modifiers, w):
		case w == "role" || w == "user" || w == "group":
			return words[0] != "alter" && !slices.Contains(words, "mapping")
		default:
			return slices.Contains(objects, w)
		}
	}
	return false
}

// modifiers stand before what is made.
var modifiers = []string{"or", "replace", "unlogged", "unique", "recursive", "constraint", "materialized", "default", "trusted"}

// objects are what a schema has.
var objects = []string{"table", "index", "view", "sequence", "schema", "type", "domain", "function", "procedure", "routine", "aggregate",
	"cast", "operator", "trigger", "rule", "policy", "statistics", "collation", "extension", "privileges", "column"}
