package dpor

import (
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// valid is the filter of explore-ce* (PLDI 2023, section 6): it reports whether
// the complete history satisfies the level that is asked for.
func (e *engine) valid(s *state) bool {
	switch {
	case e.opts.Level == e.base:
		return true
	case e.filtered:
		return s.filter.Valid()
	default:
		return e.checker.Allows(&s.h, e.opts.Level)
	}
}

// output counts a complete history and hands it on if it is wanted.
func (e *engine) output(s *state) error {
	if e.serially && e.repeated(&s.h) {
		return nil
	}
	if dropped(&s.h) {
		e.count.blocked++
		return nil
	}
	e.count.endStates++
	if !e.valid(s) {
		return nil
	}
	if limit := e.opts.MaxHistories; limit > 0 && e.taken.Add(1) > limit {
		e.leave(s)
		e.again.endStates++
		return e.stop(ByMaxHistories)
	}
	e.count.histories++
	failures, err := e.judge(&s.h)
	if err != nil {
		return err
	}
	if len(failures) > 0 {
		e.count.violations++
	} else if !e.opts.List {
		return nil
	}
	if err := e.send(e.found(&s.h, failures)); err != nil {
		return err
	}
	if len(failures) > 0 && !e.opts.All {
		return e.stop(ByViolation)
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
func (e *engine) found(h *semantics.Ordered, failures []*program.Failure) *Found {
	f := &Found{Failures: failures, Ends: make([]*program.Node, h.Sessions())}
	f.History, f.Order = h.Extract()
	for i := range f.Ends {
		f.Ends[i] = h.Node(i)
	}
	return f
}
