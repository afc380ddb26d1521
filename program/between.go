package program

import (
	"fmt"
	"strings"
	"time"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/repeat"
)

// In production sessions interleave. What one leaves in captured variables at the beginning
// of its work, and looks at later, another one may change between: sessions that run one after
// the other do not notice. So a known behaviour of another session is run while a session is at
// one of its operations, in the same call of the Explore function. Both must do as before.
//
// It runs on a goroutine of its own, as it may wait for what the other one holds: a lock that is
// held while the database works. That is no fault. Then the two are given up, and after some of
// these no session is run between operations of another any more.

// visit is a behaviour that is to be run while a run is at an operation.
type visit struct {
	end     *behaviour.Node
	steps   int // until then
	guest   *run
	done    chan struct{} // closed when the guest's goroutine ends; nil before it begins
	keptOut bool          // the guest is given up
}

// between runs the behaviour that ends at end again, and one of another session while it is at one
// of its operations.
func (c *Client) between(others []*behaviour.Node, end *behaviour.Node) error {
	host, guest := end, others[c.visits/2%len(others)]
	if c.visits++; c.visits%2 == 0 {
		host, guest = guest, host
	}
	path := len(host.Path())
	final := c.Final()
	if c.keptOut >= mostKeptOut || c.opts.Server != nil || path < 2 || host.Abrupt() || guest.Abrupt() || int(host.Session) == final || int(guest.Session) == final {
		return nil
	}
	v := &visit{end: guest, steps: 1 + c.visits/2%(path-1)} // not at its end
	r := c.newRun(int(host.Session), sessionBody)
	r.after = fmt.Sprintf(", while session %q has run between two of its operations, in the same call of the Explore function, whose variables they share", c.SessionName(int(guest.Session)))
	r.along(host)
	r.visit = v
	err := r.resume()
	r.close()
	v.ends()
	if v.keptOut && err == errGivenUp {
		return nil
	}
	return err
}

// ends waits a little for the end of the guest.
func (v *visit) ends() {
	if v.done == nil {
		return
	}
	select {
	case <-v.done:
	case <-time.After(100 * time.Millisecond): // it waits for what nobody does any more
	}
}

// receives runs the visit of r if it is at that operation.
func (r *run) receives() {
	v := r.visit
	if v == nil {
		return
	}
	if v.steps--; v.steps > 0 {
		return
	}
	r.visit = nil
	c := r.client
	b := &run{client: c, session: int(v.end.Session), program: r.program}
	b.number, b.leaveBehind = r.number, func() {}
	b.root, b.declared, b.host = b, r.declared, r
	b.yield = func(behaviour.VarID) bool { return false } // all that it reads is known
	b.along(v.end)
	b.after = fmt.Sprintf(", while session %q was between two of its operations, in the same call of the Explore function, whose variables they share", r.name())
	v.guest, v.done, r.before = b, make(chan struct{}), b
	r.repeats.Active(false)
	waits := ""
	repeat.Apart(func() { // so that the guest's goroutine is none of r, and nothing looks at r's clock
		c.busy(b)
		defer c.busy(r)
		go func() {
			defer close(v.done)
			b.main(b.yield)
		}()
		waits = v.waits()
	})
	if waits != "" {
		c.keptOut++
		if !isLock(waits) {
			c.keptOut = mostKeptOut // it has taken long
		}
		v.keptOut = true
		b.givenUp.Store(true)
	}
	r.repeats.Active(true)
	if v.keptOut || b.err.Load() != nil {
		r.cancelled = true
		r.unwind()
	}
}

// visits is what the guest's goroutine does.
func (r *run) visits() {
	own := repeat.Begin(0)
	r.repeating(own)
	defer own.Active(false)
	defer r.release()
	sessionBody(r)
	r.dead.Store(true)
}

// How often a guest is looked at, and how many times it must be found waiting at the same place:
// longer where its own goroutines or a timer may let it go on. A look stops the process, for
// longer the deeper the stack is: it may take a part of the time only.
const (
	lookAtGuest = 10 * time.Millisecond
	atLock      = 3
	elsewhere   = 100
	lookPart    = 20
)

// mostKeptOut is how many guests of a client are given up that wait for locks.
const mostKeptOut = 4

// waits waits for the guest's end. It returns "", or for what the guest waits if it is that
// which its host holds.
func (v *visit) waits() string {
	next := time.NewTimer(lookAtGuest)
	defer next.Stop()
	w := vigil{patience: v.guest.client.opts.Patience}
	for {
		select {
		case <-v.done:
			return ""
		case <-next.C:
		}
		begins := time.Now()
		if state := v.guest.state(); w.isOver(state, begins) {
			return state
		}
		next.Reset(w.pause(time.Since(begins)))
	}
}

// vigil is how a guest was found whenever it was looked at. Where it waits it is given up before
// the client's patience ends: it waits for its host, and the client would be said to be stalled. On
// a busy machine looks take long, and there are few of them in that time.
type vigil struct {
	patience time.Duration
	state    string    // for what it waits, and where
	since    time.Time // when it was found there first
	times    int       // how often it was found there again
}

// isOver reports whether a guest that is found in a state at a time is given up.
func (w *vigil) isOver(state string, at time.Time) bool {
	if state == "" || state != w.state {
		w.state, w.since, w.times = state, at, 0
		return false
	}
	w.times++
	return w.times >= elsewhere || w.times >= atLock && isLock(state) || at.Sub(w.since) >= w.patience/4
}

// pause is the time until the next look, after one that took so long.
func (w *vigil) pause(took time.Duration) time.Duration {
	most := w.patience / 4
	if w.state != "" {
		most /= 2
	}
	return max(lookAtGuest, min(lookPart*took, most))
}

// isLock reports whether a goroutine in that state waits for a lock.
func isLock(state string) bool {
	return strings.HasPrefix(state, "sync.Mutex.") || strings.HasPrefix(state, "sync.RWMutex.")
}

// state is for what the goroutine of r waits, and where; "" when it does not wait.
func (r *run) state() string {
	for own := range strings.SplitSeq(stacks(true), "\n\n") {
		if !r.isIn(own) {
			continue
		}
		head, stack, _ := strings.Cut(own, "\n")
		_, head, _ = strings.Cut(head, "[")
		head, _, _ = strings.Cut(head, "]")
		head, _, _ = strings.Cut(head, ",") // how long
		if head == "running" || head == "runnable" || head == "syscall" {
			return ""
		}
		return head + "\n" + stack
	}
	return ""
}
