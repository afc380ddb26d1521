package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/txmc/txmc/cmd/internal/manual"
)

// helpCmd is the command line of txmc help.
type helpCmd struct {
	Command string `arg:"" optional:"" help:"The command; all of them by default."`
}

func (x *helpCmd) check() error { return nil }

func (x *helpCmd) run(stdout, stderr *os.File) int {
	args := []string{"--help"}
	if x.Command != "" {
		args = []string{x.Command, "--help"}
	}
	return run(args, stdout, stderr)
}

// versionCmd is the command line of txmc version.
type versionCmd struct{}

func (x *versionCmd) check() error { return nil }

func (x *versionCmd) run(stdout, _ *os.File) int {
	fmt.Fprintln(stdout, version())
	return statusOK
}

// completionCmd is the command line of txmc completion.
type completionCmd struct {
	Shell string `arg:"" help:"bash, zsh, fish; or man for a man page, as in txmc completion man > txmc.1."`
}

// Help is what txmc completion --help says beyond the flags.
func (*completionCmd) Help() string {
	return `Prints a script that makes a shell complete commands, flags and the values of flags:

bash: source <(txmc completion bash), in ~/.bashrc

zsh: txmc completion zsh > a directory of fpath/_txmc

fish: txmc completion fish > ~/.config/fish/completions/txmc.fish`
}

func (x *completionCmd) check() error {
	if x.Shell != "man" && !slices.Contains(manual.Shells(), x.Shell) {
		return fmt.Errorf("no completion is known for %q: give bash, zsh or fish, or man for a man page", x.Shell)
	}
	return nil
}

func (x *completionCmd) run(stdout, stderr *os.File) int {
	parser, err := newParser(&cli{}, stdout, stderr)
	if err == nil && x.Shell == "man" {
		err = manual.Page(stdout, parser.Model, version())
	} else if err == nil {
		err = manual.Completion(stdout, parser.Model, x.Shell)
	}
	if err != nil {
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
	return statusOK
}
