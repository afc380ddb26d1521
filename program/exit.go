package program

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Client code that calls os.Exit, most often by log.Fatal, would end the process, and with it
// the exploration of all programs. With the overlay of package repeat it is an error of its
// program, at its line, and the goroutine ends instead.

// exits is called on a goroutine of the run, in place of the process's end.
func (r *run) exits(code int) {
	c := r.client
	if now := c.running.Load(); now != nil { // may run behind r, in the same call of the Explore function
		r = now
	}
	err := &Error{Kind: Exited, Program: c.Name, Session: r.name(), Message: fmt.Sprintf(
		"client code calls os.Exit(%d), by itself or as log.Fatal does, which ends the process: a session that has to stop should return, or use Assert", code)}
	err.Stack, err.At = c.locs.userStack()
	if i := slices.IndexFunc(err.Stack, func(frame string) bool { return strings.HasPrefix(frame, "os.Exit ") }); i > 0 {
		err.Stack = err.Stack[i:] // above is the overlay's
	}
	c.report(err)
	if r.root.isHere() {
		r.fail(err)
	}
	runtime.Goexit()
}
