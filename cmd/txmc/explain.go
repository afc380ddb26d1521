package main

import (
	"context"
	"fmt"
	"os"

	"github.com/txmc/txmc/history/judge"
)

// explainCmd is the command line of txmc explain.
type explainCmd struct {
	Path   string `arg:"" name:"file" help:"A recorded history, as txmc serve --record and txmc stress --record write it."`
	Format string `default:"text" enum:"text,json,html,dot" placeholder:"FORMAT" help:"text; json; html: a page with a diagram; dot: for Graphviz; ${default} by default."`
	Output string `short:"o" placeholder:"FILE" help:"Write to that file instead of the standard output."`
}

// Help is what txmc explain --help says beyond the flags.
func (*explainCmd) Help() string {
	return `Says which isolation levels allow a recorded history, and shows the transactions that break the weakest one that does
not, as txmc explore shows a counterexample: a column a session, the anomaly's name, and why.

Exit status: 0 when it was explained; 2 when it cannot be read; 3 when it was not decided.`
}

func (x *explainCmd) check() error { return nil }

func (x *explainCmd) run(stdout, stderr *os.File) int {
	f, err := judge.Load(context.Background(), x.Path, nil, false)
	var l judge.Limits
	if err == nil {
		l, err = f.Limits(context.Background(), judge.Options{})
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "txmc:", worded(err))
		return statusError
	case x.Format == "text" && x.Output == "" || !l.Violates:
		fmt.Fprintln(stdout, x.Path, l)
	}
	if l.Violates {
		show := checkCmd{Paths: []string{x.Path}, Iso: l.Outside.String(), Init: "first", By: "reads", Format: x.Format, Output: x.Output}
		if err := show.check(); err != nil || show.run(stdout, stderr) != statusViolation {
			return statusError
		}
	}
	if l.Undecided {
		return statusIncomplete
	}
	return statusOK
}
