// Package dpor explores the histories or executions of a client program at an isolation level: it
// runs one of three engines, with workers, from a beginning or a checkpoint to an end or a limit.
//
//	swap      explore-ce and explore-ce* of the paper, and DFS(I)
//	serial    whole transactions one after another, for PC, SI and SER
//	states    the states of a database's model
//	orbit     permutations of sessions that are alike
//	work      tasks, workers, limits, estimates: what knows no algorithm
//
// What is here knows no step of an algorithm: which engine explores (auto.go, trial.go), that it
// begins again (rounds.go, symmetric.go), what is left of it as data (frontier.go, part.go,
// join.go, restore.go), and what it has found (deliver.go).
package dpor

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"time"

	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/serial"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
)

// Exploration is one exploration of a client program at one level.
type Exploration struct {
	ctx      context.Context
	prog     *program.Client
	opts     Options
	pool     *work.Pool
	delivery *work.Delivery
	common
	estimating
	beginning
	rounds    rounds
	symmetric symmetric
	status
}

// common is what the workers of an engine know together.
type common struct {
	passes  *serial.Exploration // of the serial engine, nil for others
	states  *states.Exploration // of the engine States, nil for others
	regions []work.Subtree      // likewise, of a part that has divided its own
	looks   *model.Looks        // likewise: what statements have looked at; nil: all counts
}

// estimating is how far the size of an exploration is known before it runs.
type estimating struct {
	estimated bool   // its size has been estimated
	estimates func() // ends the estimates under way; nil when there are none
	sizing    bool   // it is only estimated
	trial     *trial // of auto; nil when the engine was known
}

// beginning is whether and when an exploration has begun.
type beginning struct {
	began   bool // there is something to checkpoint
	beganAt time.Time
}

// status is what is known of an exploration while it runs.
type status struct {
	mu      sync.Mutex
	started time.Time
	before  time.Duration // spent by the explorations that this one resumes
	ended   bool
	stuck   bool  // client code did not let the workers end
	stats   Stats // all but the workers' counts
}

