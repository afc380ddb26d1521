package dpor

import (
	"errors"
	"sync"

	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// An exploration takes the sets of sessions that it is given for alike until it meets
// what tells two of them apart. Then it begins again with smaller sets, as often as it
// takes: each time a set falls into two. What it has handed on by then is not handed on
// again.

// symmetric is the symmetry of an exploration.
type symmetric struct {
	now *orbit.Symmetry // nil: none
	off []string

	engine Engine // without symmetry
	base   isolation.Level

	mu      sync.Mutex
	anew    bool // it has begun again
	handed  map[string]bool
	given   []states.Outcome // under the model of a database: what was handed on
	wanting bool             // what is handed on has to be remembered
	looking bool             // also without sets: see looks.go
	parts   [][]program.Met
	misfit  error
}

// sets are those of sessions that are taken for alike.
func (y *symmetric) sets() [][]int { return y.now.Sets() }

// beginSymmetry begins with the sets of the options, where an engine can use them; swaps
// says that the engine Swap was asked for.
func (x *Exploration) beginSymmetry(swaps bool) {
	o, y := &x.opts, &x.symmetric
	sets := o.Symmetric
	if o.Bound != nil {
		return
	}
	if x.looks != nil {
		y.looking, y.wanting, y.handed = true, o.All || o.List, map[string]bool{}
	}
	var before *Alike
	if o.Resume != nil {
		before = o.Resume.Symmetry
	}
	switch why := x.noSymmetry(); {
	case before != nil && why == "":
		if y.misfit = x.resumeSymmetry(before); !o.Resume.Untouched {
			sets = before.Sets
		}
		if y.misfit == nil && !orbit.Valid(sets, x.prog) {
			y.misfit = work.Misfit("sessions are said to be alike that are not there")
		}
		if y.misfit != nil {
			return
		}
	case len(sets) == 0:
		return
	case why == "" && o.Resume != nil && !o.Resume.Untouched:
		why = "it was begun on a cluster, or without symmetry: all histories are explored"
		fallthrough
	case why != "":
		y.off = []string{why}
		return
	default:
		y.wanting, y.handed = (o.All || o.List) && o.Part == nil, map[string]bool{}
	}
	if y.handed = y.renamed(); len(sets) == 0 {
		return
	}
	y.engine, y.base = o.Engine, o.Base
	if o.Engine != States && !swaps {
		o.Engine, o.Base = Serial, o.Level.Base()
	}
	y.now = orbit.New(x.prog, sets, compared(o.Engine))
	y.handed = y.renamed()
}

// noSymmetry says why all histories are explored, or "".
func (x *Exploration) noSymmetry() string {
	switch o := &x.opts; {
	case o.Engine == States && o.Ways:
		return "where executions are counted, and not outcomes, all are explored"
	case x.prog.Grows():
		return "of a program whose statements a database evaluates all histories are explored"
	case o.DFS:
		return "the baseline without reduction explores all histories"
	}
	return ""
}

// symmetrically explores, and again with smaller sets when sessions turn out to differ.
func (x *Exploration) symmetrically(round func() error) error {
	for {
		err := round()
		if errors.Is(err, states.ErrLooked) {
			if err := x.again(); err != nil {
				return err
			}
			continue
		}
		var d *program.Difference
		if x.symmetric.now == nil || !errors.As(err, &d) {
			return err
		}
		if x.opts.Part != nil {
			return x.opts.Checkpoint(&Frontier{Engine: x.opts.Engine, Symmetry: &Alike{Sets: x.symmetric.sets(), Apart: d}})
		}
		if err := x.apart(d); err != nil {
			return err
		}
	}
}

// apart lets the exploration begin again, with the two sessions in different sets.
func (x *Exploration) apart(d *program.Difference) error {
	sets := orbit.Separate(x.symmetric.sets(), d)
	x.mu.Lock()
	x.symmetric.now, x.symmetric.off = orbit.New(x.prog, sets, compared(x.opts.Engine)), append(x.symmetric.off, d.What)
	x.symmetric.anew, x.symmetric.handed = true, x.symmetric.renamed()
	if x.symmetric.now == nil {
		x.opts.Engine, x.opts.Base = x.symmetric.engine, x.symmetric.base
	}
	x.mu.Unlock()
	return x.renew()
}

// repeats reports whether a history was handed on before the exploration began again,
// or an image of it.
func (y *symmetric) repeats(f *work.Found, prog *program.Client) bool {
	if !y.wanting {
		return false
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if f.History == nil {
		return y.repeatsOutcome(f, prog)
	}
	name := orbit.Name(f.History)
	if y.anew && len(y.handed) > 0 {
		for other := range y.now.Names(f.History) {
			if y.handed[other] {
				return true
			}
		}
	}
	if y.now != nil {
		y.handed[name] = true
	}
	return false
}

// compared is how an engine compares the executions of an orbit.
func compared(e Engine) orbit.Criterion {
	switch e {
	case States:
		return orbit.ByCopies
	case Swap:
		return orbit.BySwaps
	}
	return orbit.ByDecisions
}
