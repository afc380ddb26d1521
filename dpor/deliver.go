package dpor

import (
	"context"
	"errors"
	"fmt"
	"github.com/txmc/txmc/dpor/work"
	"iter"
	"runtime/metrics"
	"time"
)

// Histories runs the exploration and yields the violations, or with Options.List
// every history, as they are found. An error ends it: a [*behaviour.Error] when
// the program cannot be explored. It can be ranged over once; leaving the loop
// ends the exploration. When client code is stuck the exploration ends, but
// nothing can end the client's goroutine.
func (x *Exploration) Histories() iter.Seq2[*work.Found, error] {
	return func(yield func(*work.Found, error) bool) {
		if err := x.start(); err != nil {
			yield(nil, err)
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		left := false // the loop over the histories has ended by itself
		deliver := func(f *work.Found) bool {
			if yield(f, nil) {
				return true
			}
			left = true
			cancel() // no worker waits any more to hand on what it found
			return false
		}
		found := make(chan *work.Found, 64)
		send := func(f *work.Found) error {
			select {
			case found <- f:
				return nil
			case <-ctx.Done():
				return work.ErrStopped
			}
		}
		if x.ctx.Err() != nil && x.opts.Halted == "" { // not a moment: however small the program, nothing is explored
			x.pool.Stop(x.ending())
		}
		err := x.roundly(func() error {
			return x.consume(found, x.launch(func() error { return x.work(send) }), deliver)
		})
		if f := x.interrupted(); f != nil && err == nil {
			deliver(f)
		}
		x.finish(err, func(f *work.Found, err error) bool { return !left && yield(f, err) })
	}
}

// launch does the work on a goroutine of its own, and returns where its error will be. Client
// code may end that goroutine.
func (x *Exploration) launch(do func() error) chan error {
	done := make(chan error, 1)
	go func() {
		work.Deepen(false)
		err := work.ErrVanished
		defer func() { done <- x.handOn(err) }()
		err = do()
	}()
	return done
}

func (x *Exploration) start() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.started.IsZero() {
		return fmt.Errorf("dpor: Histories was ranged over before: call Explore again")
	}
	x.started = time.Now()
	if f := x.opts.Resume; f != nil {
		x.before = max(f.Elapsed, 0)
	}
	return nil
}

// sampleEvery is the time between two looks at memory and at stalled clients.
const sampleEvery = 50 * time.Millisecond

// giveUpAfter is how many times in a row client code has to be seen running
// after the end of an exploration before it counts as stuck.
const giveUpAfter = 10

// consume hands on what the engine finds until it is done, and returns the
// engine's error.
func (x *Exploration) consume(found chan *work.Found, done chan error, deliver func(*work.Found) bool) error {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	over, stuck := x.ctx.Done(), 0
	due, stop := x.checkpoints()
	defer stop()
	for {
		select {
		case f := <-found:
			if !deliver(f) {
				return x.abandon(done)
			}
		case err := <-done:
			if err = x.drain(found, deliver, err); err == nil {
				err = x.lastCheckpoint()
			}
			return err
		case <-due:
			x.pool.Hold()
		case <-x.pool.Arrived:
			if err := x.checkpoint(found, deliver); err != nil {
				x.pool.Stop(work.ByCaller)
				x.pool.Release()
				x.abandon(done)
				return err
			}
		case <-over:
			over = nil
			x.pool.Stop(x.ending())
		case <-tick.C:
			x.sample()
			if x.partOver() {
				x.pool.Stop(work.ByPart)
			}
			if err := x.prog.Stalled(); err != nil {
				return err
			}
			if !x.pool.Halted() || x.prog.Busy() == "" {
				stuck = 0
			} else if stuck++; stuck == giveUpAfter {
				x.stuck = true
				return work.ErrStopped // client code does not let its worker see the halt
			}
		}
	}
}

// ending is how the end of the context ends the exploration.
func (x *Exploration) ending() work.Reason {
	if errors.Is(context.Cause(x.ctx), context.DeadlineExceeded) || errors.Is(x.ctx.Err(), context.DeadlineExceeded) {
		return work.ByTimeout
	}
	return work.ByInterrupt
}

// drain hands on what was found before the engine's end.
func (x *Exploration) drain(found chan *work.Found, deliver func(*work.Found) bool, err error) error {
	for {
		select {
		case f := <-found:
			if !deliver(f) {
				x.pool.Stop(work.ByCaller)
				return work.ErrStopped
			}
		default:
			return err
		}
	}
}

// abandon stops the workers and waits for their end, unless client code is stuck.
func (x *Exploration) abandon(done chan error) error {
	x.pool.Stop(work.ByCaller)
	for {
		select {
		case <-done:
			return work.ErrStopped
		case <-time.After(giveUpAfter * sampleEvery):
			if x.prog.Busy() != "" {
				x.stuck = true
				return work.ErrStopped
			}
		}
	}
}

// finish records how the exploration ended and yields its error.
func (x *Exploration) finish(err error, yield func(*work.Found, error) bool) {
	if stray := x.prog.Settle(); stray != nil && (err == nil || err == work.ErrVanished || err == work.ErrStopped) {
		err = stray
	}
	if err == work.ErrStopped {
		err = nil
	}
	elapsed := x.before + time.Since(x.started)
	x.sample()
	switch {
	case x.prog.Busy() == "":
		x.prog.Park()
	case x.stuck: // else the run is another exploration's of this program, within which this one looks for serial orders
		x.prog.Interrupt()
	}
	x.mu.Lock()
	x.stats.Elapsed = elapsed
	x.ended = true
	if x.prog.Busy() == "" {
		if c := x.states; c != nil {
			x.stats.Errors, x.stats.Waits, x.stats.Steps, x.stats.LeftOut = c.Errors(), c.Waits(), c.Steps(), c.LeftOut()
		}
	}
	switch reason := x.pool.Reason(); {
	case err == nil && reason == "":
		x.stats.Complete = true
	case err == nil:
		x.stats.Stopped = reason
	default:
		x.stats.Stopped = work.ByError
	}
	x.mu.Unlock()
	if err != nil {
		yield(nil, err)
	}
}

// sample notes how much memory the Go runtime has in use.
func (x *Exploration) sample() {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	used := samples[0].Value.Uint64() - samples[1].Value.Uint64()
	x.mu.Lock()
	x.stats.PeakBytes = max(x.stats.PeakBytes, used)
	x.mu.Unlock()
}