// Explore prepares an exploration; ranging over [Exploration.Histories] runs it.
// The end of ctx ends it: a deadline as a timeout, anything else as an
// interrupt. Options.Base must be implied by the base of Options.Level.
func Explore(ctx context.Context, prog *program.Client, opts Options) *Exploration {
	swaps := opts.Engine == Swap
	if opts.Level.Database() != isolation.NoDatabase {
		opts.Engine, opts.Base, opts.DFS = States, opts.Level, false
	}
	if base := opts.Level.Base(); !base.Implies(opts.Base) {
		opts.Base = base
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.DFS || opts.Bound != nil || opts.Part.divides() {
		opts.Workers = 1
	}
	if opts.Engine == "" || opts.DFS || opts.Level.CausallyExtensible() && opts.Engine != States {
		opts.Engine = Swap
	}
	if opts.Engine == Serial || opts.Engine == Auto {
		opts.Base = isolation.CC
	}
	if prog.Grows() {
		// A checkpoint does not say which rows are known. Where the histories that are
		// limited are found, all rounds have to find the same ones.
		opts.Checkpoint, opts.Resume = nil, nil
		if opts.MaxHistories > 0 {
			opts.Workers = 1
		}
	}
	x := &Exploration{ctx: ctx, prog: prog, opts: opts}
	x.beginLooks()
	x.beginSymmetry(swaps)
	x.rounds.silent = prog.Grows() && (opts.All || opts.List) && opts.Engine != States
	x.hire()
	return x
}

// hire makes workers that have done nothing.
func (x *Exploration) hire() {
	o := &x.opts
	l := work.Limits{ShareAtOnce: o.ShareAtOnce, Resumable: o.Checkpoint != nil}
	if o.Bound != nil {
		l.Calls, l.Reason = o.Bound.Calls, work.ByBound
	}
	if o.Part != nil && o.Part.Calls > 0 && !o.Part.divides() {
		l.Calls, l.Reason = (o.Part.Calls+int64(o.Workers)-1)/int64(o.Workers), work.ByPart
	}
	x.pool = work.NewPool(o.Workers, l)
	x.states = nil
	x.delivery = &work.Delivery{All: o.All || x.rounds.silent, List: o.List, Limit: o.MaxHistories}
	x.stats.Engine = o.Engine
}

// moves returns the moves of a worker.
func (x *Exploration) moves() swap.Moves {
	o := &x.opts
	var bound *work.NodeLimit
	if o.Bound != nil {
		bound = x.pool.LimitNodes(o.Bound.Nodes)
	}
	return swap.Moves{
		Prog: x.prog, Level: o.Level, Base: o.Base,
		Filtered:  o.Base == isolation.CC && !o.Level.CausallyExtensible() && !o.DFS,
		Exclusive: o.Level.Implies(isolation.SI),
		Checked:   o.DFS,
		Bound:     bound,
		Symmetry:  x.symmetric.now,
		Following: orbit.NewFollowing(x.symmetric.now.Group(orbit.BySwaps), x.prog.Sessions()),
		Newest:    o.Newest,
	}
}

// assign gives every worker its algorithm.
func (x *Exploration) assign(engine Engine) {
	if engine == States {
		x.assignStates()
		return
	}
	for i, w := range x.pool.Workers {
		e := swap.Explorer{Worker: w, Moves: x.moves(), Outlet: swap.Outlet{Delivery: x.delivery, Representatives: orbit.Representatives{Group: x.symmetric.now.Group(orbit.BySwaps)}}}
		if i == 0 {
			e.Probe = x.newProbe()
		}
		switch {
		case x.opts.DFS:
			w.Algorithm = swap.NewDFS(e, x.opts.Near, x.opts.Deviations)
		case engine == Serial:
			w.Algorithm = x.passes.Engine(e, x.opts.ablation, x.opts.Base.Implies(isolation.RA))
		default:
			w.Algorithm = swap.New(e)
		}
	}
}

// assignStates gives every worker the engine over the model of a database.
func (x *Exploration) assignStates() {
	o := &x.opts
	x.states = (&states.Exploration{Ctx: x.ctx, Prog: x.prog, Symmetry: x.symmetric.now, Pinned: o.Part != nil, Delivery: x.delivery, Looks: x.looks,
		Rules:  states.Rules{Level: o.Level, OneLevel: o.OneLevel, Races: !o.NoRaces, Steps: o.Steps},
		Extent: states.Extent{Probe: x.newWalk(), Bounded: o.Near, Most: o.Deviations, Whole: o.Whole, Switches: o.Switches, Every: o.everyPath || o.Ways, Ways: o.Ways},
		ExploreSerial: func(prog *program.Client, whole bool) iter.Seq2[*work.Found, error] {
			return Explore(x.ctx, prog, Options{Level: o.Level, Selection: Selection{Near: true, Whole: whole}, All: true, List: true, Workers: 1}).Histories()
		}}).Prepare()
	for _, w := range x.pool.Workers {
		w.Algorithm = x.states.Engine(w)
	}
}

// work explores, in several passes if the engine needs them.
func (x *Exploration) work(send func(*work.Found) error) error {
	x.delivery.Send = x.hold(x.handing(send))
	err := x.ready()
	if x.opts.Halted != "" {
		x.pool.Stop(x.opts.Halted)
	}
	going := func() bool { return err == nil && !x.pool.Halted() }
	for again := going(); again; {
		x.pool.Reopen()
		err = x.pass()
		// A pass that was stopped goes on from its checkpoint with what it knows. A
		// pass that has been prepared is begun: so a checkpoint has its beginning.
		again = going() && x.passes != nil && x.opts.Part == nil && x.passes.Next()
	}
	return err
}

// handOn hands on what a trial has held back until the end.
func (x *Exploration) handOn(err error) error {
	if x.trial == nil {
		return err
	}
	if late := x.trial.release(x.delivery.Send); err == nil && late != work.ErrStopped {
		return late
	}
	return err
}

// ready lets the workers begin, or go on with what another process has left.
func (x *Exploration) ready() error {
	switch f := x.opts.Resume; {
	case f == nil:
	case f.Untouched:
		if err := x.fits(f); err != nil {
			return err
		}
		if err := x.renumber(f); err != nil {
			return err
		}
		x.opts.Resume = nil
	default:
		return x.pool.Run(1, func(int) error { return x.resume(f) })
	}
	if x.opts.Engine == Swap || x.opts.Engine == States {
		x.assign(x.opts.Engine)
		return nil
	}
	if x.learned() != nil && x.triesInPassing() { // no client code will run
		return x.prepare(x.opts.Engine)
	}
	return x.alone(func(int) error { return x.prepare(x.opts.Engine) })
}

// prepare learns what the serial engine has to know, and decides on an engine if
// that is left open.
func (x *Exploration) prepare(engine Engine) (err error) {
	m := x.moves()
	p, err := x.beginPasses(&m)
	if err != nil {
		return err
	}
	why := ""
	if engine == Auto {
		if engine, why, err = x.beginTrial(&m, p); err != nil {
			return err
		}
	}
	if engine == Serial {
		x.passes = p
	}
	x.assign(engine)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stats.Engine, x.stats.Why = engine, why
	return nil
}

// divide explores a part of the region of a frontier: see Part.Divide.
func (x *Exploration) divide(f *Frontier) (err error) {
	var base *states.Memory
	var list []work.Subtree
	if f != nil {
		base, list = f.Memory, f.Subtrees
	}
	x.pool.Clear()
	x.regions, err = x.states.Divide(x.opts.Part.Divide, base, list)
	return err
}

// pass lets all workers explore until there is nothing left.
func (x *Exploration) pass() error {
	from := x.opts.Resume
	begin := from == nil
	x.opts.Resume = nil // the passes that follow begin at the beginning
	x.mu.Lock()
	x.began, x.beganAt = true, time.Now()
	x.mu.Unlock()
	if x.states != nil && x.opts.Part.divides() {
		return x.pool.Run(1, func(int) error { return x.divide(from) })
	}
	x.beginEstimate()
	defer x.endEstimate()
	work := func(i int) error {
		if i == 0 && begin {
			err := x.pool.Workers[0].Begin()
			if err == errSwap {
				err = x.swapInstead()
			}
			return err
		}
		return x.pool.Workers[i].Run()
	}
	if len(x.pool.Workers) == 1 {
		return x.alone(work)
	}
	return x.pool.Run(len(x.pool.Workers), work)
}

// alone is run for one worker, on the goroutine of [Exploration.launch].
func (x *Exploration) alone(do func(i int) error) error {
	if x.sizing {
		return x.pool.Run(1, do)
	}
	return x.pool.Guard(0, do)
}

// Stats returns the counts so far; it may be called at any time, also from other
// goroutines while the exploration runs.
func (x *Exploration) Stats() Stats {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.stats
	if x.prog.UsesBackend() && !x.ended {
		s.Round = x.rounds.number + 1
	}
	sum, depth := x.pool.Published()
	s.Counts.Add(sum.Counts)
	s.Depth = max(s.Depth, depth)
	s.Symmetry.Histories += sum.Permuted
	s.Symmetry.Violations += sum.PermutedViolations
	s.Symmetry.Sets, s.Symmetry.Off = x.symmetric.sets(), x.symmetric.off
	if !x.ended && !x.started.IsZero() {
		s.Elapsed = x.before + time.Since(x.started)
	}
	return s
}
