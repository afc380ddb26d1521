// Ending a running statement from another goroutine.
//
// The server looks at InterruptPending at many places of every loop, and calls ProcessInterrupts where it is
// set, which looks at QueryCancelPending: a signal handler would set them. Here InterruptPending is always set, so
// that ProcessInterrupts is called and can call the host now and then: see breath. Cancel sets QueryCancelPending
// in the server's memory while the server runs.

package engine

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// canceller guards the flags: they are set only while an exchange is under way.
type canceller struct {
	mu      sync.Mutex
	running bool
	all     bool // every statement that begins is cancelled

	interrupt, pending *uint32 // InterruptPending and QueryCancelPending
}

// Cancel asks the statement that runs to end with 57014, "canceling statement due to user request". It
// may be called from any goroutine. It does nothing when no Exchange is under way.
func (x *Instance) Cancel() {
	c := &x.canceller
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancel()
}

func (c *canceller) cancel() {
	if !c.running {
		return
	}
	atomic.StoreUint32(c.pending, 1)
	c.look()
}

// look makes the server look for what is pending. An error leaves ProcessInterrupts before it does so itself.
func (c *canceller) look() { atomic.StoreUint32(c.interrupt, 1) }

// CancelAll is Cancel for the statement that runs and all that follow until the
// instance is Reset.
func (x *Instance) CancelAll() {
	c := &x.canceller
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = true
	c.cancel()
}

// forgive ends CancelAll.
func (c *canceller) forgive() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = false
}

// begin lets Cancel work until end.
func (x *Instance) begin() {
	c := &x.canceller
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = true
	s := &x.engine.symbols
	c.interrupt, c.pending = x.flag(s.interrupt), x.flag(s.cancel)
	c.goOn(true)
}

// caught lets Cancel work after an error that has been caught: within is false where it has ended the transaction.
func (x *Instance) caught(within bool) {
	c := &x.canceller
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		c.goOn(within)
	}
}

func (c *canceller) goOn(cancel bool) {
	c.look()
	if c.all && cancel {
		c.cancel()
	}
}

// end takes back a cancellation that came too late.
func (x *Instance) end() {
	c := &x.canceller
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = false
	atomic.StoreUint32(c.pending, 0)
}

func (x *Instance) flag(at uint32) *uint32 {
	return (*uint32)(unsafe.Pointer(unsafe.SliceData(x.proc.Bytes(at, 4))))
}
