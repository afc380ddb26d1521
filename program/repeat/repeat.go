// Package repeat reaches what package overlay adds to the standard library: a run
// of a session begins, waits, and is left for a while. In a build without the
// overlay there is nothing to reach, and all of this does nothing.
package repeat

import (
	"net"
	"path"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"
)

// hooks is a variable of package time in a build with the overlay, which has a
// value. In other builds it is only here, and is zero.
//
//go:linkname hooks time.txmcHooks
var hooks [1]struct {
	begin  func(seed uint64) unsafe.Pointer
	active func(run unsafe.Pointer, active bool)
	apart  func(f func())
	serve  func(dial func() (any, error)) (directory string)
	passed func(run unsafe.Pointer) time.Duration
	again  func(run unsafe.Pointer, seed uint64, passed time.Duration)
}

// exits is likewise a variable of package time, in builds with an overlay that has it.
//
//go:linkname exits time.txmcExits
var exits [1]func(run unsafe.Pointer, exit func(code int))

// panics is likewise a variable of package time.
//
//go:linkname panics time.txmcLost
var panics [1]func(run unsafe.Pointer, lost func(v any) bool)

// told is likewise a variable of package time.
//
//go:linkname told time.txmcTold
var told [1]func(run unsafe.Pointer, file func(what uint, name string, kept *atomic.Pointer[any]))

// printing is likewise a variable of package time.
//
//go:linkname printing time.txmcPrinting
var printing [1]func(run unsafe.Pointer, prints func(b []byte) bool)

// On reports whether the build has the overlay.
func On() bool { return hooks[0].begin != nil }

// Run is the time and the randomness of one run of a session. The zero Run is that of
// builds without the overlay.
type Run struct {
	run   unsafe.Pointer
	state *state
}

// state is the state of generators of identifiers: that of the run while it waits, and that
// of the code outside while the run's code runs.
type state struct {
	active bool
	other  generators
}

// Begin makes the calling goroutine, and those that it starts from now on, a run.
// Runs with the same seed have the same time and the same random numbers.
func Begin(seed uint64) Run {
	if !On() {
		return Run{}
	}
	return Run{hooks[0].begin(seed), &state{true, newGenerators(seed).exchange()}}
}

// Active says whether the run's code runs, as it does after Begin, or waits for what
// is not of the run: then its time stands still.
func (r Run) Active(active bool) {
	if r.run == nil {
		return
	}
	hooks[0].active(r.run, active)
	if s := r.state; s.active != active {
		s.active, s.other = active, s.other.exchange()
	}
}

// Pass lets time go by in the run, on its first goroutine.
func (r Run) Pass(d time.Duration) {
	if r.run != nil {
		time.Sleep(d) // the overlay's, which does not wait
	}
}

// Passed is the time that has gone by in the run since Begin: by Pass and by what its
// code slept and waited for, but not by its looks at the clock. It is 0 in builds
// without the overlay.
func (r Run) Passed() time.Duration {
	if r.run == nil {
		return 0
	}
	return hooks[0].passed(r.run)
}

// Again sets the clock of the running run's first goroutine back to when so much time had
// passed, and gives the run the random numbers of another seed.
func (r Run) Again(seed uint64, passed time.Duration) {
	if r.run == nil {
		return
	}
	hooks[0].again(r.run, seed, passed)
	newGenerators(seed).exchange()
}

// Exits says what the goroutines of the run do, in place of ending the process, where they call
// os.Exit. It does not return.
func (r Run) Exits(exit func(code int)) {
	if r.run != nil && exits[0] != nil {
		exits[0](r.run, exit)
	}
}

// Panics says who is asked where a goroutine of the run panics and nothing recovers. Without it
// the process would end. lost gets the panic's value, on that goroutine, after its deferred
// functions, while its stack is still there. The goroutine ends if the answer is true, else the
// process.
func (r Run) Panics(lost func(v any) bool) {
	if r.run != nil && panics[0] != nil {
		panics[0](r.run, lost)
	}
}

// Files says what is told of the files that the run's goroutines have to do with by package os,
// on their goroutines, before they do: what they are about to do, as package files has it, and
// the name; and of an open file, where something may be kept of it.
func (r Run) Files(file func(what uint, name string, kept *atomic.Pointer[any])) {
	if r.run != nil && told[0] != nil {
		told[0](r.run, file)
	}
}

// Prints says who gets what the run's goroutines write to the standard output and the standard
// error, on their goroutines, before it is written. It is not written if the answer is true.
func (r Run) Prints(prints func(b []byte) bool) {
	if r.run != nil && printing[0] != nil {
		printing[0](r.run, prints)
	}
}

// Apart calls f with the usual time and randomness: for code that is not of the
// session but runs on its goroutine.
func Apart(f func()) {
	if !On() {
		f()
		return
	}
	hooks[0].apart(f)
}

// Serve makes the Unix sockets of a directory, which does not exist, lead to dial, for
// goroutines of this run: net.Dial calls it on their goroutine. It returns the
// directory; "" where there is no overlay or no run. See [Host].
func Serve(dial func() (net.Conn, error)) (directory string) {
	if !On() {
		return ""
	}
	return hooks[0].serve(func() (any, error) { return dial() })
}

// Host is the TCP address of what is served in a directory that [Serve] has returned. It is of
// the loopback network, holds at any port, and has no listener.
func Host(directory string) string {
	n, _ := strconv.Atoi(path.Base(directory))
	return net.IPv4(127, 84, byte(n>>8), byte(n)).String()
}
