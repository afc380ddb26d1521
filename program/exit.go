package program

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/txmc/txmc/program/behaviour"
)

// Client code that calls os.Exit, most often by log.Fatal, would end the process, and with it the
// exploration of all programs. A panic in a goroutine that a session has started would do the
// same. With the overlay of package repeat it is an error of its program, at its line, and the
// goroutine ends instead.

// exits is called on a goroutine of the run, in place of the process's end.
func (r *run) exits(code int) {
	err := r.endsProcess(fmt.Sprintf(
		"client code calls os.Exit(%d), by itself or as log.Fatal does, which ends the process: a session that has to stop should return, or use Assert", code))
	r.client.report(err)
	if now := r.present(); now.root.isHere() {
		now.fail(err)
	}
	runtime.Goexit()
}

// loses is asked, on a goroutine that the run's code has started, what becomes of a panic that
// nothing recovers. Only that of client code is the goroutine's own end.
func (r *run) loses(v any) bool {
	err := r.endsProcess(fmt.Sprintf("panic: %v, in a goroutine that the session has started, and nothing recovers it there, which ends the process: "+
		"recover in the goroutine, or pass an error to the session", v))
	if err.At.File == "" {
		return false
	}
	r.client.report(err)
	return true
}

// present is r, or the run that has followed it, on its goroutine.
func (r *run) present() *run {
	if now := r.client.running.Load(); now != nil && now.root == r.root {
		return now
	}
	return r
}

// endsProcess is the error of code that would end the process here.
func (r *run) endsProcess(message string) *behaviour.Error {
	c := r.client
	err := &behaviour.Error{Kind: behaviour.Exited, Program: c.Name, Session: r.present().name(), Message: message}
	err.Stack, err.At = c.locs.UserStack()
	err.Stack = slices.DeleteFunc(err.Stack, func(frame string) bool { return strings.HasPrefix(frame, "time.txmc") }) // the overlay's
	return err
}
