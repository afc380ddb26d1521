package program_test

import (
	"os"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// A session that changes the environment or the working directory of the process is an error,
// as every later run meets what it has left.
func TestOutsideChanges(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("OUTSIDE_TEST", "was")
	to := t.TempDir()
	for want, change := range map[string]func(){
		"the environment variable OUTSIDE_TEST changes while sessions run": func() { os.Setenv("OUTSIDE_TEST", "is") },
		"the working directory changes while sessions run, from ":          func() { os.Chdir(to) },
	} {
		err := broken(t, func(p *program.Program) {
			p.Session("s", func(*program.Session) { change() })
		}, program.Options{})
		wants(t, err, behaviour.Nondeterminism, want)
	}
}
