package dpor

import (
	"errors"
	"sync/atomic"
)

// errStopped ends an exploration early; share.halt has the reason.
var errStopped = errors.New("exploration stopped")

// counts are a worker's own counters; published copies are for others.
type counts struct {
	histories, endStates, explored, blocked, violations int64
	permuted, permutedViolations                        int64 // histories and violations, with their images
}

// aloneFor is how many calls of explore the first worker makes before it gives
// anything away. It keeps what is found first, and with it the report of a small
// program, the same in every run.
const aloneFor = 8192

// publishEvery is how many calls of explore pass between two publications of the
// counts.
const publishEvery = 256

// worker runs an algorithm on one goroutine. It counts the calls, and shares,
// pauses and stops between two of them.
type worker struct {
	algorithm algorithm
	share     *share
	alone     int64 // calls before it gives anything away
	most      int64 // calls before it stops the exploration; 0: no limit
	mostIs    Reason
	resumable bool // what is left when it stops is wanted
	// undecided is what to do after so many calls, before another engine could explore
	// instead; nil when that is decided.
	undecided  func() error
	trialCalls int64

	count     counts
	left      []Subtree // work that is left at a pause or a stop
	again     counts    // the part of count that left counts again
	published [8]atomic.Int64
}

// begin explores everything, and then what other workers give away.
func (w *worker) begin() error {
	t, err := w.algorithm.all()
	if err != nil {
		return err
	}
	if err := w.algorithm.do(t); err != nil {
		w.publish(t.depth())
		return err
	}
	return w.run()
}

// run does tasks until the exploration is over.
func (w *worker) run() error {
	defer w.publish(0)
	for t := w.share.await(); t != nil; t = w.share.await() {
		if err := w.do(t); err != nil {
			return err
		}
	}
	return nil
}

// do does a task. One that another process has left is restored first.
func (w *worker) do(t task) error {
	sub, stored := t.(*Subtree)
	if !stored {
		return w.algorithm.do(t)
	}
	if w.share.halt.Load() != nil {
		w.left = append(w.left, *sub)
		return errStopped
	}
	t, err := w.algorithm.restore(sub)
	if err != nil {
		return err
	}
	return w.algorithm.do(t)
}

// enter counts a call of explore with so many transactions in the history. It
// reports whether another worker or the exploration wants something: the caller
// calls attend then.
func (w *worker) enter(depth int) (wanted bool) {
	w.count.explored++
	if w.count.explored%publishEvery == 0 {
		w.publish(depth)
		if w.most > 0 && w.count.explored >= w.most {
			w.share.stop(w.mostIs)
		}
	}
	return w.share.alert.Load() != 0 || w.decides()
}

// decides reports whether the engine has to be decided on.
func (w *worker) decides() bool { return w.undecided != nil && w.count.explored >= w.trialCalls }

// attend stops, pauses or shares, as is wanted.
func (w *worker) attend() error {
	if w.share.halt.Load() != nil {
		w.leave()
		return errStopped
	}
	if w.decides() {
		if err := w.undecided(); err != nil {
			return err
		}
	}
	if w.share.wanted.Load() {
		if err := w.pause(); err != nil {
			return err
		}
	}
	if w.count.explored > w.alone {
		w.giveAway()
	}
	return nil
}

// giveAway hands the oldest work that is left to the workers that wait.
func (w *worker) giveAway() {
	for w.share.wants() {
		t := w.algorithm.split()
		if t == nil {
			return
		}
		w.share.put(t)
	}
}

// leave notes what is left when the exploration stops before a call.
func (w *worker) leave() {
	if w.resumable {
		w.left, w.again = w.algorithm.remaining(), counts{explored: 1}
	}
}

// stop ends the exploration for all workers; the first reason counts.
func (w *worker) stop(r Reason) error {
	w.share.stop(r)
	return errStopped
}

func (w *worker) publish(depth int) {
	c := &w.count
	for i, v := range [...]int64{c.histories, c.endStates, c.explored, c.blocked, c.violations, int64(depth), c.permuted, c.permutedViolations} {
		w.published[i].Store(v)
	}
}
