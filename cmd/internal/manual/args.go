package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// Commands lists the commands, a line each.
func Commands(w io.Writer, app *kong.Application) {
	width := 0
	for _, c := range commands(app) {
		width = max(width, len(c.Name))
	}
	fmt.Fprintf(w, "Usage: %s <command> [flags]\n\n", app.Name)
	for _, c := range commands(app) {
		fmt.Fprintf(w, "  %-*s  %s\n", width, c.Name, c.Help)
	}
	fmt.Fprintf(w, "\n%s help <command> says more\n", app.Name)
}

// TwoDashes gives the long flags of a command line that have one dash two, as Go
// tools take both: -run=Transfer, -iso si. A flag of one letter is what it is, also with its
// value behind it, and so is what follows --. A word that no flag of one letter begins
// becomes a long flag too: then it is the one that is unknown, and not its first letter.
func TwoDashes(app *kong.Application, args []string) []string {
	long, short := map[string]bool{}, map[byte]bool{}
	note := func(list []*kong.Flag) {
		for _, f := range list {
			long[f.Name], short[byte(f.Short)] = true, true
		}
	}
	note(app.Flags)
	for _, c := range app.Children {
		note(c.Flags)
	}
	var out []string
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if len(name) > 1 && arg[0] == '-' && (long[name] || 'a' <= name[0] && name[0] <= 'z' && !short[name[0]]) {
			arg = "-" + arg
		}
		out = append(out, arg)
	}
	return out
}

// UnknownCommand is what to say of a command line whose first word is no command; "" when it
// is one. The word may be what a command is about.
func UnknownCommand(app *kong.Application, args []string) string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return ""
	}
	word, close := args[0], ""
	for _, c := range app.Children {
		switch {
		case c.Name == word:
			return ""
		case strings.HasPrefix(c.Name, word) || strings.HasPrefix(word, c.Name) || oneLetterApart(c.Name, word):
			close = c.Name
		}
	}
	said := fmt.Sprintf("unknown command %q", word)
	switch {
	case close != "":
		said += fmt.Sprintf(", did you mean %q?", close)
	case strings.ContainsAny(word, "./"):
		said += fmt.Sprintf(": to explore a package, %s explore %s", app.Name, word)
	}
	return said
}

// oneLetterApart reports whether one change makes the words equal: a letter is put in, left
// out or replaced, or two neighbours change places.
func oneLetterApart(a, b string) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}
