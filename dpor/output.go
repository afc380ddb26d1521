package dpor

import (
	"encoding/binary"
	"slices"
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
	representatives
}

// verdicts are the verdicts of invariants on outcomes met before.
type verdicts struct {
	known map[string][]*program.Failure // by the sessions' ends
	key   []byte
	ends  []*program.Node
	fresh bool // the last outcome had not been met
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
	orbit := s.least.orbit() * e.representatives.orbit(&s.h)
	if orbit == 0 {
		return nil
	}
	if e.limit > 0 && e.counted.Add(1) > e.limit {
		e.leave()
		e.again.endStates++
		return e.stop(ByMaxHistories)
	}
	e.count.histories++
	e.count.permuted += orbit
	failures, err := e.verdicts.judge(e.prog, &s.h)
	if err == nil && e.symmetry != nil {
		err = e.verdicts.mirrored(e.prog, e.symmetry.nodes)
	}
	if err != nil {
		return err
	}
	if len(failures) > 0 {
		e.count.violations++
		e.count.permutedViolations += orbit
	} else if !e.list {
		return e.probeNow()
	}
	f := found(&s.h, failures)
	f.Orbit = orbit
	if err := e.send(f); err != nil {
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
	if f := notSerializable(prog, h); f != nil {
		failures = append(failures, f)
	}
	if prog.Invariants() == 0 {
		return failures, nil
	}
	broken, err := v.invariants(prog, h)
	return append(failures, broken...), err
}

// notSerializable is the failure of a history that should be serializable and is not.
func notSerializable(prog *program.Client, h *semantics.Ordered) *program.Failure {
	d, wanted := prog.Serializable()
	if !wanted {
		return nil
	}
	history, _ := h.Extract()
	switch {
	case !isolation.Satisfies(history, isolation.SER):
		return d.Failure("the history is not serializable")
	case prog.SerialSessions() && !serialSessions(history):
		return d.Failure("the history is that of no order of the sessions, one after another")
	}
	return nil
}

// maxVerdicts bounds the memory of verdicts.
const maxVerdicts = 1 << 16

// invariants judges each distinct outcome once: what an invariant can see is
// determined by the nodes at which the sessions ended.
func (v *verdicts) invariants(prog *program.Client, h *semantics.Ordered) ([]*program.Failure, error) {
	v.ends = v.ends[:0]
	for i := range h.Sessions() {
		v.ends = append(v.ends, h.Node(i))
	}
	return v.ofEnds(prog, v.ends)
}

// ofEnds judges the outcome of sessions that ended at those nodes.
func (v *verdicts) ofEnds(prog *program.Client, ends []*program.Node) ([]*program.Failure, error) {
	v.key = v.key[:0]
	for _, n := range ends {
		v.key = binary.AppendUvarint(v.key, uint64(n.ID))
	}
	broken, ok := v.known[string(v.key)]
	if v.fresh = !ok; ok {
		return broken, nil
	}
	broken, err := prog.Judge(ends)
	if err != nil {
		return nil, err
	}
	if v.known == nil || len(v.known) >= maxVerdicts {
		v.known = map[string][]*program.Failure{}
	}
	v.known[string(v.key)] = broken
	return broken, nil
}

// mirrors make images of the ends of sessions: see [program.Symmetry] and [program.Copies].
type mirrors interface {
	Exchanges() int
	Mirror(i int, ends, images []*program.Node) ([]*program.Node, error)
	Differs(i int, invariant string) error
}

// mirrored judges the images of the outcome that was judged last, if it had not been
// met. The error is a [*program.Difference] when an invariant fails for one of two that
// mirror each other.
func (v *verdicts) mirrored(prog *program.Client, y mirrors) error {
	if prog.Invariants() == 0 || !v.fresh {
		return nil
	}
	seen := map[string]bool{}
	for open := [][]*program.Node{slices.Clone(v.ends)}; len(open) > 0; {
		ends := open[len(open)-1]
		open = open[:len(open)-1]
		broken, err := v.ofEnds(prog, ends)
		if err != nil {
			return err
		}
		if seen[string(v.key)] {
			continue
		}
		seen[string(v.key)] = true
		for i := range y.Exchanges() {
			image, err := y.Mirror(i, ends, nil)
			if err != nil {
				return err
			}
			also, err := v.ofEnds(prog, image)
			if err != nil {
				return err
			}
			if name := onlyOne(broken, also); name != "" {
				return y.Differs(i, name)
			}
			if !seen[string(v.key)] {
				open = append(open, image)
			}
		}
	}
	return nil
}

// onlyOne is an invariant that is among those that fail in one list only, or "".
func onlyOne(a, b []*program.Failure) string {
	for _, lists := range [][2][]*program.Failure{{a, b}, {b, a}} {
		for _, f := range lists[0] {
			if !slices.ContainsFunc(lists[1], func(g *program.Failure) bool { return g.Name == f.Name }) {
				return f.Name
			}
		}
	}
	return ""
}
