package anomaly

import (
	"slices"

	"github.com/txmc/txmc/semantics"
)

// schedule is a growing partial order of the operations of a history.
type schedule struct {
	*facts
	order []int
	place []int // by transaction: its place in order
	ops   []Step
	start []int          // by transaction: its first operation
	after semantics.Rows // by operation: those that come after it
}

// newSchedule returns program order, so and wr; nil when they have a cycle.
func newSchedule(h *semantics.History, order []int) *schedule {
	p := &schedule{facts: gather(h), order: order, place: make([]int, len(h.Txns)), start: make([]int, len(h.Txns))}
	if p.bad() != nil || len(order) != p.n {
		return nil
	}
	for i, t := range order {
		p.place[t] = i
	}
	for t := 1; t < p.n; t++ {
		p.start[t] = len(p.ops)
		p.ops = append(p.ops, Step{t, Begin, -1, -1})
		for i := range h.Txns[t].Events {
			p.ops = append(p.ops, Step{t, Access, i, -1})
		}
		p.ops = append(p.ops, Step{t, End, -1, -1})
	}
	p.after.Reset((len(p.ops) + 63) / 64)
	for range p.ops {
		p.after.Push()
	}
	if !p.must() {
		return nil
	}
	return p
}

func (p *schedule) end(t int) int           { return p.start[t] + len(p.h.Txns[t].Events) + 1 }
func (p *schedule) access(t, event int) int { return p.start[t] + 1 + event }
func (p *schedule) before(u, v int) bool    { return p.after.Row(u).Has(v) }

// must adds what every order of the story has; false when it has a cycle.
func (p *schedule) must() bool {
	for i := 1; i < len(p.ops); i++ {
		if p.ops[i].Txn == p.ops[i-1].Txn {
			p.put(i-1, i)
		}
	}
	for a := 1; a < p.n; a++ {
		for b := 1; b < p.n; b++ {
			if p.so(a, b) && !p.put(p.end(a), p.start[b]) {
				return false
			}
		}
	}
	for _, r := range p.reads {
		if r.from != 0 && !p.put(p.end(r.from), p.access(r.txn, r.event)) {
			return false
		}
	}
	return true
}

// put makes u come before v, unless v comes before u.
func (p *schedule) put(u, v int) bool {
	if u == v || p.before(v, u) {
		return false
	}
	if p.before(u, v) {
		return true
	}
	late := p.after.Row(v)
	for a := range p.ops {
		if row := p.after.Row(a); a == u || row.Has(u) {
			row.Union(late)
			row.Add(v)
		}
	}
	return true
}

// prefer adds one of these, as far as it can, for each read of x from t1 and each other
// writer t2 of x. The read comes before t2's write: then the reader sees what the read
// misses. Or the read comes before t2's commit. Or t2 commits before t1: then t1's
// value is the latest. The last is the first choice when t2 comes before t1 in the
// given order.
func (p *schedule) prefer() {
	byPlace := slices.Clone(p.reads)
	slices.SortStableFunc(byPlace, func(a, b read) int { return p.place[a.txn] - p.place[b.txn] })
	for _, r := range byPlace {
		for _, t2 := range p.writers[r.x][1:] {
			if t2 != r.from && t2 != r.txn {
				p.preferFor(r, t2)
			}
		}
	}
}

func (p *schedule) preferFor(r read, t2 int) {
	i := p.access(r.txn, r.event)
	older := func() bool { return r.from != 0 && p.put(p.end(t2), p.end(r.from)) }
	if p.place[t2] < p.place[r.from] && older() {
		return
	}
	if p.put(i, p.write(t2, r)) || p.put(i, p.end(t2)) {
		return
	}
	older()
}

// write is t2's last write of the variable that r reads.
func (p *schedule) write(t2 int, r read) int {
	events := p.h.Txns[t2].Events
	for i := len(events) - 1; i > 0; i-- {
		if events[i].Kind == semantics.Write && events[i].Var == r.x {
			return p.access(t2, i)
		}
	}
	return p.access(t2, 0)
}
