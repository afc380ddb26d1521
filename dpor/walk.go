package dpor

import (
	"cmp"
	"math/rand/v2"

	"github.com/txmc/txmc/isolation/model"
)

// Under the model of a database a search for the first violation looks at random executions
// when it has visited some states without a violation. probe does the same with random
// histories. Each step is one of the choices that there are. A session that has begun to run
// goes on more often than not: few switches show most mistakes.

// What Options.Probes and ProbeAfter stand for when they are 0.
const (
	walkAfter = 100 // states
	walkMost  = 100
)

// goesOn is how often of ten times the session of the last step makes the next one.
const goesOn = 6

// newWalk returns that of the first worker.
func (x *Exploration) newWalk() probe {
	o := &x.opts
	if o.Probes < 0 || o.All || o.List || o.Part != nil || o.Resume != nil || o.Near || o.Whole || o.Switches > 0 || o.everyPath || o.Ways {
		return probe{}
	}
	return probe{int64(max(1, cmp.Or(o.ProbeAfter, walkAfter))), cmp.Or(o.Probes, walkMost)}
}

// walk looks at random executions, once.
func (e *states) walk() error {
	present := e.path
	defer func() { e.path = present }()
	first, err := e.first()
	if err != nil {
		return err
	}
	e.enable(first)
	e.path = path{moments: []*moment{first}}
	most := e.probe.most
	e.probe = probe{}
	if l := e.delivery.limit; l > 0 {
		most = int(min(int64(most), l-e.delivery.counted.Load()))
	}
	random := rand.New(rand.NewPCG(7, 8))
	for number := range most {
		if e.share.halted() {
			return nil // the search will see it
		}
		depth, err := e.atRandom(random)
		if err != nil {
			return err
		}
		if err := e.tryOut(depth, int64(number+1)); err != nil {
			return err
		}
	}
	return nil
}

// atRandom takes choices until none is left, and returns how many there were.
func (e *states) atRandom(random *rand.Rand) (depth int, err error) {
	for ; ; depth++ {
		m := e.moments[depth]
		if len(m.choices) == 0 {
			return depth, nil
		}
		m.next = 1 + random.IntN(len(m.choices))
		if random.IntN(10) < goesOn {
			for i, c := range m.choices {
				if c.Kind == model.RunSession && int(c.N) == m.last {
					m.next = 1 + i
				}
			}
		}
		n := e.at(depth + 1)
		n.copyFrom(m)
		e.steps++
		if err := e.step(n, m.taken()); err != nil {
			return 0, err
		}
	}
}

// tryOut hands on the outcome of a random execution if it is a violation, that of that number.
func (e *states) tryOut(depth int, number int64) error {
	m := e.moments[depth]
	for _, n := range m.nodes {
		if n.Dropped {
			return nil
		}
	}
	failures, err := e.judge(m)
	if err != nil || len(failures) == 0 {
		return err
	}
	e.count.addTried(number)
	e.tally(m.nodes)
	found := e.found(depth, failures)
	found.Orbit = 1
	if err := e.delivery.send(found); err != nil {
		return err
	}
	return e.stop(ByViolation)
}
