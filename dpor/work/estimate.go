package work

import (
	"math"
	"math/rand/v2"
	"time"
)

// How much of the tree an exploration has seen is not known before its end. While
// it runs, samples of the same tree (sample.go) estimate its size. Each sample
// gives a number of calls that is right on average. The spread of the samples says
// how far their mean may be off.

const (
	estimateAfter = 500 * time.Millisecond // short explorations need none
	estimateMost  = 1 << 10
	estimateNear  = 0.01                  // a relative error that is small enough
	estimateRest  = 20 * time.Millisecond // between samples, for the search, and
	restFactor    = 5                     // no less than so many times what a sample took
)

// FewSamples is how many samples there are before their spread says anything.
const FewSamples = 8

// Estimate is an estimate of the number of calls of explore of a whole exploration.
type Estimate struct {
	Calls   float64 // the mean of the samples; 0 when there is none yet
	Error   float64 // its standard error
	Samples int     // so far
}

// Range returns bounds between which the number of calls lies most often, as
// samples of known trees have shown (docs/progress.md). Samples miss a rare large
// subtree more often than they meet it, and samples that miss it are too low and
// spread too little. Therefore the bounds are ratios, and wider than those of a
// mean of like numbers, most of all while there are few samples.
func (a Estimate) Range() (least, most float64) {
	if a.Samples < FewSamples || a.Calls <= 0 {
		return 0, math.Inf(1)
	}
	errors := 4 * (1 + FewSamples/float64(a.Samples))
	ratio := math.Exp(errors * a.Error / a.Calls)
	return a.Calls / ratio, a.Calls * ratio
}

// Share returns the share of the exploration that explored calls are, and its
// bounds by Range. While g is empty nothing is known: the share is 0, and the
// bounds are 0 and 1.
func (a Estimate) Share(explored int64) (share, least, most float64) {
	fewest, many := a.Range()
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
	return of(a.Calls), of(many), of(fewest)
}

// Estimator puts samples together. Later samples are larger, and count for more:
// by a weight that is settled before the sample is made. So the mean is right on
// average although the chances of a sample follow from the samples before.
type Estimator struct {
	*Sampler
	samples, weights []float64
}

// NewEstimator estimates the size of a tree until it is halted.
func NewEstimator(t Tree, r *rand.Rand, halted func() bool) *Estimator {
	return &Estimator{Sampler: NewSampler(t, r, halted)}
}

// More adds a sample.
func (g *Estimator) More() error {
	most := 256
	if n := len(g.samples); n < 20 {
		most = 8 << (n / 4)
	}
	calls, _, err := g.Sample(most)
	if err != nil {
		return err
	}
	g.samples = append(g.samples, calls)
	g.weights = append(g.weights, float64(most))
	return nil
}

// Estimate returns the mean of all samples, with its standard error.
func (g *Estimator) Estimate() Estimate {
	var sum, weights, squares float64
	for i, w := range g.weights {
		sum += w * g.samples[i]
		weights += w
	}
	mean := sum / weights
	for i, w := range g.weights {
		off := w * (g.samples[i] - mean)
		squares += off * off
	}
	n := float64(len(g.samples))
	return Estimate{Calls: mean, Error: math.Sqrt(squares*n/max(1, n-1)) / weights, Samples: len(g.samples)}
}

// Until adds samples until over is closed, or the estimate is good enough, and says what it is
// after each.
func (g *Estimator) Until(over <-chan struct{}, say func(Estimate)) {
	rest := time.NewTimer(estimateAfter)
	defer rest.Stop()
	for range estimateMost {
		select {
		case <-over:
			return
		case <-rest.C:
		}
		began := time.Now()
		if g.More() != nil {
			return
		}
		now := g.Estimate()
		say(now)
		if now.Samples >= 4*FewSamples && now.Error < estimateNear*now.Calls {
			return
		}
		pause := estimateRest
		if now.Samples >= FewSamples { // those before are small
			pause = max(pause, restFactor*time.Since(began))
		}
		rest.Reset(pause)
	}
}
