package main

import (
	"fmt"
	"os"
	"regexp"

	"github.com/txmc/txmc/explore/driver"
)

// vetCmd is the command line of txmc vet.
type vetCmd struct {
	Packages []string `arg:"" optional:"" name:"packages" help:"Packages as for go build: directories, import paths, patterns with \"...\"; the one in the current directory by default. Of several packages those without Explore functions are left out."`

	Run     string `placeholder:"REGEXP" help:"Only the functions whose names match."`
	Format  string `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text, or json: one object a finding; ${default} by default."`
	Output  string `short:"o" placeholder:"FILE" help:"Write to that file instead of the standard output."`
	Tags    string `placeholder:"TAGS" help:"Build tags, as for go build."`
	Verbose bool   `short:"v" help:"Say what is done."`

	Determinism string `default:"on" enum:"on,off" env:"TXMC_DETERMINISM" placeholder:"WHAT" help:"off: warn also of the clock, random numbers and the order of maps, which explore makes repeat themselves. ${default} by default."`
}

// Help is what txmc vet --help says beyond the flags.
func (*vetCmd) Help() string {
	return `Looks for code that keeps the packages' Explore functions from being explored, without running it: what does not
repeat itself, what waits outside of the database, and what never ends. See docs/vet.md for the checks.

A comment //txmc:ignore CHECK silences a check on its line, or on the next one when it stands alone.

The same as a part of go vet: go vet -vettool=$(which txmc) ./...

Exit status: 0 clean; 1 findings; 2 usage, load or build.`
}

func (x *vetCmd) check() error {
	if _, err := regexp.Compile(x.Run); err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	return nil
}

func (x *vetCmd) run(stdout, stderr *os.File) int {
	return drive(driver.Config{Format: x.Format, Vet: driver.VetAlone, Options: driver.Options{
		Packages: x.Packages, Run: x.Run, Output: x.Output, Tags: x.Tags, Verbose: x.Verbose, Determinism: x.Determinism,
	}}, stdout, stderr)
}
