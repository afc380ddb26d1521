package find

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// The command that shows more of a bug: it has to find the same ones, as it names a bug by its number.

// Defaults of flags, as their tags in [Command] have them.
const (
	usualDatabase = "postgres"
	usualLength   = 4
	usualCalls    = 2
	usualBudget   = 2 * time.Minute
)

// again is that command: all that decides what is found is as it was.
func (c *Command) again() string {
	words := append([]string{"txmc", "find"}, c.Packages...)
	flag := func(given bool, name string, value any) {
		if given {
			words = append(words, fmt.Sprintf("--%s=%v", name, value))
		}
	}
	flag(c.DB != usualDatabase, "db", c.DB)
	flag(c.Iso != "", "iso", c.Iso)
	for _, list := range []struct {
		name   string
		values []string
	}{{"schema", c.Schema}, {"seed", c.Seed}, {"new", c.New}} {
		for _, v := range list.values {
			flag(true, list.name, v)
		}
	}
	flag(c.Length != usualLength, "length", c.Length)
	flag(c.Calls != usualCalls, "calls", c.Calls)
	if !c.Whole {
		words = append(words, "--no-whole")
	}
	flag(c.Only != "", "run", c.Only)
	flag(c.Budget != usualBudget, "budget", c.Budget)
	flag(c.Tags != "", "tags", c.Tags)
	for i, w := range words {
		words[i] = forShell(w)
	}
	return strings.Join(words, " ")
}

// bare matches words that a shell leaves alone.
var bare = regexp.MustCompile(`^[-\w./:=,@%+]+$`)

// forShell is a word of a command line.
func forShell(word string) string {
	if bare.MatchString(word) {
		return word
	}
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "--") {
		return name + "=" + quoted(value)
	}
	return quoted(word)
}
