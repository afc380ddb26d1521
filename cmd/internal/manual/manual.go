// Package manual writes what there is to know about a command line, from its kong
// model: a man page, and completions for bash, zsh and fish. Commands have one level,
// flags with values take them as --flag=value.
package manual

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
)

// Page writes a man page in the macros of man(7).
func Page(w io.Writer, app *kong.Application, version string) error {
	var b strings.Builder
	name := app.Name
	fmt.Fprintf(&b, ".TH %s 1 \"\" %q\n", strings.ToUpper(name), version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", name, roff(first(app.Help)))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.I command\n[flags]\n", name)
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n.SH COMMANDS\n", roff(app.Help))
	for _, c := range commands(app) {
		fmt.Fprintf(&b, ".SS %s %s\n%s\n", name, roff(c.Summary()), roff(c.Help))
		if c.Detail != "" {
			fmt.Fprintf(&b, ".PP\n%s\n", paragraphs(c.Detail))
		}
		for _, a := range c.Positional {
			fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", roff(a.Summary()), roff(a.Help))
		}
		for _, f := range flags(c) {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(spelled(f)), roff(f.Help))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// commands lists the commands that are shown.
func commands(app *kong.Application) (list []*kong.Node) {
	for _, c := range app.Children {
		if c.Type == kong.CommandNode && !c.Hidden {
			list = append(list, c)
		}
	}
	return list
}

// flags lists the flags of a command that are shown.
func flags(c *kong.Node) (list []*kong.Flag) {
	for _, f := range c.Flags {
		if !f.Hidden {
			list = append(list, f)
		}
	}
	return list
}

// spelled is a flag as it is written: -o, --output=FILE.
func spelled(f *kong.Flag) string {
	s := "--" + f.Name
	if !f.IsBool() {
		s += "=" + f.FormatPlaceHolder()
	}
	if f.Short != 0 {
		s = "-" + string(f.Short) + ", " + s
	}
	return s
}

// first is the first sentence of a text.
func first(s string) string {
	sentence, _, _ := strings.Cut(s, ": ")
	return strings.TrimSuffix(sentence, ".")
}

// roff escapes what means something to roff.
func roff(s string) string {
	s = strings.NewReplacer("\\", "\\e", "-", "\\-").Replace(s)
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = "\\&" + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// paragraphs separates paragraphs as roff does.
func paragraphs(s string) string {
	return strings.ReplaceAll(roff(strings.TrimSpace(s)), "\n\n", "\n.PP\n")
}

// Version is that of the command's module, as the go command has recorded it.
func Version() string {
	v := "unknown version"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return fmt.Sprintf("txmc %s %s %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
