package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/isolation"
)

// compareCmd is the command line of txmc compare.
type compareCmd struct {
	Iso    string `default:"si,ser" placeholder:"WEAKER,STRONGER" help:"The two levels; ${default} by default."`
	Format string `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text, or json: one object a program; ${default} by default."`

	driver.Options

	stronger isolation.Level
}

// Help is what txmc compare --help says beyond the flags.
func (*compareCmd) Help() string {
	return `Looks for histories that the first level allows and the second forbids, whether or not an assertion breaks,
counts them and shows the shortest. A program without any is robust: at the first level it behaves as at the second.

Exit status: 0 robust; 1 not robust; 2 usage, build, nondeterminism or unsupported code; 3 incomplete. Of several, 2
counts before 1 before 3.`
}

func (x *compareCmd) check() error {
	list, err := isolation.ParseList(x.Iso)
	switch {
	case err != nil:
		return fmt.Errorf("--iso: %w", err)
	case len(list) != 2:
		return errors.New("--iso must be two levels, the weaker one first, such as si,ser")
	case !list[1].Implies(list[0]):
		return fmt.Errorf("--iso: every %s history is %s, as %[1]s is the stronger level: give the weaker one first", list[0], list[1])
	}
	x.Levels, x.stronger = list[:1], list[1]
	return x.Options.Check()
}

func (x *compareCmd) run(stdout, stderr *os.File) int {
	return drive(driver.Config{Format: x.Format, Scope: explore.Scope{All: true}, Options: x.Options, Task: &driver.Comparison{Stronger: x.stronger}}, stdout, stderr)
}
