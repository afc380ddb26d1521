package work

import (
	"errors"
	"sync/atomic"
)

// ErrStopped ends an exploration early; [Pool.Reason] has the reason.
var ErrStopped = errors.New("exploration stopped")

// AloneFor is how many calls of explore the first worker makes before it gives
// anything away. It keeps what is found first, and with it the report of a small
// program, the same in every run.
const AloneFor = 8192

// publishEvery is how many calls of explore pass between two publications of the
// counts.
const publishEvery = 256

// Worker runs an algorithm on one goroutine. It counts the calls, and shares,
// pauses and stops between two of them.
type Worker struct {
	Algorithm Algorithm
	pool      *Pool
	Alone     int64 // calls before it gives anything away
	most      int64 // calls before it stops the exploration; 0: no limit
	mostIs    Reason
	resumable bool // what is left when it stops is wanted
	// Undecided is what to do after so many calls, before another engine could explore
	// instead; nil when that is decided.
	Undecided  func() error
	TrialCalls int64

	Count     Totals
	left      []Subtree // work that is left at a pause or a stop
	Again     Counts    // the part of count that left counts again
	published [8]atomic.Int64
}

// Begin explores everything, and then what other workers give away.
func (w *Worker) Begin() error {
	t, err := w.Algorithm.All()
	if err != nil {
		return err
	}
	if err := w.Algorithm.Do(t); err != nil {
		w.publish(t.Depth())
		return err
	}
	return w.Run()
}

// Run does tasks until the exploration is over.
func (w *Worker) Run() error {
	defer w.publish(0)
	for t := w.pool.await(); t != nil; t = w.pool.await() {
		if err := w.Do(t); err != nil {
			return err
		}
	}
	return nil
}

// Do does a task. One that another process has left is restored first.
func (w *Worker) Do(t Task) error {
	sub, stored := t.(*Subtree)
	if !stored {
		return w.Algorithm.Do(t)
	}
	if w.pool.halt.Load() != nil {
		w.left = append(w.left, *sub)
		return ErrStopped
	}
	t, err := w.Algorithm.Restore(sub)
	if err != nil {
		return err
	}
	return w.Algorithm.Do(t)
}

// Enter counts a call of explore with so many transactions in the history. It
// reports whether another worker or the exploration wants something: the caller
// calls attend then.
func (w *Worker) Enter(depth int) (wanted bool) {
	w.Count.Explored++
	if w.Count.Explored%publishEvery == 0 {
		w.publish(depth)
		if w.most > 0 && w.Count.Explored >= w.most {
			w.pool.Stop(w.mostIs)
		}
	}
	return w.pool.alert.Load() != 0 || w.decides()
}

// decides reports whether the engine has to be decided on.
func (w *Worker) decides() bool { return w.Undecided != nil && w.Count.Explored >= w.TrialCalls }

// Attend stops, pauses or shares, as is wanted.
func (w *Worker) Attend() error {
	if w.pool.halt.Load() != nil {
		w.Leave()
		return ErrStopped
	}
	if w.decides() {
		if err := w.Undecided(); err != nil {
			return err
		}
	}
	if w.pool.wanted.Load() {
		if err := w.pause(); err != nil {
			return err
		}
	}
	if w.Count.Explored > w.Alone {
		w.giveAway()
	}
	return nil
}

// Halted reports whether the exploration was stopped.
func (w *Worker) Halted() bool { return w.pool.Halted() }

// Reason is why the exploration was stopped; "" when it was not.
func (w *Worker) Reason() Reason { return w.pool.Reason() }

// giveAway hands the oldest work that is left to the workers that wait.
func (w *Worker) giveAway() {
	for w.pool.wants() {
		t := w.Algorithm.Split()
		if t == nil {
			return
		}
		w.pool.put(t)
	}
}

// Leave notes what is left when the exploration stops before a call.
func (w *Worker) Leave() {
	if w.resumable {
		w.left, w.Again = w.Algorithm.Remaining(), Counts{Explored: 1}
	}
}

// Stop ends the exploration for all workers; the first reason counts.
func (w *Worker) Stop(r Reason) error {
	w.pool.Stop(r)
	return ErrStopped
}

func (w *Worker) publish(depth int) {
	c := &w.Count
	for i, v := range [...]int64{c.Histories, c.EndStates, c.Explored, c.Blocked, c.Violations, int64(depth), c.Permuted, c.PermutedViolations} {
		w.published[i].Store(v)
	}
}
