package program

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/txmc/txmc/program/behaviour"
)

// Every call of the API must come from the goroutine of its run. If another goroutine
// waited for a read, iter.Pull would suspend that one, and two would run client code.
// To look at a goroutine's stack costs microseconds, more the deeper the stack: too
// much at every operation, and in every run. So the coroutines have the panic-on-fault
// setting on. It is a bit that the runtime keeps for each goroutine, and it is off in a
// new goroutine. A goroutine without it is not a coroutine. Which of the coroutines
// runs is known.

// main is the root of a coroutine. The runtime prints its receiver with the stack:
// by that the goroutine of a run is known, by others and by itself.
//
//go:noinline
func (r *run) main(yield func(behaviour.VarID) bool) {
	debug.SetPanicOnFault(true)
	r.execute(yield)
	runtime.KeepAlive(r) // is printed as it is
}

// isIn reports whether a stack that the runtime has printed is of the goroutine
// that calls r.main.
func (r *run) isIn(stack string) bool {
	return strings.Contains(stack, fmt.Sprintf("\ngithub.com/txmc/txmc/program.(*run).main(%p, ", r))
}

// isHere reports whether this goroutine is the one that calls r.main.
func (r *run) isHere() bool { return r.isIn(stacks(false)) }

// own reports whether this is the goroutine of r.
func (r *run) own() bool {
	if marked := debug.SetPanicOnFault(true); marked && r.client.running.Load() == r {
		return true
	} else if !marked {
		debug.SetPanicOnFault(false)
	}
	return r.root.isHere()
}

// strayed reports a call of the API of r from a goroutine that is not its own,
// and ends that goroutine.
func (r *run) strayed(what string) {
	c := r.client
	if now := c.running.Load(); now != nil && (now.host == r || r.host == now) {
		r.passedOn(what)
	}
	err := &behaviour.Error{Kind: behaviour.Misuse, Program: c.Name, Session: r.name(), At: c.Location(c.caller()), Message: what +
		" called from outside the goroutine it belongs to (in a go statement or an iter.Pull, or on a Tx, Session or Program kept from elsewhere): " +
		"a session is sequential code; use one Session for each concurrent client"}
	c.report(err)
	if other := c.running.Load(); other != nil && other.root.isHere() {
		other.fail(err)
	}
	runtime.Goexit()
}
