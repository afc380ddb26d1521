package main

import (
	"context"
	"fmt"
	"os"

	"github.com/txmc/txmc/history"
)

// convert is the command line of txmc convert.
type convert struct {
	Path   string `arg:"" help:"A recorded history: a file, compressed by gzip or zstd or not, or a folder of logs."`
	To     string `required:"" placeholder:"FORMAT" help:"The format to write: ${writable}."`
	From   string `placeholder:"FORMAT" help:"The format of the history, which is found out by default: ${formats}."`
	Output string `short:"o" placeholder:"FILE" help:"Write to that file, compressed if its name ends in .gz or .zst, instead of the standard output."`

	from, to *history.Format
}

// Help is what txmc convert --help says beyond the flags.
func (*convert) Help() string {
	return `Writes a recorded history in another format. What that format cannot express is an error that names the first
transaction with it, and nothing is left out silently.

Exit status: 0 done; 2 usage, or a history that cannot be read or expressed; 3 when it was interrupted.`
}

func (x *convert) check() (err error) {
	if x.to, err = history.ByName(x.To); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	if !x.to.CanWrite() {
		return fmt.Errorf("--to: histories are not written as %s, but as %s", x.to.Name, writableNames())
	}
	if x.From != "" {
		if x.from, err = history.ByName(x.From); err != nil {
			return fmt.Errorf("--from: %w", err)
		}
	}
	return nil
}

func (x *convert) run(stdout, stderr *os.File) int {
	sig := catchSignals()
	defer sig.stop()
	return written(sig, x.main(sig.soft, stdout), stderr)
}

// written is the status after a history was written, or err.
func written(sig *signals, err error, stderr *os.File) int {
	switch {
	case sig.interrupted():
		fmt.Fprintln(stderr, "txmc: interrupted: the history is incomplete, and no file is left")
		return statusIncomplete
	case err != nil:
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
	return statusOK
}

func (x *convert) main(ctx context.Context, stdout *os.File) (err error) {
	if x.from == nil {
		if x.from, err = history.Detect(x.Path); err != nil {
			return err
		}
	}
	file := stdout
	if x.Output != "" {
		if same(x.Path, x.Output) {
			return fmt.Errorf("-o: %s is the history that is read: name another file", x.Output)
		}
		f, failed := createWhole(x.Output)
		if failed != nil {
			return fmt.Errorf("-o: %w", failed)
		}
		defer func() { err = f.end(err) }()
		file = f.File
	}
	w, err := compressed(x.Output, file)
	if err != nil {
		return err
	}
	to, end, err := x.to.Write(w)
	if err != nil {
		return err
	}
	if err := x.from.Read(ctx, x.Path, to); err != nil {
		return err
	}
	if err := end(); err != nil {
		return err
	}
	return w.Close()
}

// same reports whether two names are of the same file.
func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

func writableNames() string {
	s := ""
	for _, f := range history.Formats() {
		if f.CanWrite() {
			if s != "" {
				s += ", "
			}
			s += f.Name
		}
	}
	return s
}
