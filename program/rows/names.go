package rows

import (
	"strconv"
	"strings"
)

// key is the end of the names of key variables.
const key = " key"

// ContentVar names the content of a row, such as "acct/3". A primary key that could be
// taken for the name of another variable is quoted.
func ContentVar(table, id string) string {
	if strings.HasSuffix(id, key) || strings.HasPrefix(id, `"`) {
		id = strconv.Quote(id)
	}
	return table + "/" + id
}

// KeyVar names whether there is a row, such as "acct/3 key".
func KeyVar(table, id string) string { return ContentVar(table, id) + key }

// IsKeyVar reports whether a variable is one of [KeyVar]'s.
func IsKeyVar(name string) bool { return strings.HasSuffix(name, key) }

// UniqueVar names who has a value of a unique index, such as "acct(owner)/ann".
func UniqueVar(table string, columns []string, value string) string {
	return table + "(" + strings.Join(columns, ",") + ")/" + value
}
