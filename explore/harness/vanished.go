package harness

import (
	"fmt"
	"os/exec"
	"strings"

	"github.com/txmc/txmc/report"
)

// Garbled is the error for a line of a harness that is not of the protocol.
func Garbled(err error) error {
	return fmt.Errorf("the harness sent what this command does not understand: %w (did client code write to file descriptor %d?)", err, Descriptor)
}

// Vanished explains a harness that ended without saying so. p says how far it had come.
// functions are those of the package, in the order of their exploration. exit is nil when
// the exit status was 0. out is what the harness has printed.
func Vanished(pkg string, functions []string, p *Progress, exit *exec.ExitError, out *Output) *report.Error {
	e := &report.Error{Type: report.TypeError, Schema: report.Schema, Package: pkg, Program: p.Program, Iso: p.Iso, Kind: "exited"}
	if r := out.Recursion(); r != nil {
		e.At, e.Message = r.At, r.String()+rest(functions, p)
		return e
	}
	how := "exit status 0"
	if exit != nil {
		how = exit.String()
	}
	var why string
	switch {
	case exit != nil && !exit.Exited() && !strings.Contains(how, "kill") && !strings.Contains(how, "terminated"):
		why = "code that is not Go's has failed, such as C code by cgo, or somebody has sent it this signal"
	case exit != nil && !exit.Exited():
		why = "it was killed, by hand or because memory ran out"
	case exit != nil && exit.ExitCode() == 2:
		why = "a panic outside the sessions or a fatal error of the Go runtime stands above, or client code called os.Exit"
	default:
		why = "client code may have called os.Exit or log.Fatal: a session that has to stop should return, or use Assert"
	}
	e.Message = fmt.Sprintf("the process that runs the client code ended by itself (%s): %s%s", how, why, rest(functions, p))
	return e
}

// rest says which functions were not reached.
func rest(functions []string, p *Progress) string {
	var names []string
	reached := p.Program == ""
	for _, f := range functions {
		if reached {
			names = append(names, f)
		}
		reached = reached || f == p.Program
	}
	if len(names) == 0 {
		return ""
	}
	return "; not explored: " + strings.Join(names, ", ")
}
