package dpor

import (
	"math"
	"math/rand/v2"
	"time"
)

// How much of the tree an exploration has seen is not known before its end. While
// it runs the size is estimated from samples of the same tree (sample.go) beside
// the search: each gives a guess of the number of calls that is right on average,
// and how they spread says how far their mean may be off.

const (
	guessAfter = 500 * time.Millisecond // short explorations need none
	guessMost  = 1 << 10
	guessLeast = 8                     // before that the spread says nothing
	guessNear  = 0.01                  // a relative error that is small enough
	guessRest  = 20 * time.Millisecond // between samples, for the search, and
	restFactor = 5                     // no less than so many times what a sample took
)

// Guess estimates the number of calls of explore of a whole exploration.
type Guess struct {
	Calls   float64 // the mean of the samples; 0 when there is none yet
	Error   float64 // its standard error
	Samples int     // so far
}

// Range is where the number of calls lies most often, as samples of known trees
// have shown (docs/progress.md). What is rare and large is missed more often than
// met, and when it is missed the guesses are too low and spread too little: so the
// range is one of ratios, and wider than that of a mean of like numbers, most of
// all while there are few samples.
func (g Guess) Range() (least, most float64) {
	if g.Samples < guessLeast || g.Calls <= 0 {
		return 0, math.Inf(1)
	}
	errors := 4 * (1 + guessLeast/float64(g.Samples))
	ratio := math.Exp(errors * g.Error / g.Calls)
	return g.Calls / ratio, g.Calls * ratio
}

// Share is the share of the exploration that has been done, after explored calls,
// and the range in which it lies for the estimate's. Nothing is known while g is
// empty: then share is 0, and the range from 0 to 1.
func (g Guess) Share(explored int64) (share, least, most float64) {
	fewest, many := g.Range()
	if math.IsInf(many, 1) {
		return 0, 0, 1
	}
	n := float64(explored)
	of := func(calls float64) float64 {
		if calls <= n {
			return 0.99 // it is not over: the estimate is too low
		}
		return n / calls
	}
	return of(g.Calls), of(many), of(fewest)
}

// guesser takes samples and puts their guesses together. Later samples are larger,
// and count for more: by how much is settled before they are made, so that the mean
// is right on average although the chances of one follow from those before.
type guesser struct {
	*sampler
	guesses, weights []float64
}

func newGuesser(e *engine, r *rand.Rand) *guesser { return &guesser{sampler: newSampler(e, r)} }

// more makes another guess.
func (g *guesser) more() error {
	most := 256
	if n := len(g.guesses); n < 20 {
		most = 8 << (n / 4)
	}
	calls, _, err := g.sample(most)
	if err != nil {
		return err
	}
	g.guesses = append(g.guesses, calls)
	g.weights = append(g.weights, float64(most))
	return nil
}

// guess is the mean of all, with its standard error.
func (g *guesser) guess() Guess {
	var sum, weights, squares float64
	for i, w := range g.weights {
		sum += w * g.guesses[i]
		weights += w
	}
	mean := sum / weights
	for i, w := range g.weights {
		off := w * (g.guesses[i] - mean)
		squares += off * off
	}
	n := float64(len(g.guesses))
	return Guess{Calls: mean, Error: math.Sqrt(squares*n/max(1, n-1)) / weights, Samples: len(g.guesses)}
}

// guess estimates until over is closed.
func (x *Exploration) guess(e *engine, over <-chan struct{}) {
	rest := time.NewTimer(guessAfter)
	defer rest.Stop()
	g := newGuesser(e, rand.New(rand.NewPCG(5, 6)))
	for range guessMost {
		select {
		case <-over:
			return
		case <-rest.C:
		}
		began := time.Now()
		if g.more() != nil {
			return
		}
		now := g.guess()
		x.mu.Lock()
		x.stats.Guess = now
		x.mu.Unlock()
		if now.Samples >= 4*guessLeast && now.Error < guessNear*now.Calls {
			return
		}
		pause := guessRest
		if now.Samples >= guessLeast { // those before are small
			pause = max(pause, restFactor*time.Since(began))
		}
		rest.Reset(pause)
	}
}

// besides returns an engine for guesses about what first explores.
func (x *Exploration) besides(first *engine) *engine {
	return &engine{prog: x.prog, opts: x.opts, base: x.opts.Base, share: x.share, serially: first.serially, passing: first.passing, filtered: first.serially}
}

// guessing starts guess for the pass that begins. The result ends it.
func (x *Exploration) guessing() (stop func()) {
	if !x.opts.Guess || x.opts.DFS {
		return func() {}
	}
	x.opts.Guess = false // once is enough
	e := x.besides(x.workers[0])
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
