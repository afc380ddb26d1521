// Plots draws the results of txmc bench as the paper draws its own: cactus plots
// (figure 14) and scaling plots (figure 15), as SVG and PNG.
//
//	txmc bench --format=csv -o runs.csv
//	go run github.com/txmc/txmc/bench/plots@latest -o plots runs.csv
//
// It is a module of its own: what draws is no dependency of those who import txmc
// or run its command.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const usage = `usage: plots -o DIR [FILE]

Draws the results that txmc bench --format=csv has written to FILE, or that come
on the standard input, into DIR: cactus plots and scaling plots, as SVG and PNG.
`

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	default:
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(2)
	}
}

// run draws what the command line asks for.
func run(args []string, stdin io.Reader, stderr io.Writer) error {
	flags := flag.NewFlagSet("plots", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	dir := flags.String("o", "", "directory of the plots")
	if err := flags.Parse(args); err != nil {
		fmt.Fprint(stderr, usage)
		return err
	}
	if *dir == "" || flags.NArg() > 1 {
		fmt.Fprint(stderr, usage)
		return errors.New("expected -o DIR and at most one file")
	}
	in, name := stdin, "standard input"
	if flags.NArg() == 1 {
		name = flags.Arg(0)
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	runs, err := readRuns(in)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := os.MkdirAll(*dir, 0o777); err != nil {
		return err
	}
	return write(*dir, cactusPlots(runs), scalingPlots(runs))
}
