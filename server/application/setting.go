package application

import (
	"regexp"
	"slices"
	"strings"
)

// What a connection has set lasts as long as it does, and so longer than a run. The database of each run has to
// know it too.

// setting matches statements that set something for the connection, not for a transaction.
var setting = regexp.MustCompile(`(?i)^(SET|RESET|LISTEN|UNLISTEN)\s+(SESSION\s+)?([a-z_.*"]+)`)

// sets reports whether a statement sets something for the connection, and what.
func sets(sql string) (what string, is bool) {
	f := setting.FindStringSubmatch(sql)
	if f == nil {
		return "", false
	}
	word, name := strings.ToUpper(f[1]), strings.ToLower(f[3])
	switch {
	case word == "SET" && (name == "local" || name == "transaction" || name == "constraints"):
		return "", false
	case word == "RESET":
		word = "SET"
	case word == "UNLISTEN":
		word = "LISTEN"
	}
	return word + " " + name, true
}

// set adds a statement to what a connection has set. One of the same kind takes the place of the earlier one.
func set(list []string, sql string) []string {
	what, _ := sets(sql)
	list = slices.DeleteFunc(list, func(old string) bool {
		other, _ := sets(old)
		return other == what || what == "SET all"
	})
	if strings.HasPrefix(strings.ToUpper(sql), "RESET") || strings.HasPrefix(strings.ToUpper(sql), "UNLISTEN") {
		return list
	}
	return append(list, sql)
}

// keeps matches statements after which a connection differs from others until it ends: it holds what belongs to
// it alone.
var keeps = regexp.MustCompile(`(?i)^(SET|RESET|LISTEN|PREPARE|DECLARE|CREATE\s+(LOCAL\s+|GLOBAL\s+)?TEMP|LOAD)|\bpg_(try_)?advisory_(un)?lock|\bset_config\s*\(|\bINTO\s+TEMP`)

// kept reports whether a statement gives a connection something of its own.
func kept(sql string) bool {
	if _, local := sets(sql); !local && strings.HasPrefix(strings.ToUpper(sql), "SET") {
		return false
	}
	return keeps.MatchString(sql)
}

// asksOwn matches statements that ask for what the connection did before.
var asksOwn = regexp.MustCompile(`(?i)\b(currval|lastval)\s*\(`)
