package anomaly

import (
	"cmp"
	"slices"
	"sort"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Schedule orders the operations of h such that a reader can follow them. As far as
// possible a read returns the last committed value at that moment, and a write that a
// read misses comes after the read. so ∪ wr of h must have no cycle. order is an order
// of the transactions that extends so and wr, such as that of dpor.Found. nil stands for
// an order of h's own. It only decides what comes first where nothing else does.
//
// The result extends program order, session order, and write-read: the writer's commit
// precedes the read. Preferences are added one after another, each unless it would make
// a cycle (schedule.go). Then the operations are put in order. The present transaction
// goes on while it can; else an open one does; else one begins. It is one that can run
// to its end, if possible, or that can do something at once.
func Schedule(h *semantics.History, order []int) *Story {
	if order == nil {
		_, order, _ = semantics.Order(h)
	}
	p := newSchedule(h, order)
	if p == nil {
		return &Story{FirstNonSerial: -1}
	}
	p.prefer()
	s := &Story{Steps: p.steps(), FirstNonSerial: -1}
	s.misses(h)
	s.FirstNonSerial = firstNonSerial(h, s.Steps)
	return s
}

// steps puts the operations in order.
func (p *schedule) steps() []Step {
	var steps []Step
	done := make([]bool, len(p.ops))
	next := slices.Clone(p.start) // by transaction: the next operation
	var open []int
	for current := 0; len(steps) < len(p.ops); {
		if current == 0 || next[current] > p.end(current) || !p.ready(next[current], done) {
			current = p.pick(open, next, done)
		}
		i := next[current]
		if p.ops[i].Op == Begin {
			open = append(open, current)
		}
		if p.ops[i].Op == End {
			open = slices.DeleteFunc(open, func(t int) bool { return t == current })
		}
		steps = append(steps, p.ops[i])
		done[i] = true
		next[current]++
	}
	return steps
}

// pick chooses the transaction that goes on.
func (p *schedule) pick(open, next []int, done []bool) int {
	for _, t := range open {
		if p.ready(next[t], done) {
			return t
		}
	}
	first, active := 0, 0
	for _, t := range p.order {
		if t == 0 || next[t] != p.start[t] || !p.ready(next[t], done) {
			continue
		}
		if p.free(t, done) {
			return t
		}
		if active == 0 && p.acts(t, done) {
			active = t
		}
		if first == 0 {
			first = t
		}
	}
	return cmp.Or(active, first)
}

// acts reports whether t, once begun, can do something at once.
func (p *schedule) acts(t int, done []bool) bool {
	begin := p.start[t]
	for u := range p.ops {
		if !done[u] && u != begin && p.before(u, begin+1) {
			return false
		}
	}
	return true
}

// ready reports whether all that must come before operation i is done.
func (p *schedule) ready(i int, done []bool) bool {
	for u := range p.ops {
		if !done[u] && p.before(u, i) {
			return false
		}
	}
	return true
}

// free reports whether t can run from its beginning to its end.
func (p *schedule) free(t int, done []bool) bool {
	for u := range p.ops {
		if !done[u] && p.ops[u].Txn != t && p.before(u, p.end(t)) {
			return false
		}
	}
	return true
}

// misses fills in Step.Misses.
func (s *Story) misses(h *semantics.History) {
	latest := map[behaviour.VarID]int{}
	for i := range s.Steps {
		step := &s.Steps[i]
		step.Misses = -1
		t := &h.Txns[step.Txn]
		if step.Op == End && t.Status == semantics.Committed {
			for _, w := range semantics.LastWrites(t) {
				latest[w.Var] = step.Txn
			}
		}
		if step.Op != Access {
			continue
		}
		if e := t.Events[step.Event]; e.Kind == semantics.Read && e.From != semantics.Own && e.From != latest[e.Var] {
			step.Misses = latest[e.Var]
		}
	}
}

// firstNonSerial finds the first step after which the history so far is not serializable.
// Transactions that are going to commit count as committed with what they have done so
// far. So the step is the write that breaks the serial behaviour, and not the commit after
// this write. A serializable history is still serializable without its last operation. So
// the step can be searched by bisection.
func firstNonSerial(h *semantics.History, steps []Step) int {
	if Prove(h, isolation.SER) == nil {
		return -1
	}
	return sort.Search(len(steps)-1, func(i int) bool {
		return Prove(upTo(h, steps[:i+1]), isolation.SER) != nil
	})
}

// upTo is the history of the first steps.
func upTo(h *semantics.History, steps []Step) *semantics.History {
	events := make([]int, len(h.Txns)) // by transaction: how many; -1 when it has not begun
	for t := range events {
		events[t] = -1
	}
	events[0] = 0
	for _, s := range steps {
		switch s.Op {
		case Begin:
			events[s.Txn] = 0
		case Access:
			events[s.Txn]++
		}
	}
	g := &semantics.History{Sessions: h.Sessions, Final: h.Final}
	number := make([]int, len(h.Txns))
	for t := range h.Txns {
		if events[t] < 0 {
			continue
		}
		number[t] = len(g.Txns)
		txn := h.Txns[t]
		txn.Events = slices.Clone(txn.Events[:events[t]])
		g.Txns = append(g.Txns, txn)
	}
	for t := range g.Txns {
		for i := range g.Txns[t].Events {
			if e := &g.Txns[t].Events[i]; e.From > 0 {
				e.From = number[e.From]
			}
		}
	}
	return g
}
