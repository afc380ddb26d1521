package manual

import (
	"fmt"
	"io"
	"slices"

	"github.com/alecthomas/kong"
)

// Request is what is to be printed of a command line: completions or a man page.
type Request struct {
	Shell string `arg:"" enum:"bash,zsh,fish,man" help:"bash, zsh, fish; or man for a man page, as in txmc completion man > txmc.1."`
}

// Help is what txmc completion --help says beyond the flags.
func (*Request) Help() string {
	return `Prints a script that makes a shell complete commands, flags and the values of flags:

bash: source <(txmc completion bash), in ~/.bashrc

zsh: txmc completion zsh > a directory of fpath/_txmc

fish: txmc completion fish > ~/.config/fish/completions/txmc.fish`
}

// Check reports whether there is such a shell.
func (r *Request) Check() error {
	if r.Shell != "man" && !slices.Contains(Shells(), r.Shell) {
		return fmt.Errorf("no completion is known for %q: give bash, zsh or fish, or man for a man page", r.Shell)
	}
	return nil
}

// Write writes what is asked for.
func (r *Request) Write(w io.Writer, app *kong.Application) error {
	if r.Shell == "man" {
		return Page(w, app, Version())
	}
	return Completion(w, app, r.Shell)
}
