package main

import (
	"context"
	"fmt"
	"os"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/history/format"
)

// convertCmd is the command line of txmc convert.
type convertCmd struct {
	Path   string `arg:"" help:"A recorded history: a file, compressed by gzip or zstd or not, or a folder of logs."`
	To     string `required:"" placeholder:"FORMAT" help:"The format to write: ${writable}."`
	From   string `placeholder:"FORMAT" help:"The format of the history, which is found out by default: ${formats}."`
	Output string `short:"o" placeholder:"FILE" help:"Write to that file, compressed if its name ends in .gz or .zst, instead of the standard output."`

	from, to *format.Format
}

// Help is what txmc convert --help says beyond the flags.
func (*convertCmd) Help() string {
	return `Writes a recorded history in another format. What that format cannot express is an error that names the first
transaction with it, and nothing is left out silently.

Exit status: 0 done; 2 usage, or a history that cannot be read or expressed; 3 when it was interrupted.`
}

func (x *convertCmd) check() (err error) {
	if x.to, err = format.Writable(x.To); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	if x.From != "" {
		if x.from, err = format.ByName(x.From); err != nil {
			return fmt.Errorf("--from: %w", err)
		}
	}
	return nil
}

func (x *convertCmd) run(stdout, stderr *os.File) int {
	sig := signals.Catch()
	defer sig.Stop()
	note, err := x.main(sig.Soft, stdout)
	if note != "" && err == nil {
		fmt.Fprintln(stderr, "txmc:", note)
	}
	return written(sig, err, stderr)
}

// written is the status after a history was written, or err.
func written(sig *signals.Signals, err error, stderr *os.File) int {
	switch {
	case sig.Interrupted():
		fmt.Fprintln(stderr, "txmc: interrupted: the history is incomplete, and no file is left")
		return statusIncomplete
	case err != nil:
		fmt.Fprintln(stderr, "txmc:", worded(err))
		return statusError
	}
	return statusOK
}

func (x *convertCmd) main(ctx context.Context, stdout *os.File) (note string, err error) {
	if x.from == nil {
		if x.from, err = format.Detect(x.Path); err != nil {
			return "", err
		}
	}
	if x.Output != "" && format.SameFile(x.Path, x.Output) {
		return "", fmt.Errorf("-o: %s is the history that is read: name another file", x.Output)
	}
	w, err := format.Create(x.Output, stdout)
	if err != nil {
		return "", fmt.Errorf("-o: %w", err)
	}
	note, err = format.Convert(ctx, x.Path, x.from, x.to, w)
	return note, w.End(err)
}
