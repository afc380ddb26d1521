package main

import (
	"context"
	"fmt"
	"os"

	"github.com/txmc/txmc/program/load"
)

// overlayCmd is the command line of txmc overlay.
type overlayCmd struct {
	Output string `short:"o" placeholder:"DIR" help:"Write there, in overlay.json and the files that it names. A directory in the user's cache by default."`
}

// Help is what txmc overlay --help says beyond the flags.
func (*overlayCmd) Help() string {
	return `Writes the overlay that txmc explore builds programs with, for tests that call txmc.Check: in their sessions the
clock, timers, random numbers, the order of maps and select repeat themselves. Prints the flag of go test that uses it:

    go test $(txmc overlay) ./...

It belongs to the Go release that is installed: write it again after an update.

Exit status: 0 written; 2 not, with the reason.`
}

func (x *overlayCmd) check() error { return nil }

func (x *overlayCmd) run(stdout, stderr *os.File) int {
	file, err := load.WriteOverlay(context.Background(), x.Output)
	if err != nil {
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
	fmt.Fprintf(stdout, "-overlay=%s\n", file)
	fmt.Fprintf(stderr, "txmc: for example: go test -overlay=%s ./...\n", file)
	return statusOK
}
