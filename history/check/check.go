package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/txmc/txmc/history/conflict"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Options say how a history is to be read.
type Options struct {
	// NoSessionOrder: nothing is promised about the order of a session's
	// transactions (King Cobra's setting).
	NoSessionOrder bool
	// InitFree: the initial values are those of a transaction that no session
	// order holds; otherwise it comes before all others.
	InitFree bool
	// UniqueValues: a value that is written twice is a fault. Otherwise a read of
	// it may be from either write.
	UniqueValues bool
	// Certificate asks for Verdict.Order.
	Certificate bool
	// ClockError is by how much the clocks of two clients differ at most, in the unit of
	// Recording.Interval: a transaction comes before another only if it returned longer before.
	ClockError int64
}

// Checker decides a recording, level by level.
type Checker struct {
	r *Recording
	s *sources
	o Options

	mu   sync.Mutex // of what s keeps between levels
	open []openRead // of s, with all their writers
	last isolation.Level
}

// Checker finds out which read is from which write. The recording must not be
// added to afterwards.
func (r *Recording) Checker(o Options) (*Checker, error) {
	if r.err != nil {
		return nil, r.err
	}
	r.hints()
	r.intervals(o.ClockError)
	faults := r.predicateReads()
	s := r.in.resolve(o.UniqueValues)
	for _, f := range faults {
		if s.sure[f.txn] {
			s.fault(f)
		}
	}
	return &Checker{r: r, s: s, o: o, open: slices.Clone(s.open)}, nil
}

// Decide decides whether the history satisfies a level. When the context ends
// first the verdict is Undecided. It may be called by several goroutines at a time.
func (c *Checker) Decide(ctx context.Context, level isolation.Level) (*Verdict, error) {
	if v, err := c.inRealTime(ctx, level); v != nil || err != nil {
		return v, err
	}
	c.mu.Lock()
	if c.Alone() { // the choices are made in s, which forgets writers that the level excludes
		defer c.mu.Unlock()
		if !level.Implies(c.last) {
			c.s.open = slices.Clone(c.open)
		}
		c.last = level
	} else {
		c.s.prepare(c.o.rules())
		c.mu.Unlock()
	}
	v, err := c.s.judge(ctx, level, c.o)
	if err == nil && v.Outcome == Undecided && c.s.ambiguous {
		v, err = c.s.decideRepeated(ctx, level, c.o)
	}
	if err != nil {
		return nil, err
	}
	if v.Outcome == Violated && v.Violation == nil && len(v.Faults) == 0 && !c.s.ambiguous {
		v.Violation, _ = c.s.openViolation(ctx, level, c.o.rules(), c.open) // without it, it is violated all the same
	}
	if v.Violation != nil {
		c.tellRealTime(ctx, v)
		for _, x := range v.Violation.keys {
			v.Violation.Keys = append(v.Violation.Keys, c.r.names[x])
		}
		v.Violation.Versions = c.s.versions(v.Violation)
		if !c.o.InitFree {
			c.s.showSelected(v.Violation, c.r.names)
		}
		v.Violation.Appended = c.s.in.readsBases(v.Violation.Txns)
	}
	return v, nil
}

// Alone reports whether levels are decided one at a time, as they are where reads may
// be from several writers: other calls of Decide wait.
func (c *Checker) Alone() bool { return len(c.s.open) > 0 }

// judge decides one level.
func (s *sources) judge(ctx context.Context, level isolation.Level, o Options) (*Verdict, error) {
	v := &Verdict{Level: level}
	if v.addFaults(s.faults) {
		return v, nil
	}
	n, d, err := s.decideBy(ctx, level, o.rules())
	v.Work = d.work
	switch {
	case errors.Is(err, errChoices), errors.Is(err, conflict.ErrSize), ctx.Err() != nil:
		v.Why = fmt.Sprint(err)
		switch ctx.Err() {
		case nil:
		case context.Canceled:
			v.Why = "interrupted"
		default:
			v.Why = "out of time"
		}
		return v, nil
	case err != nil:
		return nil, err
	case d.order != nil && s.ambiguous:
		v.Why = "a list has a value that was appended several times"
		return v, nil
	case d.order != nil:
		v.Outcome = Satisfied
		if o.Certificate {
			for _, t := range d.order {
				v.Order = append(v.Order, int(n.orig[t]))
			}
		}
		return v, nil
	}
	v.Outcome = Violated
	if d.core != nil {
		v.Violation = n.violation(n.f.smallCore(ctx, level, d))
	}
	return v, nil
}

