package dpor

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"golang.org/x/sync/errgroup"
)

// Exploration is one exploration of a client program at one level.
type Exploration struct {
	ctx      context.Context
	prog     *program.Client
	opts     Options
	share    *share
	workers  []*worker
	delivery *delivery
	common
	estimating
	beginning
	rounds    rounds
	symmetric symmetric
	status
}

// common is what the workers of an engine know together.
type common struct {
	passes   *passes   // of the serial engine, nil for others
	memory   *memory   // of the engine States
	regions  []Subtree // likewise, of a part that has divided its own
	serially *serially
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
	x.beginSymmetry(swaps)
	x.rounds.silent = prog.Grows() && (opts.All || opts.List) && opts.Engine != States
	x.hire()
	return x
}

// hire makes workers that have done nothing.
func (x *Exploration) hire() {
	o := &x.opts
	x.share = newShare(o.Workers)
	x.serially = newSerially(x)
	x.delivery = &delivery{all: o.All || x.rounds.silent, list: o.List, limit: o.MaxHistories}
	x.stats.Engine = o.Engine
	x.workers = nil
	for i := range o.Workers {
		w := &worker{share: x.share, resumable: o.Checkpoint != nil}
		if o.Bound != nil {
			w.most, w.mostIs = o.Bound.Calls, ByBound
		}
		if o.Part != nil && o.Part.Calls > 0 && !o.Part.divides() {
			w.most, w.mostIs = (o.Part.Calls+int64(o.Workers)-1)/int64(o.Workers), ByPart
		}
		if i == 0 && !o.ShareAtOnce {
			w.alone = aloneFor
		}
		x.workers = append(x.workers, w)
	}
}

// moves returns the moves of a worker.
func (x *Exploration) moves() moves {
	o := &x.opts
	return moves{
		prog: x.prog, level: o.Level, base: o.Base,
		filtered:  o.Base == isolation.CC && !o.Level.CausallyExtensible() && !o.DFS,
		exclusive: o.Level.Implies(isolation.SI),
		checked:   o.DFS,
		reach:     newReach(o.Bound, x.share),
		symmetry:  x.symmetric.now,
		following: newFollowing(x.symmetric.now, x.prog.Sessions()),
		newest:    o.Newest,
	}
}

// assign gives every worker its algorithm.
func (x *Exploration) assign(engine Engine) {
	if engine == States {
		x.memory = &memory{}
	}
	for i, w := range x.workers {
		if engine == States {
			s := &states{worker: w, delivery: x.delivery, memory: x.memory, extent: x.opts.extent(), serially: x.serially,
				keys:     keys{alike: newAlike(x.symmetric.now, x.prog, x.opts.Part != nil)},
				database: database{copies: x.symmetric.now.copied(), prog: x.prog, level: x.opts.Level, alone: x.opts.OneLevel, races: !x.opts.NoRaces, final: x.prog.Final(), grain: x.opts.Steps}}
			if i == 0 {
				s.probe = x.newWalk()
			}
			w.algorithm = s
			continue
		}
		e := explorer{worker: w, moves: x.moves(), outlet: outlet{delivery: x.delivery, representatives: representatives{group: x.symmetric.now.permutations(Swap)}}}
		if i == 0 {
			e.probe = x.newProbe()
		}
		switch {
		case x.opts.DFS:
			w.algorithm = &dfs{search{explorer: e}, near{bounded: x.opts.Near, most: x.opts.Deviations}}
		case engine == Serial:
			s := &serial{search: search{explorer: e}, chooser: chooser{ablation: x.opts.ablation}, passes: x.passes, repeatable: x.opts.Base.Implies(isolation.RA)}
			x.passes.workers = append(x.passes.workers, s)
			w.algorithm = s
		default:
			w.algorithm = &swapping{search{explorer: e}}
		}
	}
}

