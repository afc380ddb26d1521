// Command txmc explores Go programs that talk to a database in transactions:
// every history that an isolation level allows, each once.
//
//	txmc explore ./app --iso=si
//
// See txmc explore --help. Exit status: 0 when everything was explored and no
// assertion breaks; 1 on a violation; 2 when something could not be explored; 3
// when the exploration is incomplete, or nothing was checked. Of several, 2 counts before 1 before 3.
package main

//go:generate go test . -run TestGolden/(output|gallery) -update

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
	"github.com/txmc/txmc/cmd/internal/manual"
	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/program/vet"
	"github.com/txmc/txmc/server/application"
	"github.com/txmc/txmc/server/database"
	"github.com/txmc/txmc/server/requests"
	"github.com/txmc/txmc/server/specs"
)

func main() {
	application.Keep()
	requests.Main()
	specs.Main()
	vet.Tool(os.Args[1:])
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// newParser returns the parser of the command line, with more options.
func newParser(c *cli, stdout, stderr io.Writer, more ...kong.Option) (*kong.Kong, error) {
	return kong.New(c, append(more,
		kong.Name("txmc"),
		kong.Description("Explores Go programs that talk to a database in transactions: every history that an isolation level allows, each once."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 100}),
		helpVars(),
		kong.Writers(stdout, stderr),
	)...)
}

// run parses the command line and does what it says. It returns the exit status.
func run(args []string, stdout, stderr *os.File) int {
	var c cli
	exited := -1
	// Help and version exit: leave what follows alone.
	parser, err := newParser(&c, stdout, stderr, kong.Exit(func(code int) { exited = code; panic(errExit) }))
	if err != nil {
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
	if len(args) == 0 {
		manual.Commands(stderr, parser.Model)
		return statusError
	}
	if said := manual.UnknownCommand(parser.Model, args); said != "" {
		fmt.Fprintf(stderr, "txmc: %s\ntxmc help lists the commands\n", said)
		return statusError
	}
	args = manual.TwoDashes(parser.Model, args)
	parsed, err := parse(parser, args)
	if exited >= 0 {
		return exited
	}
	name := "explore"
	if parsed != nil && parsed.Selected() != nil {
		name = parsed.Selected().Name
	}
	if err != nil {
		return usage(stderr, name, err)
	}
	x := parsed.Selected().Target.Addr().Interface().(command)
	if err := x.check(); err != nil {
		return usage(stderr, name, err)
	}
	return x.run(stdout, stderr)
}

// worded adds to an error what the user can do about it on the command line.
func worded(err error) error {
	var (
		run         *load.RunError
		notPackage  *load.NotPackageError
		file        *history.FileError
		certificate *judge.CertificateError
	)
	switch {
	case errors.As(err, &run) && run.Err != nil:
		return fmt.Errorf("--run: %w", run.Err)
	case errors.As(err, &run):
		return fmt.Errorf("--run=%w", run)
	case errors.As(err, &notPackage):
		return fmt.Errorf("%w, and choose functions with --run", notPackage)
	case errors.As(err, &file) && errors.Is(err, format.ErrUnknown):
		return &history.FileError{File: file.File, Err: fmt.Errorf("%w; --from names one", file.Err)}
	case errors.Is(err, judge.ErrPredicate):
		return fmt.Errorf("%w: --version-order uses it", err)
	case errors.As(err, &certificate):
		return fmt.Errorf("--certificate: %w", certificate.Err)
	}
	return err
}

// errExit leaves the parser where it would end the process.
var errExit = fmt.Errorf("exit")

func parse(parser *kong.Kong, args []string) (parsed *kong.Context, err error) {
	defer func() {
		if v := recover(); v != nil && v != any(errExit) {
			panic(v)
		}
	}()
	parsed, err = parser.Parse(args)
	var failed *kong.ParseError
	if errors.As(err, &failed) {
		parsed = failed.Context
	}
	return parsed, err
}

func usage(stderr io.Writer, name string, err error) int {
	fmt.Fprintf(stderr, "txmc: %v\ntxmc %s --help says more\n", err, name)
	return statusError
}

// version is that of the command.
var version = manual.Version

// helpVars are what the help of the flags names.
func helpVars() kong.Vars {
	return kong.Vars{"version": version(), "formats": format.Names(), "writable": format.WritableNames()}
}

// Exit statuses.
const (
	statusOK         = int(driver.OK)
	statusViolation  = int(driver.Violation)
	statusError      = int(driver.Failed)
	statusIncomplete = int(driver.Incomplete)
)

func worse(a, b int) int { return int(driver.Status(a).Worse(driver.Status(b))) }

// command is what the command line names.
type command interface {
	check() error
	run(stdout, stderr *os.File) int
}

// drive goes through packages and returns the exit status.
func drive(c driver.Config, stdout, stderr *os.File) int {
	return driveOn(database.Flags{}, c, stdout, stderr)
}
