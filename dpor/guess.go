package dpor

import (
	"math"
	"math/rand/v2"
	"time"
)

// How much of the tree an exploration has seen is not known before its end. While
// it runs the size is estimated, by Knuth's method as in estimate.go, from random
// descents in the same tree beside the search: each gives a guess of the number of
// calls that is right on average, and how they spread says how far their mean may
// be off.

const (
	guessAfter = 500 * time.Millisecond // short explorations need none
	guessBatch = 64
	guessMost  = 1 << 15
	guessRest  = 20 * time.Millisecond // between batches, for the search
)

// Guess estimates the number of calls of explore of a whole exploration.
type Guess struct {
	Calls float64 // the mean of the descents; 0 when there is none yet
	Error float64 // its standard error
	Paths int     // descents so far
}

// Share is the share of the exploration that has been done, after explored calls,
// and the range in which it lies if the estimate is off by twice its error. Nothing
// is known while g is empty: then share is 0, and the range from 0 to 1.
func (g Guess) Share(explored int64) (share, least, most float64) {
	if g.Paths < guessBatch || g.Calls <= 0 {
		return 0, 0, 1
	}
	n := float64(explored)
	of := func(calls float64) float64 {
		if calls <= n {
			return 0.99 // it is not over: the estimate is too low
		}
		return n / calls
	}
	return of(g.Calls), of(g.Calls + 2*g.Error), of(g.Calls - 2*g.Error)
}

// guess estimates until over is closed.
func (x *Exploration) guess(e *engine, over <-chan struct{}) {
	rest := time.NewTimer(guessAfter)
	defer rest.Stop()
	var sum, squares float64
	r := rand.New(rand.NewPCG(5, 6))
	for n := 0; n < guessMost; {
		select {
		case <-over:
			return
		case <-rest.C:
		}
		for range guessBatch {
			calls, err := e.descent(r)
			if err != nil || e.share.halt.Load() != nil {
				return
			}
			sum += calls
			squares += calls * calls
			n++
		}
		mean := sum / float64(n)
		variance := max(0, squares/float64(n)-mean*mean)
		x.mu.Lock()
		x.stats.Guess = Guess{Calls: mean, Error: math.Sqrt(variance / float64(n-1)), Paths: n}
		x.mu.Unlock()
		rest.Reset(guessRest)
	}
}

// descent makes one random descent and returns what it guesses.
func (e *engine) descent(r *rand.Rand) (float64, error) {
	s, err := e.initial()
	if err != nil {
		return 0, err
	}
	defer e.give(s)
	g := &estimator{engine: e, Rand: r, weight: 1}
	if e.serially {
		err = g.serial(s)
	} else {
		err = g.swap(s)
	}
	return g.calls, err
}

// guessing starts guess for the pass that begins. The result ends it.
func (x *Exploration) guessing() (stop func()) {
	if !x.opts.Guess || x.opts.DFS {
		return func() {}
	}
	x.opts.Guess = false // once is enough
	first := x.workers[0]
	e := &engine{prog: x.prog, opts: x.opts, base: x.opts.Base, share: x.share, serially: first.serially, passing: first.passing, filtered: first.serially}
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		x.guess(e, over)
	}()
	return func() {
		close(over)
		<-done
	}
}
