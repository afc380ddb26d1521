package program

import "github.com/txmc/txmc/program/behaviour"

// Client code whose database evaluates statements itself reads from whatever
// goroutine its driver calls from: drivers read answers on goroutines of their
// own now and then. A coroutine of iter.Pull may be left by its own goroutine
// only. So these runs are ordinary goroutines that hand over by channels.

// handover is one goroutine and the one that resumes it; never do both run.
type handover struct {
	body     func(yield func(behaviour.VarID) bool)
	resume   chan bool
	waits    chan behaviour.VarID
	done     chan struct{}
	left     chan struct{} // closed when the body is left behind
	started  bool
	finished bool
	stopped  bool
}

// handOver is [iter.Pull] for a body whose yield may be called from any
// goroutine. Like there, next and stop must not be called at the same time.
func handOver(body func(yield func(behaviour.VarID) bool)) (next func() (behaviour.VarID, bool), stop, leave func()) {
	h := &handover{body: body, resume: make(chan bool), waits: make(chan behaviour.VarID), done: make(chan struct{}), left: make(chan struct{})}
	return h.next, h.stop, func() { close(h.left) }
}

func (h *handover) next() (behaviour.VarID, bool) {
	switch {
	case h.finished:
		return 0, false
	case !h.started:
		h.start()
	default:
		h.resume <- true
	}
	return h.wait()
}

func (h *handover) start() {
	h.started = true
	go func() {
		defer close(h.done)
		h.body(h.yield)
	}()
}

// wait is over when the body yields or ends.
func (h *handover) wait() (behaviour.VarID, bool) {
	select {
	case x := <-h.waits:
		return x, true
	case <-h.done:
	case <-h.left:
	}
	h.finished = true
	return 0, false
}

// stop makes the yield that waits, and all later ones, return false, and waits
// for the end of the body.
func (h *handover) stop() {
	if h.finished {
		return
	}
	h.finished, h.stopped = true, true
	if !h.started {
		return
	}
	h.resume <- false
	select {
	case <-h.done:
	case <-h.left:
	}
}

func (h *handover) yield(x behaviour.VarID) bool {
	if h.stopped {
		return false
	}
	h.waits <- x
	return <-h.resume
}
