package swap

import (
	"math/rand/v2"

	"github.com/txmc/txmc/dpor/work"
)

// probeNow looks at random histories, if it is time to.
func (e *Explorer) probeNow() error {
	if e.Count.Histories != e.Probe.After {
		return nil
	}
	most := e.Probe.Most
	if e.Limit > 0 {
		most = int(min(int64(most), e.Limit-e.Counted.Load()))
	}
	s, err := e.Initial()
	if err != nil {
		return err
	}
	defer e.Recycle(s)
	l := &Random{Moves: &e.Moves, Rand: rand.New(rand.NewPCG(7, 8)), Halted: func() bool { return false }}
	tried := int64(0)
	l.take = func(s *State) error {
		tried++
		return e.tryOut(s, tried)
	}
	for range most {
		if e.Halted() {
			return nil // the search will see it
		}
		if err := l.History(s); err != nil {
			return err
		}
	}
	return nil
}

// tryOut hands on a random history if it is a violation, the one of that number.
func (e *Explorer) tryOut(s *State, number int64) error {
	if dropped(&s.H) || !e.valid(s) {
		return nil
	}
	failures, err := e.judge(e.Prog, &s.H)
	if err != nil || len(failures) == 0 {
		return err
	}
	e.Count.AddTried(number)
	f := found(&s.H, failures)
	f.Orbit = 1
	if err := e.Send(f); err != nil {
		return err
	}
	return e.Stop(work.ByViolation)
}
