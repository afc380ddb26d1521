package dpor

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"golang.org/x/sync/errgroup"
)

// Exploration is one exploration of a client program at one level.
type Exploration struct {
	ctx     context.Context
	prog    *program.Client
	opts    Options
	share   *share
	workers []*engine

	mu      sync.Mutex
	started time.Time
	stats   Stats // all but the workers' counts
	ended   bool
	began   bool          // there is something to checkpoint
	before  time.Duration // spent by the explorations that this one resumes
}

// Explore prepares an exploration; ranging over [Exploration.Histories] runs it.
// The end of ctx ends it: a deadline as a timeout, anything else as an
// interrupt. Options.Base must not be stronger than Options.Level nor than CC.
func Explore(ctx context.Context, prog *program.Client, opts Options) *Exploration {
	opts.Base = min(opts.Base, DefaultBase(opts.Level))
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.DFS {
		opts.Workers = 1
	}
	if opts.Engine == "" || opts.DFS || opts.Level <= isolation.CC {
		opts.Engine = Swap
	}
	if opts.Engine != Swap {
		opts.Base = isolation.CC
	}
	x := &Exploration{ctx: ctx, prog: prog, opts: opts, share: newShare(opts.Workers)}
	x.stats.Engine = opts.Engine
	taken := new(atomic.Int64)
	for i := range opts.Workers {
		x.workers = append(x.workers, &engine{
			prog: prog, opts: opts, base: opts.Base, share: x.share, taken: taken, first: i == 0,
			filtered: opts.Base == isolation.CC && opts.Level > isolation.CC && !opts.DFS,
		})
	}
	return x
}

