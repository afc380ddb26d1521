package dpor

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// delivery is where all workers hand on what they find.
type delivery struct {
	all     bool         // the first violation does not stop the exploration
	list    bool         // every history is wanted
	limit   int64        // of histories; 0: none
	counted atomic.Int64 // histories counted by all workers, when they are limited
	send    func(*Found) error
}

// outlet judges a worker's complete histories and hands them on.
type outlet struct {
	*delivery
	checker isolation.Checker
	verdicts
}

// verdicts are the verdicts of invariants on outcomes met before.
type verdicts struct {
	known map[string][]*program.Failure // by the sessions' ends
	key   []byte
	ends  []*program.Node
}

// valid is the filter of explore-ce* (PLDI 2023, section 6): it reports whether
// the complete history satisfies the level that is asked for, and its locking reads
// are of the latest version. The base knows nothing of locking reads: with them no
// level is causally extensible, so that all levels are explored by explore-ce*.
func (e *explorer) valid(s *state) bool {
	switch {
	case e.checked:
		return true
	case e.level == e.base:
		return !e.prog.Locks() || e.checker.AllowsKnown(&s.h, &s.known, e.level)
	case e.filtered:
		return s.filter.Valid()
	default:
		return e.checker.Allows(&s.h, e.level)
	}
}

// output counts a complete history and hands it on if it is wanted.
func (e *explorer) output(s *state) error {
	if dropped(&s.h) {
		e.count.blocked++
		return nil
	}
	e.count.endStates++
	if !e.valid(s) {
		return nil
	}
	if e.limit > 0 && e.counted.Add(1) > e.limit {
		e.leave()
		e.again.endStates++
		return e.stop(ByMaxHistories)
	}
	e.count.histories++
	failures, err := e.verdicts.judge(e.prog, &s.h)
	if err != nil {
		return err
	}
	if len(failures) > 0 {
		e.count.violations++
	} else if !e.list {
		return nil
	}
	if err := e.send(found(&s.h, failures)); err != nil {
		return err
	}
	if len(failures) > 0 && !e.all {
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
func found(h *semantics.Ordered, failures []*program.Failure) *Found {
	f := &Found{Failures: failures, Ends: make([]*program.Node, h.Sessions())}
	f.History, f.Order = h.Extract()
	for i := range f.Ends {
		f.Ends[i] = h.Node(i)
	}
	return f
}

// judge returns the assertions that a complete history breaks: those on the
// paths of its sessions, and the invariants.
func (v *verdicts) judge(prog *program.Client, h *semantics.Ordered) ([]*program.Failure, error) {
	var failures []*program.Failure
	for i := range h.Sessions() {
		failures = append(failures, h.Node(i).Failures...)
	}
	if prog.Invariants() == 0 {
		return failures, nil
	}
	broken, err := v.invariants(prog, h)
	return append(failures, broken...), err
}

// maxVerdicts bounds the memory of verdicts.
const maxVerdicts = 1 << 16

// invariants judges each distinct outcome once: what an invariant can see is
// determined by the nodes at which the sessions ended.
func (v *verdicts) invariants(prog *program.Client, h *semantics.Ordered) ([]*program.Failure, error) {
	v.key, v.ends = v.key[:0], v.ends[:0]
	for i := range h.Sessions() {
		v.key = binary.AppendUvarint(v.key, uint64(h.Node(i).ID))
		v.ends = append(v.ends, h.Node(i))
	}
	if broken, ok := v.known[string(v.key)]; ok {
		return broken, nil
	}
	broken, err := prog.Judge(v.ends)
	if err != nil {
		return nil, err
	}
	if v.known == nil || len(v.known) >= maxVerdicts {
		v.known = map[string][]*program.Failure{}
	}
	v.known[string(v.key)] = broken
	return broken, nil
}
