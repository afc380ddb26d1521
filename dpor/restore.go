package dpor

import (
	"slices"

	"github.com/txmc/txmc/dpor/serial"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/work"
)

// An exploration is resumed from a frontier that another process has made. Nothing
// in it is trusted: a point of the search is reached by following its history, and
// what the program does not have is a MisfitError.

// resume makes the workers ready to go on with what is left.
func (x *Exploration) resume(f *Frontier) error {
	if err := x.fits(f); err != nil {
		return err
	}
	if y := x.symmetric.now; y != nil {
		if err := meet(y, f.Symmetry); err != nil {
			return err
		}
	}
	if f.Engine == Serial {
		x.passes = serial.Resume(x.prog, f.Passes, x.symmetric.now)
	}
	x.assign(f.Engine)
	if f.Engine == States && f.Memory != nil {
		if err := x.states.Read(f.Memory); err != nil {
			return err
		}
	}
	if f.Engine == Serial {
		x.passes.TakeNoted(x.prog, f.Passes)
	}
	first := work.Totals{Counts: f.Counts}
	if a := f.Symmetry; a != nil {
		first.Permuted, first.PermutedViolations = a.Histories, a.Violations
	}
	x.pool.Resume(first)
	x.delivery.Counted.Store(f.Counts.Histories)
	x.mu.Lock()
	x.stats.Engine, x.stats.Why, x.stats.PeakBytes = f.Engine, f.Why, f.Peak
	x.mu.Unlock()
	all := f.Subtrees
	if f.Engine == States {
		all = states.Beginnings(all)
	}
	x.pool.Add(all)
	return nil
}

// renumber gives nodes and values the numbers that they had when outcomes were handed on:
// these are named by such numbers. The frontier has nothing else.
func (x *Exploration) renumber(f *Frontier) error {
	switch {
	case f.Symmetry == nil || len(f.Symmetry.Given) == 0:
		return nil
	case f.Memory == nil:
		return work.Misfit("it names outcomes without what they are made of")
	}
	return f.Memory.Record(x.prog)
}

// fits checks that a frontier is of the program and the options.
func (x *Exploration) fits(f *Frontier) error {
	switch {
	case f.DFS != x.opts.DFS:
		return work.Misfit("either it or this is the baseline without reduction, and not both")
	case f.Shape != x.prog.Shape():
		return work.Misfit("%s declares something else, or its transactions may do more or fewer operations", x.prog.Name)
	case f.Level != x.opts.Level.String():
		return work.Misfit("it is of level %s, not %s", f.Level, x.opts.Level)
	case f.Untouched && x.symmetric.now != nil && f.Passes == nil && f.Counts == work.Counts{}:
		return nil // it begins as ever, whatever was to explore instead
	case f.Base != x.opts.Base.String():
		return work.Misfit("it is of base %s, not %s", f.Base, x.opts.Base)
	case f.Engine != x.opts.Engine && (x.opts.Engine != Auto || f.Engine != Swap && f.Engine != Serial && !f.Untouched):
		return work.Misfit("it is of engine %s, not %s", f.Engine, x.opts.Engine)
	case f.Untouched && (len(f.Subtrees) > 0 || f.Passes != nil || f.Counts != work.Counts{}):
		return work.Misfit("it says that nothing was explored, and what was")
	case f.All != x.opts.All || f.List != x.opts.List:
		return work.Misfit("all and list must be as they were")
	case f.Engine == Serial && !f.Untouched && (f.Passes == nil || x.opts.Level.CausallyExtensible() && x.symmetric.now == nil || f.Passes.Sessions() > x.prog.Sessions()):
		return work.Misfit("it does not say what the engine %s knows", f.Engine)
	case f.Engine == States && !f.Untouched && f.Memory == nil && slices.ContainsFunc(f.Subtrees, func(s work.Subtree) bool { return s.Kind != states.Region }):
		return work.Misfit("it does not say what the engine %s knows", f.Engine)
	case f.Partial:
		return work.Misfit("it is a part that was stopped, with which nobody can go on")
	case x.symmetric.misfit != nil:
		return x.symmetric.misfit
	case f.Counts.Negative() || f.Elapsed < 0:
		return work.Misfit("it counts less than nothing")
	}
	return nil
}
