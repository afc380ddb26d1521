package dpor

import (
	"encoding/binary"
	"errors"
	"sync/atomic"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// errStopped ends an exploration early; engine.halt has the reason.
var errStopped = errors.New("exploration stopped")

// counts are the engine's own counters; published copies are for others.
type counts struct {
	histories, endStates, explored, blocked, violations int64
}

// aloneFor is how many calls of explore the first worker makes before it gives
// anything away. It keeps what is found first, and with it the report of a small
// program, the same in every run.
const aloneFor = 8192

// publishEvery is how many calls of explore pass between two looks at the
// outside world.
const publishEvery = 256

// engine is one worker: it explores on one goroutine.
type engine struct {
	prog *program.Client
	opts Options
	base isolation.Level
	// filtered: the states' filters follow the history, so that a complete one
	// is judged at once. They rest on the base CC.
	filtered bool
	first    bool // the worker that begins the exploration
	share    *share
	send     func(*Found) error
	taken    *atomic.Int64 // histories counted by all workers, when they are limited

	left  []Subtree // what is left at a pause or a stop,
	again counts    // and of count what is counted again then

	checker isolation.Checker
	free    []*state
	frames  []frame
	oldest  int // frames before this one have no work left
	count   counts

	deviations int // of the present history, when Options.Near bounds them

	serially bool // this is the second engine: serial.go
	passing
	choosing choosing

	verdicts map[string][]*program.Failure // of the invariants, by the sessions' ends
	key      []byte
	ends     []*program.Node

	published [6]atomic.Int64
}

// begin explores the whole program, and then what others give away.
func (e *engine) begin() error {
	s, err := e.initial()
	if err != nil {
		return err
	}
	explore := e.explore
	switch {
	case e.opts.DFS:
		explore = e.dfs
	case e.serially:
		explore = e.serial
	}
	if err := explore(s); err != nil {
		e.publish(s)
		return err
	}
	e.give(s)
	return e.run()
}

// initial returns the history before any session runs.
func (e *engine) initial() (*state, error) {
	roots := make([]*program.Node, e.prog.Sessions())
	for i := range roots {
		root, err := e.prog.Root(i)
		if err != nil {
			return nil, err
		}
		roots[i] = root
	}
	s := e.take()
	s.h.Reset(len(roots), e.prog.Final(), roots)
	s.known.Reset(&s.h, e.base)
	s.filter.Reset(e.opts.Level)
	s.skips = s.skips[:0]
	return s, nil
}

// run does tasks until the exploration is over.
func (e *engine) run() error {
	defer e.publish(nil)
	for t := e.share.take(); t != nil; t = e.share.take() {
		if err := e.do(t); err != nil {
			return err
		}
	}
	return nil
}

// enter counts a call of explore and looks whether something is wanted of this
// worker.
func (e *engine) enter(s *state) error {
	e.count.explored++
	if e.count.explored%publishEvery == 0 {
		e.publish(s)
	}
	if e.share.alert.Load() == 0 {
		return nil
	}
	if e.share.halt.Load() != nil {
		e.leave(s)
		return errStopped
	}
	if e.share.wanted.Load() {
		if err := e.pause(s); err != nil {
			return err
		}
	}
	if !e.first || e.count.explored > aloneFor || e.opts.shareAtOnce {
		e.giveAway()
	}
	return nil
}

func (e *engine) publish(s *state) {
	depth := 0
	if s != nil {
		depth = s.h.Len() - 1
	}
	c := &e.count
	for i, v := range [...]int64{c.histories, c.endStates, c.explored, c.blocked, c.violations, int64(depth)} {
		e.published[i].Store(v)
	}
}

// stop ends the exploration for all workers; the first reason counts.
func (e *engine) stop(r Reason) error {
	e.share.stop(r)
	return errStopped
}

// judge returns the assertions that a complete history breaks: those on the
// paths of its sessions, and the invariants.
func (e *engine) judge(h *semantics.Ordered) ([]*program.Failure, error) {
	var failures []*program.Failure
	for i := range h.Sessions() {
		failures = append(failures, h.Node(i).Failures...)
	}
	if e.prog.Invariants() == 0 {
		return failures, nil
	}
	broken, err := e.invariants(h)
	return append(failures, broken...), err
}

// maxVerdicts bounds the memory of verdicts.
const maxVerdicts = 1 << 16

// invariants judges each distinct outcome once: what an invariant can see is
// determined by the nodes at which the sessions ended.
func (e *engine) invariants(h *semantics.Ordered) ([]*program.Failure, error) {
	e.key, e.ends = e.key[:0], e.ends[:0]
	for i := range h.Sessions() {
		e.key = binary.AppendUvarint(e.key, uint64(h.Node(i).ID))
		e.ends = append(e.ends, h.Node(i))
	}
	if broken, ok := e.verdicts[string(e.key)]; ok {
		return broken, nil
	}
	broken, err := e.prog.Judge(e.ends)
	if err != nil {
		return nil, err
	}
	if e.verdicts == nil || len(e.verdicts) >= maxVerdicts {
		e.verdicts = map[string][]*program.Failure{}
	}
	e.verdicts[string(e.key)] = broken
	return broken, nil
}
