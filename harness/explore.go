package harness

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/smallest"
)

// beat is the time between two progress lines. It is also how soon the harness
// notices that the command has gone.
const beat = 200 * time.Millisecond

// harness explores programs one after another.
type harness struct {
	opts   Options
	out    *stream
	resume []Checkpoint

	mu      sync.Mutex
	now     Progress
	running *dpor.Exploration // nil while a program is prepared
}

// run explores every program at every level until ctx ends.
func (h *harness) run(ctx context.Context, programs []Program) {
	for _, p := range programs {
		if ctx.Err() != nil {
			return
		}
		h.turnTo(p.Name, "", nil)
		client, err := h.prepare(ctx, p)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			h.out.send(report.NewError(h.opts.Package, p.Name, "", err))
			continue
		}
		h.levels(ctx, client)
	}
}

// prepare makes the client. It does not wait for client code when ctx ends.
func (h *harness) prepare(ctx context.Context, p Program) (*program.Client, error) {
	type made struct {
		client *program.Client
		err    error
	}
	done := make(chan made, 1)
	go func() {
		c, err := program.NewClient(p.Name, p.Explore, program.Options{
			MaxOps: h.opts.MaxOps, MaxTreeBytes: h.opts.MaxTreeBytes, Patience: h.opts.Patience, Recheck: h.opts.Recheck,
		})
		done <- made{c, err}
	}()
	select {
	case m := <-done:
		return m.client, m.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// levels explores the client at each level. They share its behaviour trees.
func (h *harness) levels(ctx context.Context, client *program.Client) {
	for _, name := range h.opts.Levels {
		if ctx.Err() != nil {
			return
		}
		if slices.Contains(h.opts.Done, Place{client.Name, name}) {
			continue
		}
		src := report.Source{Package: h.opts.Package, Client: client}
		opts, err := h.options(name)
		if err == nil {
			src.Options = opts
			err = h.do(ctx, src)
		}
		if err == nil {
			continue
		}
		h.out.send(report.NewError(h.opts.Package, client.Name, name, err))
		if e, ok := errors.AsType[*program.Error](err); !ok || e.Kind != program.Unbounded {
			// The other levels would say the same, save that a stronger one may
			// bound what a weaker one does not.
			return
		}
	}
}

func (h *harness) options(level string) (dpor.Options, error) {
	opts := dpor.Options{All: h.opts.All, List: h.opts.List, MaxHistories: h.opts.MaxHistories, Workers: h.opts.Workers}
	l, err := isolation.Parse(level)
	if err != nil {
		return opts, err
	}
	opts.Level = l
	if err := opts.SetBase(h.opts.Base); err != nil {
		return opts, err
	}
	return opts, opts.SetEngine(h.opts.Engine, h.opts.Base)
}

// do does with the program at a level what the options ask for.
func (h *harness) do(ctx context.Context, src report.Source) error {
	switch h.opts.Mode {
	case ModeLevels:
		return h.tally(ctx, src)
	case ModeReplay:
		return h.replay(src)
	case ModeCompare:
		return h.compare(ctx, src)
	}
	return h.explore(ctx, src)
}

// explore runs one exploration and reports what it yields, then the result. Where
// it stops at the first violation, the smallest that can be found is reported;
// where it goes on, all violations or one of each cause.
func (h *harness) explore(ctx context.Context, src report.Source) error {
	var first *dpor.Found
	var same groups
	search := src
	if err := h.keep(&search, &same); err != nil {
		return err
	}
	stats, failed := h.all(ctx, search, func(found *dpor.Found) {
		if src.Options.List {
			h.out.send(src.Listed(found))
		}
		switch {
		case len(found.Failures) == 0:
		case h.opts.Group:
			same.add(found, src.Cause(found))
		case src.Options.All:
			v := src.Violation(found)
			same.add(found, v.Cause)
			h.out.send(v)
			h.out.flush()
		case first == nil: // several workers may each find one
			first = found
		}
	})
	if first != nil {
		h.out.send(smallest.Report(ctx, src, first))
	}
	if h.opts.Group {
		same.send(ctx, src, h.out)
	}
	result := src.Result(stats)
	result.Causes = same.counts()
	if busy := src.Client.Busy(); busy != "" && failed == nil {
		result.Note = "when it stopped, " + busy + " had not returned"
	}
	h.out.send(result)
	h.out.flush()
	return failed
}

// all runs one exploration and hands what it yields to each. The error is the
// program's.
func (h *harness) all(ctx context.Context, src report.Source, each func(*dpor.Found)) (stats dpor.Stats, failed error) {
	if h.opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, h.opts.Timeout)
		defer cancel()
	}
	src.Options.Guess = h.opts.Guess
	x := dpor.Explore(ctx, src.Client, src.Options)
	h.turnTo(src.Client.Name, src.Options.Level.String(), x)
	for found, err := range x.Histories() {
		if err != nil {
			failed = err
			break
		}
		each(found)
	}
	return x.Stats(), failed
}

// turnTo says what the harness is at.
func (h *harness) turnTo(name, iso string, x *dpor.Exploration) {
	h.mu.Lock()
	h.now = Progress{Type: TypeProgress, Program: name, Iso: iso}
	h.running = x
	h.mu.Unlock()
	h.progress()
}

// tick sends progress for as long as the process lives.
func (h *harness) tick() {
	for range time.Tick(beat) {
		h.progress()
	}
}

func (h *harness) progress() {
	h.mu.Lock()
	p := h.now
	if h.running != nil {
		s := h.running.Stats()
		p.Histories, p.EndStates, p.Explored, p.Violations = s.Histories, s.EndStates, s.Explored, s.Violations
		p.Depth, p.Seconds = s.Depth, s.Elapsed.Seconds()
		p.Share, p.ShareLeast, p.ShareMost = s.Guess.Share(s.Explored)
	}
	h.mu.Unlock()
	h.out.send(p)
	h.out.flush()
}