// Histories runs the exploration and yields the violations, or with Options.List
// every history, as they are found. An error ends it: a [*program.Error] when
// the program cannot be explored. It can be ranged over once; leaving the loop
// ends the exploration. When client code is stuck the exploration ends, but
// nothing can end the client's goroutine.
func (x *Exploration) Histories() iter.Seq2[*Found, error] {
	return func(yield func(*Found, error) bool) {
		if err := x.start(); err != nil {
			yield(nil, err)
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		take := func(f *Found) bool {
			if yield(f, nil) {
				return true
			}
			cancel() // no worker waits any more to hand on what it found
			return false
		}
		found := make(chan *Found, 64)
		send := func(f *Found) error {
			select {
			case found <- f:
				return nil
			case <-ctx.Done():
				return errStopped
			}
		}
		done := make(chan error, 1)
		go func() { done <- x.work(send) }()
		x.finish(x.consume(found, done, take), yield)
	}
}

// work explores, in several passes if the engine needs them.
func (x *Exploration) work(send func(*Found) error) error {
	for _, e := range x.workers {
		e.send = send
	}
	err := x.ready()
	going := func() bool { return err == nil && x.share.halt.Load() == nil }
	for again := going(); again; {
		x.share.reopen()
		err = x.pass()
		// A pass that was stopped goes on from its checkpoint with what it knows; one
		// that has been prepared is begun, so that a checkpoint has its beginning.
		again = going() && x.workers[0].serially && nextPass(x.workers)
	}
	return err
}

// ready lets the workers begin, or go on with what another process has left.
func (x *Exploration) ready() error {
	f := x.opts.Resume
	if f == nil {
		return x.prepare()
	}
	if x.opts.DFS {
		return errMisfit("the baseline without reduction cannot be resumed")
	}
	return x.run(x.workers[:1], func(int) error { return x.resume(f) })
}

// prepare chooses the engine. What the second one has to know is learnt.
func (x *Exploration) prepare() error {
	engine := x.opts.Engine
	if engine == Swap {
		return nil
	}
	return x.run(x.workers[:1], func(int) error {
		first := x.workers[0]
		known, err := first.learn()
		if err != nil {
			return err
		}
		startPass(x.workers, known)
		why := ""
		if engine == Auto {
			if engine, why, err = first.decideEngine(); err != nil {
				return err
			}
		}
		for _, e := range x.workers {
			e.serially = engine == Serial
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		x.stats.Engine, x.stats.Why = engine, why
		return nil
	})
}

// pass lets all workers explore until there is nothing left.
func (x *Exploration) pass() error {
	begin := x.opts.Resume == nil
	x.opts.Resume = nil // the passes that follow begin at the beginning
	x.mu.Lock()
	x.began = true
	x.mu.Unlock()
	defer x.guessing()()
	return x.run(x.workers, func(i int) error {
		if i == 0 && begin {
			return x.workers[0].begin()
		}
		return x.workers[i].run()
	})
}

// run runs the workers to their end. It returns the error that one of them met;
// the others are stopped then.
func (x *Exploration) run(workers []*engine, do func(i int) error) error {
	var g errgroup.Group
	for i := range workers {
		g.Go(func() (err error) {
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
		})
	}
	return g.Wait()
}

var errVanished = errors.New("client code ended the exploration's goroutine")

func (x *Exploration) start() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.started.IsZero() {
		return fmt.Errorf("dpor: Histories was ranged over before: call Explore again")
	}
	x.started = time.Now()
	if f := x.opts.Resume; f != nil {
		x.before = max(f.Elapsed, 0)
	}
	return nil
}

// sampleEvery is the time between two looks at memory and at stalled clients.
const sampleEvery = 50 * time.Millisecond

// giveUpAfter is how many times in a row client code has to be seen running
// after the end of an exploration before it counts as stuck.
const giveUpAfter = 10

// consume hands on what the engine finds until it is done, and returns the
// engine's error.
func (x *Exploration) consume(found chan *Found, done chan error, take func(*Found) bool) error {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	over, stuck := x.ctx.Done(), 0
	due, stop := x.checkpoints()
	defer stop()
	for {
		select {
		case f := <-found:
			if !take(f) {
				return x.abandon(done)
			}
		case err := <-done:
			if err = x.drain(found, take, err); err == nil {
				err = x.lastCheckpoint()
			}
			return err
		case <-due:
			x.share.hold()
		case <-x.share.arrived:
			if err := x.checkpoint(found, take); err != nil {
				x.share.stop(ByCaller)
				x.share.release()
				x.abandon(done)
				return err
			}
		case <-over:
			over = nil
			reason := ByInterrupt
			if errors.Is(context.Cause(x.ctx), context.DeadlineExceeded) || errors.Is(x.ctx.Err(), context.DeadlineExceeded) {
				reason = ByTimeout
			}
			x.share.stop(reason)
		case <-tick.C:
			x.sample()
			if err := x.prog.Stalled(); err != nil {
				return err
			}
			if x.share.halt.Load() == nil || x.prog.Busy() == "" {
				stuck = 0
			} else if stuck++; stuck == giveUpAfter {
				return errStopped // client code does not let its worker see the halt
			}
		}
	}
}

// drain hands on what was found before the engine's end.
func (x *Exploration) drain(found chan *Found, take func(*Found) bool, err error) error {
	for {
		select {
		case f := <-found:
			if !take(f) {
				x.share.stop(ByCaller)
				return errStopped
			}
		default:
			return err
		}
	}
}

// abandon stops the workers and waits for their end, unless client code is stuck.
func (x *Exploration) abandon(done chan error) error {
	x.share.stop(ByCaller)
	for {
		select {
		case <-done:
			return errStopped
		case <-time.After(giveUpAfter * sampleEvery):
			if x.prog.Busy() != "" {
				return errStopped
			}
		}
	}
}

// finish records how the exploration ended and yields its error.
func (x *Exploration) finish(err error, yield func(*Found, error) bool) {
	if stray := x.prog.Err(); stray != nil && (err == nil || err == errVanished || err == errStopped) {
		err = stray
	}
	if err == errStopped {
		err = nil
	}
	elapsed := x.before + time.Since(x.started)
	x.sample()
	if x.prog.Busy() == "" {
		x.prog.Park()
	}
	x.mu.Lock()
	x.stats.Elapsed = elapsed
	x.ended = true
	switch reason := x.share.halt.Load(); {
	case err == nil && reason == nil:
		x.stats.Complete = true
	case err == nil:
		x.stats.Stopped = *reason
	default:
		x.stats.Stopped = ByError
	}
	x.mu.Unlock()
	if err != nil {
		yield(nil, err)
	}
}

// sample notes how much memory the Go runtime has in use.
func (x *Exploration) sample() {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	used := samples[0].Value.Uint64() - samples[1].Value.Uint64()
	x.mu.Lock()
	x.stats.PeakBytes = max(x.stats.PeakBytes, used)
	x.mu.Unlock()
}

// Stats returns the counts so far; it may be called at any time, also from other
// goroutines while the exploration runs.
func (x *Exploration) Stats() Stats {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.stats
	for _, e := range x.workers {
		p := &e.published
		s.Histories += p[0].Load()
		s.EndStates += p[1].Load()
		s.Explored += p[2].Load()
		s.Blocked += p[3].Load()
		s.Violations += p[4].Load()
		s.Depth = max(s.Depth, int(p[5].Load()))
	}
	if !x.ended && !x.started.IsZero() {
		s.Elapsed = x.before + time.Since(x.started)
	}
	return s
}
