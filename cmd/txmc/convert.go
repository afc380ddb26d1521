package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/txmc/txmc/history"
)

// convert is the command line of txmc convert.
type convert struct {
	Path   string `arg:"" help:"A recorded history: a file, compressed by gzip or zstd or not, or a folder of logs."`
	To     string `required:"" placeholder:"FORMAT" help:"The format to write: ${writable}."`
	From   string `placeholder:"FORMAT" help:"The format of the history, which is found out by default: ${formats}."`
	Output string `short:"o" placeholder:"FILE" help:"Write to that file instead of the standard output."`

	from, to *history.Format
}

// Help is what txmc convert --help says beyond the flags.
func (*convert) Help() string {
	return `Writes a recorded history in another format. What that format cannot express is an error that names the first
transaction with it, and nothing is left out silently.

Exit status: 0 done; 2 usage, or a history that cannot be read or expressed.`
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
	if err := x.main(stdout); err != nil {
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
	return statusOK
}

func (x *convert) main(stdout *os.File) (err error) {
	if x.from == nil {
		if x.from, err = history.Detect(x.Path); err != nil {
			return err
		}
	}
	var w io.Writer = stdout
	if x.Output != "" {
		f, err := os.Create(x.Output)
		if err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		w = f
	}
	to, end, err := x.to.Write(w)
	if err != nil {
		return err
	}
	if err := x.from.Read(x.Path, to); err != nil {
		return err
	}
	return end()
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
