package dpor

import (
	"sync/atomic"

	"github.com/txmc/txmc/isolation"
)

// What an exploration has left to do is looked at when no worker moves. Each
// stops at its next call of explore, where its frames say all; one that waits for
// work has none. So nothing is in between: what was found was handed on.

// pausing lets all workers wait.
type pausing struct {
	wanted  atomic.Bool   // a pause is; it also counts in share.alert
	waiting int           // workers that wait for its end
	arrived chan struct{} // has something when nobody moves
}

// hold asks for a pause; share.arrived tells when there is one. There is none when
// the exploration ends first.
func (p *share) hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted.CompareAndSwap(false, true) {
		p.alert.Add(1)
		p.arrive()
	}
}

// release ends the pause, or the wish for one.
func (p *share) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted.CompareAndSwap(true, false) {
		p.alert.Add(-1)
		p.wake.Broadcast()
	}
	select {
	case <-p.arrived:
	default:
	}
}

// arrive tells that nobody moves, if it is so.
func (p *share) arrive() {
	if p.wanted.Load() && !p.closed && p.waiting+p.idle == p.workers {
		select {
		case p.arrived <- struct{}{}:
		default:
		}
	}
}

// pause waits before the call of explore for s until the others have been looked
// at as well.
func (e *engine) pause(s *state) error {
	e.left, e.again = e.remains(s), counts{explored: 1}
	p := e.share
	p.mu.Lock()
	p.waiting++
	p.arrive()
	for p.wanted.Load() && p.halt.Load() == nil {
		p.wake.Wait()
	}
	p.waiting--
	p.mu.Unlock()
	if p.halt.Load() != nil {
		return errStopped
	}
	e.left, e.again = nil, counts{}
	return nil
}

// leave notes what is left when the exploration is stopped before the call of
// explore for s.
func (e *engine) leave(s *state) {
	if e.opts.Checkpoint != nil {
		e.left, e.again = e.remains(s), counts{explored: 1}
	}
}

// frontier is what is left, all workers being at rest.
func (x *Exploration) frontier() *Frontier {
	stats := x.Stats()
	f := &Frontier{
		Shape: x.prog.Shape(), Level: x.opts.Level.String(), Base: x.opts.Base.String(), Engine: stats.Engine, Why: stats.Why,
		All: x.opts.All, List: x.opts.List, Elapsed: stats.Elapsed, Peak: stats.PeakBytes,
	}
	x.share.mu.Lock()
	defer x.share.mu.Unlock()
	for _, e := range x.workers {
		f.Counts.add(e.count)
		f.Counts.take(e.again)
	}
	for _, t := range x.share.tasks {
		f.Subtrees = append(f.Subtrees, t.describe())
	}
	// Those of the first worker come last and are the next: with one worker the
	// order in which histories are found stays the same.
	for i := len(x.workers) - 1; i >= 0; i-- {
		f.Subtrees = append(f.Subtrees, x.workers[i].left...)
	}
	if first := x.workers[0]; first.serially {
		f.Passes = passesOf(x.workers)
	}
	return f
}

func (c *Counts) take(d counts) {
	c.add(counts{-d.histories, -d.endStates, -d.explored, -d.blocked, -d.violations})
}

func passesOf(workers []*engine) *Passes {
	first := workers[0]
	noted, news := &accesses{}, false
	for _, e := range workers {
		noted.union(&e.noted)
		news = news || e.news
	}
	return &Passes{
		Known: first.known.keys(first.prog), Before: first.before.keys(first.prog), First: first.before == nil,
		Noted: noted.keys(first.prog), News: news,
	}
}

// resume makes the workers ready to go on with what is left.
func (x *Exploration) resume(f *Frontier) error {
	switch {
	case f.Shape != x.prog.Shape():
		return errMisfit("%s declares something else, or --max-ops is another", x.prog.Name)
	case f.Level != x.opts.Level.String():
		return errMisfit("it is of level %s, not %s", f.Level, x.opts.Level)
	case f.Base != x.opts.Base.String():
		return errMisfit("it is of base %s, not %s", f.Base, x.opts.Base)
	case f.Engine != x.opts.Engine && x.opts.Engine != Auto || f.Engine != Swap && f.Engine != Serial:
		return errMisfit("it is of engine %s, not %s", f.Engine, x.opts.Engine)
	case f.All != x.opts.All || f.List != x.opts.List:
		return errMisfit("--all and --list must be as they were")
	case f.Engine == Serial && (f.Passes == nil || x.opts.Level <= isolation.CC || f.Passes.sessions() > x.prog.Sessions()):
		return errMisfit("it does not say what the engine %s knows", f.Engine)
	case f.Counts.negative() || f.Elapsed < 0:
		return errMisfit("it counts less than nothing")
	}
	if f.Engine == Serial {
		x.resumePasses(f.Passes)
	}
	x.workers[0].count = f.Counts.split()
	x.workers[0].taken.Store(f.Counts.Histories)
	x.workers[0].publish(nil)
	x.mu.Lock()
	x.stats.Engine, x.stats.Why, x.stats.PeakBytes = f.Engine, f.Why, f.Peak
	x.mu.Unlock()
	for i := range f.Subtrees {
		x.share.tasks = append(x.share.tasks, &task{stored: &f.Subtrees[i]})
	}
	return nil
}

func (p *Passes) sessions() int { return max(len(p.Known), len(p.Before), len(p.Noted)) }

func (c Counts) negative() bool {
	return min(c.Histories, c.EndStates, c.Explored, c.Blocked, c.Violations) < 0
}

func (x *Exploration) resumePasses(f *Passes) {
	known, noted := fromKeys(x.prog, f.Known), fromKeys(x.prog, f.Noted)
	startPass(x.workers, known)
	for _, e := range x.workers {
		e.serially = true
		e.before = nil
		if !f.First {
			e.before = fromKeys(x.prog, f.Before)
		}
	}
	x.workers[0].noted, x.workers[0].news = *noted, f.News
}

// doStored does a task that another process has left.
func (e *engine) doStored(sub *Subtree) error {
	if e.share.halt.Load() != nil {
		e.left = append(e.left, *sub)
		return errStopped
	}
	s, err := e.restore(sub)
	if err != nil {
		return err
	}
	switch {
	case sub.Kind == restReads:
		return e.do(&task{s: s, node: s.h.Last().Node, next: sub.Next})
	case sub.Kind == restOther:
		return e.do(&task{s: s, next: sub.Next})
	case e.serially:
		return e.serial(s)
	}
	return e.explore(s)
}
