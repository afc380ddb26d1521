package dpor

import (
	"slices"
	"time"

	"github.com/txmc/txmc/dpor/serial"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// Several processes explore a program together when each explores some subtrees of the
// same frontier: a part. Subtrees are independent, so that the counts of all parts are
// those of one exploration, however it is divided. The process that divides it keeps
// the frontier of the whole: it hands out subtrees (Of), and puts in what parts have
// come to (Take).
//
// The serial engine's passes are the only thing that parts have in common. All parts of
// a pass have the same knowledge; what they note becomes known when all have ended
// (NextPass), as in one process: pass.go. Where sessions are alike, what parts have met is
// joined then: join.go. On a database subtrees are regions: region.go.

// Part makes an exploration a part of a larger one. It explores the subtrees of
// Options.Resume, which counts nothing yet, or begins where that is nil. It makes no
// second pass. Options.Checkpoint gets what it has counted and what it has left,
// whenever it ends without an error.
type Part struct {
	Calls int64         // it stops after about so many calls of explore; 0: no limit
	Time  time.Duration // it stops when it has explored for so long; 0: no limit
	// Divide is for the engine States. Where a part's region has more states than that, the
	// part divides it. It explores what belongs to none of the new regions, and leaves these.
	// Calls and Time do not count then. 0: it explores all. See region.go.
	Divide int64
	// Stop, when it is closed, stops it when it has explored for a moment: however often
	// parts are stopped, the exploration gets on.
	Stop <-chan struct{}
}

// divides reports whether the part divides its region.
func (p *Part) divides() bool { return p != nil && p.Divide > 0 }

// partOver reports whether the part is to stop.
func (x *Exploration) partOver() bool {
	p := x.opts.Part
	if p == nil {
		return false
	}
	limited := p.Time > 0 && p.Divide == 0
	x.mu.Lock()
	began, spent := x.began, time.Since(x.beganAt)
	x.mu.Unlock()
	select {
	case <-p.Stop:
		return began && spent > sampleEvery/2
	default:
		return began && limited && spent >= p.Time
	}
}

// Of is a frontier of some subtrees of f for a part. It counts nothing.
func (f *Frontier) Of(subtrees []work.Subtree) *Frontier {
	part := *f
	part.Counts, part.Elapsed, part.Peak, part.Subtrees = work.Counts{}, 0, 0, subtrees
	if p := f.Passes; p != nil {
		part.Passes = &serial.Passes{Known: p.Known, Before: p.Before, First: p.First}
	}
	if a := f.Symmetry; a != nil {
		part.Symmetry = &Alike{Sets: a.Sets}
	}
	return &part
}

// Take puts what a part has come to into f, and returns the subtrees that the part has left.
// The first part decides which engine explores.
func (f *Frontier) Take(part *Frontier) (left []work.Subtree) {
	f.takeAlike(part.Symmetry)
	if f.Engine == "" || f.Untouched {
		counts, elapsed, alike := f.Counts, f.Elapsed, f.Symmetry
		*f = *part
		f.Symmetry = alike
		f.Counts, f.Elapsed, f.Subtrees, f.Partial = counts, elapsed, nil, false
	} else if f.Passes != nil && part.Passes != nil {
		f.Passes.Add(part.Passes)
	}
	f.Counts.Add(part.Counts)
	f.Peak = max(f.Peak, part.Peak)
	if part.Memory != nil {
		f.Memory = part.Memory
	}
	return part.Subtrees
}

// NextPass begins another pass when no subtree is left of one that has noted
// something: see passes. It reports whether there is one.
func (f *Frontier) NextPass() bool {
	p := f.Passes
	if p == nil || !p.News || f.Symmetry != nil { // of sessions that are alike Join says what comes next
		return false
	}
	f.Passes = p.Next()
	f.Subtrees = []work.Subtree{{Kind: work.WholeCall}}
	return true
}

// Divisible reports whether parts of an exploration of the program can be described to
// other processes: not of the rounds in which rows become known.
func Divisible(prog *program.Client, level isolation.Level) bool {
	return level.Database() != isolation.NoDatabase || !prog.Grows()
}

// Regions are what is left: of the engine States regions, and of others subtrees.
func (f *Frontier) Regions() []work.Subtree {
	isRegion := func(s work.Subtree) bool { return s.Kind == states.Region }
	if f.Engine != States || len(f.Subtrees) == 0 || slices.ContainsFunc(f.Subtrees, isRegion) {
		return f.Subtrees
	}
	return []work.Subtree{{Kind: states.Region, Inner: f.Subtrees}}
}
