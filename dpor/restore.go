package dpor

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// An exploration is resumed from a frontier that another process has made. Nothing
// in it is trusted: a point of the search is reached by following its history, and
// what the program does not have is a MisfitError.

// MisfitError says that a frontier, or a trace, is not of this program or not of
// these options.
type MisfitError struct{ Why string }

// Error says what does not fit.
func (e *MisfitError) Error() string { return "the checkpoint does not fit the program: " + e.Why }

func misfit(format string, args ...any) error { return &MisfitError{fmt.Sprintf(format, args...)} }

// resume makes the workers ready to go on with what is left.
func (x *Exploration) resume(f *Frontier) error {
	if err := x.fits(f); err != nil {
		return err
	}
	if y := x.symmetric.now; y != nil {
		if err := y.meet(f.Symmetry); err != nil {
			return err
		}
	}
	if f.Engine == Serial {
		x.passes = passesFrom(x.prog, f.Passes)
		x.passes.symmetry = x.symmetric.now
	}
	x.assign(f.Engine)
	if f.Engine == States && f.Memory != nil {
		if err := x.memory.read(x.prog, f.Memory); err != nil {
			return err
		}
	}
	if f.Engine == Serial {
		first := x.passes.workers[0]
		first.noted, first.news = *fromKeys(x.prog, f.Passes.Noted), f.Passes.News
	}
	x.workers[0].count = f.Counts.split()
	if a := f.Symmetry; a != nil {
		x.workers[0].count.permuted, x.workers[0].count.permutedViolations = a.Histories, a.Violations
	}
	x.delivery.counted.Store(f.Counts.Histories)
	x.workers[0].publish(0)
	x.mu.Lock()
	x.stats.Engine, x.stats.Why, x.stats.PeakBytes = f.Engine, f.Why, f.Peak
	x.mu.Unlock()
	all := f.Subtrees
	if f.Engine == States {
		all = beginnings(all)
	}
	for i := range all {
		x.share.tasks = append(x.share.tasks, &all[i])
	}
	return nil
}

// renumber gives nodes and values the numbers that they had when outcomes were handed on:
// these are named by such numbers. The frontier has nothing else.
func (x *Exploration) renumber(f *Frontier) error {
	switch {
	case f.Symmetry == nil || len(f.Symmetry.Given) == 0:
		return nil
	case f.Memory == nil:
		return misfit("it names outcomes without what they are made of")
	}
	return f.Memory.Record(x.prog)
}

// fits checks that a frontier is of the program and the options.
func (x *Exploration) fits(f *Frontier) error {
	switch {
	case f.DFS != x.opts.DFS:
		return misfit("either it or this is the baseline without reduction, and not both")
	case f.Shape != x.prog.Shape():
		return misfit("%s declares something else, or its transactions may do more or fewer operations", x.prog.Name)
	case f.Level != x.opts.Level.String():
		return misfit("it is of level %s, not %s", f.Level, x.opts.Level)
	case f.Untouched && x.symmetric.now != nil && f.Passes == nil && f.Counts == Counts{}:
		return nil // it begins as ever, whatever was to explore instead
	case f.Base != x.opts.Base.String():
		return misfit("it is of base %s, not %s", f.Base, x.opts.Base)
	case f.Engine != x.opts.Engine && (x.opts.Engine != Auto || f.Engine != Swap && f.Engine != Serial && !f.Untouched):
		return misfit("it is of engine %s, not %s", f.Engine, x.opts.Engine)
	case f.Untouched && (len(f.Subtrees) > 0 || f.Passes != nil || f.Counts != Counts{}):
		return misfit("it says that nothing was explored, and what was")
	case f.All != x.opts.All || f.List != x.opts.List:
		return misfit("all and list must be as they were")
	case f.Engine == Serial && !f.Untouched && (f.Passes == nil || x.opts.Level.CausallyExtensible() && x.symmetric.now == nil || f.Passes.sessions() > x.prog.Sessions()):
		return misfit("it does not say what the engine %s knows", f.Engine)
	case f.Engine == States && !f.Untouched && f.Memory == nil && slices.ContainsFunc(f.Subtrees, func(s Subtree) bool { return s.Kind != region }):
		return misfit("it does not say what the engine %s knows", f.Engine)
	case f.Partial:
		return misfit("it is a part that was stopped, with which nobody can go on")
	case x.symmetric.misfit != nil:
		return x.symmetric.misfit
	case f.Counts.negative() || f.Elapsed < 0:
		return misfit("it counts less than nothing")
	}
	return nil
}

func (p *Passes) sessions() int { return max(len(p.Known), len(p.Before), len(p.Noted)) }

// restorePart makes a part of a subtree by following its history, and checks what
// all algorithms require of it.
func (e *search) restorePart(sub *Subtree) (*part, error) {
	s, err := e.retrace(sub.Txns, sub.Open)
	if err != nil {
		return nil, err
	}
	h := &s.h
	pending := h.Last().Status == semantics.Pending
	if pending != sub.Open {
		return nil, misfit("no transaction is open")
	}
	p := &part{kind: sub.Kind, s: s, next: sub.Next}
	ok := false
	switch sub.Kind {
	case wholeCall:
		ok = true
	case restReads:
		if p.node = h.Last().Node; pending && p.node.Kind == program.Read {
			ok = sub.Next >= 0 && sub.Next < h.Len()-1 && h.Writers(p.node.Var).Has(sub.Next)
		}
	case restOther:
		ok = !pending && sub.Next >= 0
	}
	if !ok {
		return nil, misfitRest(sub)
	}
	return p, nil
}

func misfitRest(sub *Subtree) error {
	return misfit("the rest %q at %d of a call that does not have it", sub.Kind, sub.Next)
}

// fitsSkips checks what the serial engine requires of a part besides.
func (p *part) fitsSkips(sub *Subtree) error {
	h := &p.s.h
	if n := len(sub.Skips); n != 0 && n != h.Sessions() {
		return misfit("%d numbers for %d sessions", n, h.Sessions())
	}
	for _, n := range sub.Skips {
		if n < 0 || int(n) > h.Len() {
			return misfit("a session is skipped at a place that is not there")
		}
	}
	switch {
	case sub.Kind == wholeCall && sub.Open, sub.Kind != wholeCall && len(sub.Skips) == 0,
		sub.Kind == restOther && sub.Next >= h.Sessions():
		return misfitRest(sub)
	}
	return nil
}
