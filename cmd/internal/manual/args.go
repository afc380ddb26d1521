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
// tools take both: -run=Transfer, -iso si. A flag of one letter is what it is, and so
// is what follows --.
func TwoDashes(app *kong.Application, args []string) []string {
	long := map[string]bool{}
	for _, f := range app.Flags {
		long[f.Name] = true
	}
	for _, c := range app.Children {
		for _, f := range c.Flags {
			long[f.Name] = true
		}
	}
	var out []string
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if len(name) > 1 && name[0] != '-' && arg[0] == '-' && long[name] {
			arg = "-" + arg
		}
		out = append(out, arg)
	}
	return out
}
