package program

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/txmc/txmc/program/behaviour"
)

// A program that asserts nothing holds whatever happens. So it is known whether one asserts
// something: it declares a Final, an Invariant, Serializable or SerialSessions, or a session calls
// Assert or Assertf in some run. Of a program that does not, an exploration may ask that outcomes
// are serial.

// asserting is what the program asserts beside its declarations.
type asserting struct {
	asserted atomic.Bool           // a session has called an Assert, in some run
	serial   atomic.Pointer[Judge] // see CheckSerial
}

// Asserts reports whether the program says what must hold, in its declarations or in a run so far.
func (c *Client) Asserts() bool { return c.Declares() || c.asserted.Load() }

// Declares reports whether the declarations say what must hold.
func (c *Client) Declares() bool {
	s := c.shape
	return len(s.finals)+len(s.invariants)+len(s.serializable) > 0
}

// CheckSerial makes this client, and those made of it later, judge outcomes as after
// [Program.Serializable]. It changes nothing where the program declares what must hold.
func (c *Client) CheckSerial() {
	f := runtime.FuncForPC(reflect.ValueOf(c.explore).Pointer())
	file, line := f.FileLine(f.Entry())
	c.serial.Store(&Judge{behaviour.InvariantError, UnassertedName, c.locs.Locate(file, line, f.Name()), true})
}

// CheckAsserted takes back CheckSerial, as the program asserts something in a run.
func (c *Client) CheckAsserted() {
	c.serial.Store(nil)
	c.asserted.Store(true)
}

// ChecksSerial reports whether outcomes are judged because of CheckSerial.
func (c *Client) ChecksSerial() bool { return c.serial.Load() != nil && !c.Declares() }

// UnassertedName is the name of what is judged because of CheckSerial, at the Explore function.
const UnassertedName = "serializable"

// similar makes a client of the same program, of which outcomes are judged likewise.
func (c *Client) similar(opts Options, without []Part) (*Client, error) {
	o, err := newClient(c.Name, c.explore, opts, without)
	if err == nil {
		if c.serial.Load() != nil {
			o.CheckSerial()
		}
	}
	return o, err
}

// silent are the runs whose client code is at work, of sessions of programs that have asserted
// nothing so far. The functions Assert and Assertf do not know who calls them, and look here.
var silent struct {
	sync.Mutex
	runs  map[*run]bool
	count atomic.Int32
}

// watchAsserts has Assert and Assertf look for a run, from when client code is at work until it is not.
func (r *run) watchAsserts() (end func()) {
	c := r.client
	if r.session < 0 || c.shape == nil || c.Asserts() {
		return func() {}
	}
	silent.Lock()
	defer silent.Unlock()
	if silent.runs == nil {
		silent.runs = map[*run]bool{}
	}
	silent.runs[r] = true
	silent.count.Add(1)
	return func() {
		silent.Lock()
		defer silent.Unlock()
		delete(silent.runs, r)
		silent.count.Add(-1)
	}
}

// noteAssert notes that this goroutine asserts something.
func noteAssert() {
	if silent.count.Load() == 0 {
		return
	}
	silent.Lock()
	defer silent.Unlock()
	stack := stacks(false)
	for r := range silent.runs {
		if r.root.isIn(stack) {
			r.client.asserted.Store(true)
		}
	}
}
