package swap

import (
	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Outlet judges a worker's complete histories and hands them on.
type Outlet struct {
	*work.Delivery
	checker isolation.Checker
	work.Verdicts
	ends []*behaviour.Node // of the present history
	orbit.Representatives
}

// valid is the filter of explore-ce* (PLDI 2023, section 6): it reports whether
// the complete history satisfies the level that is asked for, and its locking reads
// are of the latest version. The base knows nothing of locking reads: with them no
// level is causally extensible, so that all levels are explored by explore-ce*.
func (e *Explorer) valid(s *State) bool {
	switch {
	case e.Checked:
		return true
	case e.Level == e.Base:
		return !e.Prog.Locks() || e.checker.AllowsKnown(&s.H, &s.Known, e.Level)
	case e.Filtered:
		return s.filter.Valid()
	default:
		return e.checker.Allows(&s.H, e.Level)
	}
}

// output counts a complete history and hands it on if it is wanted.
func (e *Explorer) output(s *State) error {
	if dropped(&s.H) {
		e.Count.Blocked++
		return nil
	}
	e.Count.EndStates++
	if !e.valid(s) {
		return nil
	}
	orbit := s.Canonical.Orbit() * e.Representatives.Orbit(&s.H)
	if orbit == 0 {
		return nil
	}
	if e.Limit > 0 && e.Counted.Add(1) > e.Limit {
		e.Leave()
		e.Again.EndStates++
		return e.Stop(work.ByMaxHistories)
	}
	e.Count.Histories++
	e.Count.Permuted += orbit
	failures, err := e.judge(e.Prog, &s.H)
	if err == nil && e.Symmetry != nil {
		err = e.Verdicts.Mirrored(e.Prog, e.Symmetry.Nodes)
	}
	if err != nil {
		return err
	}
	if len(failures) > 0 {
		e.Count.Violations++
		e.Count.PermutedViolations += orbit
	} else if !e.List {
		return e.probeNow()
	}
	f := found(&s.H, failures)
	f.Orbit = orbit
	if err := e.Send(f); err != nil {
		return err
	}
	if len(failures) > 0 && !e.All {
		return e.Stop(work.ByViolation)
	}
	return nil
}

// dropped reports whether a session has assumed what does not hold in h.
func dropped(h *semantics.Ordered) bool {
	for i := range h.Sessions() {
		if h.Node(i).Dropped {
			return true
		}
	}
	return false
}

// found makes a complete history data of its own.
func found(h *semantics.Ordered, failures []*behaviour.Failure) *work.Found {
	f := &work.Found{Failures: failures, Ends: make([]*behaviour.Node, h.Sessions())}
	f.History, f.Order = h.Extract()
	for i := range f.Ends {
		f.Ends[i] = h.Node(i)
	}
	return f
}

// Judged is a complete history with the assertions that it breaks.
func Judged(prog *program.Client, h *semantics.Ordered) (*work.Found, error) {
	failures, err := new(Outlet).judge(prog, h)
	if err != nil {
		return nil, err
	}
	return found(h, failures), nil
}

// judge returns the assertions that a complete history breaks: those on the
// paths of its sessions, that it is serializable, and the invariants.
func (o *Outlet) judge(prog *program.Client, h *semantics.Ordered) ([]*behaviour.Failure, error) {
	var failures []*behaviour.Failure
	for i := range h.Sessions() {
		failures = append(failures, h.Node(i).Failures...)
	}
	if f := notSerializable(prog, h); f != nil {
		failures = append(failures, f)
	}
	if prog.Invariants() == 0 {
		return failures, nil
	}
	o.ends = o.ends[:0]
	for i := range h.Sessions() {
		o.ends = append(o.ends, h.Node(i))
	}
	broken, err := o.Verdicts.Of(prog, o.ends)
	return append(failures, broken...), err
}

// notSerializable is the failure of a history that should be serializable and is not.
func notSerializable(prog *program.Client, h *semantics.Ordered) *behaviour.Failure {
	d, wanted := prog.Serializable()
	if !wanted {
		return nil
	}
	history, _ := h.Extract()
	switch {
	case !isolation.Satisfies(history, isolation.SER):
		return d.Failure("the history is not serializable")
	case prog.SerialSessions() && !SerialSessions(history):
		return d.Failure("the history is that of no order of the sessions, one after another")
	}
	return nil
}
