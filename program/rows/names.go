package rows

import "strings"

// ContentVar names the content of a row, such as "acct/3".
func ContentVar(table, id string) string { return table + "/" + id }

// KeyVar names whether there is a row, such as "acct/3 key".
func KeyVar(table, id string) string { return table + "/" + id + " key" }

// UniqueVar names who has a value of a unique index, such as "acct(owner)/ann".
func UniqueVar(table string, columns []string, value string) string {
	return table + "(" + strings.Join(columns, ",") + ")/" + value
}
