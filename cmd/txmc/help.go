package main

import (
	"fmt"
	"os"

	"github.com/txmc/txmc/cmd/internal/manual"
)

// helpCmd is the command line of txmc help.
type helpCmd struct {
	Command string `arg:"" optional:"" help:"The command; all of them by default."`
}

func (x *helpCmd) check() error { return nil }

func (x *helpCmd) run(stdout, stderr *os.File) int {
	args := []string{"--help"}
	if x.Command != "" {
		args = []string{x.Command, "--help"}
	}
	return run(args, stdout, stderr)
}

// versionCmd is the command line of txmc version.
type versionCmd struct{}

func (x *versionCmd) check() error { return nil }

func (x *versionCmd) run(stdout, _ *os.File) int {
	fmt.Fprintln(stdout, version())
	return statusOK
}

// completionCmd is the command line of txmc completion.
type completionCmd struct{ manual.Request }

func (x *completionCmd) check() error { return x.Check() }

func (x *completionCmd) run(stdout, stderr *os.File) int {
	parser, err := newParser(&cli{}, stdout, stderr)
	if err == nil {
		err = x.Write(stdout, parser.Model)
	}
	if err != nil {
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
	return statusOK
}
