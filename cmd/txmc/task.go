package main

import (
	"os"

	"github.com/txmc/txmc/harness"
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
	// ask changes the options of a harness.
	ask(*harness.Options)
	// line shows a line that explore does not know.
	line(e *explorer, kind string, line []byte) error
	// unreached shows what a program and a level come to that were not reached.
	unreached(e *explorer, r *report.Result) error
	// end follows the last line of a harness.
	end(e *explorer) error
}

// show writes what a task has found.
func (o *output) show(v any, text func() string) error {
	if !o.json() {
		return o.write(text())
	}
	line, err := report.Line(v)
	if err != nil {
		return err
	}
	return o.write(string(line))
}
