package dpor

import (
	"cmp"
	"math/rand/v2"
)

// probe is how a search for the first violation looks at random histories when it has
// gone on for a while without one. A depth-first search stays long where it happens to
// begin: a violation that needs an early decision to be another one is far, however many
// histories have it. The random histories are made transaction by transaction, each of a
// random session, and read from later writers more often than from earlier ones. A history may be met
// several times, and again by the search, which counts all.
type probe struct {
	after int64 // histories of the search; 0: there is no probe
	most  int   // random histories
}

// What Options.Probes and ProbeAfter stand for when they are 0.
const (
	probeAfter = 8
	probeMost  = 100
)

// newProbe returns that of the first worker.
func (x *Exploration) newProbe() probe {
	o := &x.opts
	if o.Probes < 0 || o.All || o.List || o.DFS || o.Bound != nil || o.Resume != nil || x.prog.Grows() {
		return probe{}
	}
	return probe{int64(max(1, cmp.Or(o.ProbeAfter, probeAfter))), cmp.Or(o.Probes, probeMost)}
}

// probeNow looks at random histories, if it is time to.
func (e *explorer) probeNow() error {
	if e.count.histories != e.probe.after {
		return nil
	}
	most := e.probe.most
	if e.limit > 0 {
		most = int(min(int64(most), e.limit-e.counted.Load()))
	}
	s, err := e.initial()
	if err != nil {
		return err
	}
	defer e.recycle(s)
	l := &learner{moves: &e.moves, Rand: rand.New(rand.NewPCG(7, 8)), met: &accesses{}, halted: func() bool { return false }}
	tried := int64(0)
	l.take = func(s *state) error {
		tried++
		return e.tryOut(s, tried)
	}
	for range most {
		if e.share.halted() {
			return nil // the search will see it
		}
		if err := l.history(s); err != nil {
			return err
		}
	}
	return nil
}

// tryOut hands on a random history if it is a violation, the one of that number.
func (e *explorer) tryOut(s *state, number int64) error {
	if dropped(&s.h) || !e.valid(s) {
		return nil
	}
	failures, err := e.verdicts.judge(e.prog, &s.h)
	if err != nil || len(failures) == 0 {
		return err
	}
	e.count.addTried(number)
	f := found(&s.h, failures)
	f.Orbit = 1
	if err := e.send(f); err != nil {
		return err
	}
	return e.stop(ByViolation)
}

// addTried counts the random histories up to one that is a violation.
func (c *counts) addTried(number int64) {
	c.histories += number
	c.endStates += number
	c.permuted += number
	c.violations++
	c.permutedViolations++
}
