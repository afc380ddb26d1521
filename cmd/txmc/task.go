package main

import (
	"os"

	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/report"
)

// command is what the command line names.
type command interface {
	check() error
	run(stdout, stderr *os.File) int
}

// task is what a command other than explore does with the packages: it asks
// harnesses for it and understands what they answer.
type task interface {
	// ask completes the request to a harness.
	ask(*harness.Request)
	// line shows a line that explore does not know.
	line(e *explorer, kind string, line []byte) error
	// unreached shows what a program and a level come to that were not reached.
	unreached(e *explorer, r *report.Result) error
	// end follows the last line of a harness.
	end(e *explorer) error
}
