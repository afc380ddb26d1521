package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// FuzzFlags: whatever the command line, it is understood or an error, and nothing
// panics.
func FuzzFlags(f *testing.F) {
	for _, line := range []string{
		"explore ./app --iso=si", "explore --iso=all --list --format=json -o x", "levels . --run=A", "check h --from=elle", "convert h --to=json", "compare --iso=si,ser", "replay f", "bench", "vet ./...",
		"explore --checkpoint=c --checkpoint-every=1s --base=none", "explore --resume=/dev/null", "--version", "explore --timeout=1m30s --workers=-1",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var c cli
		parser, err := kong.New(&c, kong.Name("txmc"), helpVars(), kong.Writers(&strings.Builder{}, &strings.Builder{}),
			kong.Exit(func(int) { panic(errExit) }))
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parse(parser, strings.Fields(line))
		if err != nil || parsed == nil || parsed.Selected() == nil {
			return
		}
		if x, ok := parsed.Selected().Target.Addr().Interface().(command); ok {
			_ = x.check()
		} else {
			t.Fatalf("%q selects what is no command", line)
		}
	})
}
