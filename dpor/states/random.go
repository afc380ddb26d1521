package states

import (
	"math/rand/v2"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation/model"
)

// Under the model of a database a search for the first violation looks at random executions
// when it has visited some states without a violation. probe does the same with random
// histories. Each step is one of the choices that there are. A session that has begun to run
// goes on more often than not: few switches show most mistakes.

// goesOn is how often of ten times the session of the last step makes the next one.
const goesOn = 6

// walk looks at random executions, once.
func (e *Engine) walk() error {
	present := e.path
	defer func() { e.path = present }()
	first, err := e.first()
	if err != nil {
		return err
	}
	e.enable(first)
	e.path = path{states: []*state{first}}
	most := e.Probe.Most
	e.Probe = work.Probe{}
	if l := e.delivery.Limit; l > 0 {
		most = int(min(int64(most), l-e.delivery.Counted.Load()))
	}
	random := rand.New(rand.NewPCG(7, 8))
	for number := range most {
		if e.Halted() {
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
func (e *Engine) atRandom(random *rand.Rand) (depth int, err error) {
	for ; ; depth++ {
		m := e.states[depth]
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
func (e *Engine) tryOut(depth int, number int64) error {
	m := e.states[depth]
	for _, n := range m.nodes {
		if n.Dropped {
			return nil
		}
	}
	failures, err := e.judge(m)
	if err != nil || len(failures) == 0 {
		return err
	}
	e.Count.AddTried(number)
	e.tally(m.nodes)
	found := e.found(depth, failures)
	found.Orbit = 1
	if err := e.delivery.Send(found); err != nil {
		return err
	}
	return e.Stop(work.ByViolation)
}
