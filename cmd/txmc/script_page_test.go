package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

var consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// shownOn runs the commands of txmc in the console blocks of a page, as a reader does in a module
// of his own, and compares what they print. With -update it rewrites the blocks.
func shownOn(ts *testscript.TestScript, page string) {
	text, err := os.ReadFile(page)
	ts.Check(err)
	real := consoleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		var b strings.Builder
		for _, part := range strings.Split("\n"+consoleBlock.FindStringSubmatch(block)[1], "\n$ ")[1:] {
			line, out, _ := strings.Cut(part, "\n")
			if args := strings.Fields(line); args[0] == "txmc" {
				out = printed(ts, args[1:])
			}
			b.WriteString("$ " + line + "\n" + out)
		}
		return "```console\n" + b.String() + "```"
	})
	if real == string(text) {
		return
	}
	if update := flag.Lookup("update"); update == nil || update.Value.String() != "true" {
		ts.Fatalf("%s differs (-page +real); go test ./cmd/txmc -run TestScripts -update rewrites it:\n%s", page, cmp.Diff(string(text), real))
	}
	ts.Check(os.WriteFile(page, []byte(real), 0o644))
}

// printed is what the command prints in the script's directory, and its status unless it is 0.
func printed(ts *testscript.TestScript, args []string) string {
	path, err := exec.LookPath("txmc")
	ts.Check(err)
	var out, diagnostics bytes.Buffer
	p := exec.Command(path, args...)
	p.Dir, p.Stdout, p.Stderr = ts.MkAbs("."), &out, &diagnostics
	for _, name := range []string{"HOME", "TMPDIR", "GOCACHE", "GOPATH", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOENV", "GOTOOLCHAIN", "PATH"} {
		p.Env = append(p.Env, name+"="+ts.Getenv(name))
	}
	switch status := code(ts, p.Run()); status {
	case 0:
	case 1:
		fmt.Fprintf(&out, "exit status %d\n", status)
	default:
		ts.Fatalf("txmc %s: exit status %d\n%s", strings.Join(args, " "), status, &diagnostics)
	}
	return out.String()
}