func (o Options) rules() rules { return rules{init: !o.InitFree, session: !o.NoSessionOrder} }

// addFaults reports whether there are faults, which violate every level.
func (v *Verdict) addFaults(faults []fault) bool {
	for _, f := range faults {
		v.Outcome = Violated
		v.Faults = append(v.Faults, Faulty{f.kind, Place{int(f.txn), int(f.op)}, Place{int(f.other), int(f.by)}})
	}
	return len(faults) > 0
}

func (s *sources) decideBy(ctx context.Context, level isolation.Level, r rules) (numbered, decision, error) {
	if len(s.open) > 0 {
		return s.decideOpen(ctx, level, r)
	}
	s.prepare(r)
	d, err := s.only.f.decide(ctx, level)
	return s.only, d, err
}

// prepare makes the form of a history without open reads.
func (s *sources) prepare(r rules) {
	if s.only.f == nil || s.onlyBy != r {
		s.only, _ = s.form(r, nil)
		s.only.f.causal = newCausal()
		s.onlyBy = r
	}
}

// violation makes the part of the history that the core is.
func (n numbered) violation(core []int32) *Violation {
	f, kept := n.f.restrict(core)
	v := &Violation{Txns: []int{-1}, longest: n.longest}
	h := &semantics.History{Final: -1, Txns: []semantics.Txn{{Session: -1, Status: semantics.Committed}}}
	for _, t := range kept[1:] {
		v.Txns = append(v.Txns, int(n.orig[t]))
	}
	name := make(map[int32]behaviour.VarID)
	variable := func(x int32) behaviour.VarID {
		if _, ok := name[x]; !ok {
			name[x] = behaviour.VarID(len(name))
			v.keys = append(v.keys, x)
		}
		return name[x]
	}
	for t := int32(1); int(t) < f.n; t++ {
		x := semantics.Txn{Status: semantics.Committed}
		if last := &h.Txns[t-1]; f.prev[t] > 0 {
			x.Session, x.Index = last.Session, last.Index+1
		} else {
			x.Session = h.Sessions
			h.Sessions++
		}
		for _, r := range f.readsOf(t) {
			x.Events = append(x.Events, semantics.Event{Kind: semantics.Read, Var: variable(r.key), Val: behaviour.ValueID(r.from), From: int(r.from)})
		}
		for _, k := range f.writesOf(t) {
			x.Events = append(x.Events, semantics.Event{Kind: semantics.Write, Var: variable(k), Val: behaviour.ValueID(t)})
		}
		h.Txns = append(h.Txns, x)
	}
	if !f.init {
		v.free(h)
	}
	v.History = h
	return v
}

// free puts a transaction of its own session in the initial one's place.
func (v *Violation) free(h *semantics.History) {
	first := semantics.Txn{Session: h.Sessions, Status: semantics.Committed}
	h.Sessions++
	for x := range v.keys {
		first.Events = append(first.Events, semantics.Event{Kind: semantics.Write, Var: behaviour.VarID(x), Val: 0})
	}
	for t := range h.Txns {
		for i := range h.Txns[t].Events {
			if e := &h.Txns[t].Events[i]; e.Kind == semantics.Read && e.From == 0 {
				e.From = len(h.Txns)
			}
		}
	}
	h.Txns = append(h.Txns, first)
	v.Txns = append(v.Txns, -1)
}

// poller tells a long loop whether its context has ended.
type poller struct {
	ctx   context.Context
	calls int
}

// ended reports whether the context has ended; it looks at one call in 1024.
func (p *poller) ended() bool {
	p.calls++
	return p.calls%1024 == 0 && p.ctx.Err() != nil
}
