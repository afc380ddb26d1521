package program

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"strconv"
)

// Every call of the API must come from the goroutine of its run: when another
// one waited for a read, iter.Pull would suspend that one and two would run
// client code. Reading a goroutine's number from its stack costs microseconds,
// more the deeper the stack, at every operation. The panic-on-fault setting is a
// bit that the runtime keeps for each goroutine and that is off in a new one:
// the coroutines have it on, so that a goroutine without it is not one of them;
// and which of them runs is known.

// markGoroutine makes this goroutine known as a coroutine and returns its
// number.
func markGoroutine() uint64 {
	debug.SetPanicOnFault(true)
	return goroutineID()
}

// own reports whether this is the goroutine of r.
func (r *run) own() bool {
	if marked := debug.SetPanicOnFault(true); marked && r.client.running.Load() == r {
		return true
	} else if !marked {
		debug.SetPanicOnFault(false)
	}
	return goroutineID() == r.gid.Load()
}

// goroutineID is the number that the runtime prints for this goroutine; numbers
// are not reused.
func goroutineID() uint64 {
	var buf [40]byte
	b := buf[len("goroutine "):runtime.Stack(buf[:], false)]
	if i := bytes.IndexByte(b, ' '); i > 0 {
		b = b[:i]
	}
	id, _ := strconv.ParseUint(string(b), 10, 64)
	return id
}

// strayed reports a call of the API of r from a goroutine that is not its own,
// and ends that goroutine.
func (r *run) strayed(what string) {
	c := r.client
	err := &Error{Kind: Misuse, Program: c.Name, Session: r.name(), At: c.Location(c.caller()), Message: what +
		" called from outside the goroutine it belongs to (in a go statement or an iter.Pull, or on a Tx, Session or Program kept from elsewhere): " +
		"a session is sequential code; use one Session for each concurrent client"}
	c.report(err)
	if other := c.running.Load(); other != nil && other.gid.Load() == goroutineID() {
		other.fail(err)
	}
	runtime.Goexit()
}