// work explores, in several passes if the engine needs them.
func (x *Exploration) work(send func(*Found) error) error {
	x.delivery.send = x.hold(x.handing(send))
	err := x.ready()
	if x.opts.Halted != "" {
		x.share.stop(x.opts.Halted)
	}
	going := func() bool { return err == nil && !x.share.halted() }
	for again := going(); again; {
		x.share.reopen()
		err = x.pass()
		// A pass that was stopped goes on from its checkpoint with what it knows. A
		// pass that has been prepared is begun: so a checkpoint has its beginning.
		again = going() && x.passes != nil && x.opts.Part == nil && x.passes.next()
	}
	return err
}

// handOn hands on what a trial has held back until the end.
func (x *Exploration) handOn(err error) error {
	if x.trial == nil {
		return err
	}
	if late := x.trial.release(x.delivery.send); err == nil && late != errStopped {
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
		return x.run(1, func(int) error { return x.resume(f) })
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

// pass lets all workers explore until there is nothing left.
func (x *Exploration) pass() error {
	from := x.opts.Resume
	begin := from == nil
	x.opts.Resume = nil // the passes that follow begin at the beginning
	x.mu.Lock()
	x.began, x.beganAt = true, time.Now()
	x.mu.Unlock()
	if x.memory != nil && x.opts.Engine == States && x.opts.Part.divides() {
		return x.run(1, func(int) error { return x.divide(from) })
	}
	x.beginEstimate()
	defer x.endEstimate()
	work := func(i int) error {
		if i == 0 && begin {
			err := x.workers[0].begin()
			if err == errSwap {
				err = x.swapInstead()
			}
			return err
		}
		return x.workers[i].run()
	}
	if len(x.workers) == 1 {
		return x.alone(work)
	}
	return x.run(len(x.workers), work)
}

// run does something on n goroutines. It returns the error that one of them met;
// the others are stopped then.
func (x *Exploration) run(n int, do func(i int) error) error {
	var g errgroup.Group
	for i := range n {
		g.Go(func() error { return x.guard(i, do) })
	}
	return g.Wait()
}

// alone is run for one worker, on the goroutine of [Exploration.launch].
func (x *Exploration) alone(do func(i int) error) error {
	if x.sizing {
		return x.run(1, do)
	}
	return x.guard(0, do)
}

// guard does something for worker i. An error stops the exploration.
func (x *Exploration) guard(i int, do func(i int) error) (err error) {
	// Client code that ends its goroutine ends this one: then nothing
	// but the deferred calls run.
	err = errVanished
	defer func() {
		if err != nil {
			x.share.stop(ByError)
		}
	}()
	deepen(false)
	err = do(i)
	if err == errStopped {
		err = nil
	}
	return err
}

var errVanished = errors.New("client code ended the exploration's goroutine")

// Stats returns the counts so far; it may be called at any time, also from other
// goroutines while the exploration runs.
func (x *Exploration) Stats() Stats {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.stats
	if x.prog.UsesBackend() && !x.ended {
		s.Round = x.rounds.number + 1
	}
	for _, w := range x.workers {
		p := &w.published
		s.Histories += p[0].Load()
		s.EndStates += p[1].Load()
		s.Explored += p[2].Load()
		s.Blocked += p[3].Load()
		s.Violations += p[4].Load()
		s.Depth = max(s.Depth, int(p[5].Load()))
		s.Symmetry.Histories += p[6].Load()
		s.Symmetry.Violations += p[7].Load()
	}
	s.Symmetry.Sets, s.Symmetry.Off = x.symmetric.sets(), x.symmetric.off
	if !x.ended && !x.started.IsZero() {
		s.Elapsed = x.before + time.Since(x.started)
	}
	return s
}

// stackRoom is the stack, in bytes, that a search of some hundred reads needs.
const stackRoom = 100 << 10

// deepen makes the stack of the goroutine large enough for most searches. A
// stack that grows as the search descends is copied again and again, frame by
// frame: an eighth of the time of an exploration of a few hundred histories.
// The room is reserved by entering the function; nothing is done with it.
//
//go:noinline
func deepen(fill bool) {
	if fill {
		var room [stackRoom]byte
		touch(&room)
	}
}

//go:noinline
func touch(room *[stackRoom]byte) { room[0] = 1 }
