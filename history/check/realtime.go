package check

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/linear"
	"github.com/txmc/txmc/history/realtime"
	"github.com/txmc/txmc/isolation"
)

// Levels with real time: a transaction that returned before another was called comes before it, and
// the other sees it. Strict serializability is serializability with that, and strong snapshot
// isolation is snapshot isolation with it. The search has these pairs as arcs from where one writes to
// where the other reads. Registers of which each transaction uses one are decided one by one.

// intervals are those of all transactions, where the recording has them. A clock error makes each
// transaction return later.
func (r *Recording) intervals(clockError int64) {
	called, returned := r.called, r.returned
	if len(called) < r.in.txns() { // then the database's times are the best there is
		called, returned = r.start, r.commit
	}
	if len(called) < r.in.txns() || r.in.txns() == 0 {
		return
	}
	r.in.real = &realtime.Intervals{Called: slices.Clone(called), Returned: slices.Clone(returned)}
	for t := range r.in.real.Returned {
		end := &r.in.real.Returned[t]
		if r.in.fate[t] == history.Unknown || *end > math.MaxInt64-clockError {
			*end = realtime.Never
		} else {
			*end += clockError
		}
	}
}

// initialInterval begins the intervals of a form, with that of the initial transaction.
func initialInterval(first bool) *realtime.Intervals {
	x := &realtime.Intervals{Called: []int64{realtime.Always}, Returned: []int64{realtime.Always}}
	if !first {
		x.Returned[0] = realtime.Never
	}
	return x
}

// RealTime reports whether the recording has the time of each transaction.
func (c *Checker) RealTime() bool { return c.r.in.real != nil }

// errNoTimes is what a level with real time says of a history without.
func (c *Checker) errNoTimes(level isolation.Level) error {
	if n := len(c.r.called); n > 0 {
		return fmt.Errorf("%v needs to know when each transaction was called and returned: the history tells it of the first %d of %d alone", level, n, c.r.in.txns())
	}
	return fmt.Errorf("%v needs to know when transactions were called and returned, which the history does not tell", level)
}

// inRealTime decides what is decided register by register. It returns no verdict of other levels
// and histories.
func (c *Checker) inRealTime(ctx context.Context, level isolation.Level) (*Verdict, error) {
	if _, real := level.Timeless(); !real {
		return nil, nil
	}
	if c.r.in.real == nil {
		return nil, c.errNoTimes(level)
	}
	alone := c.registers()
	switch {
	case level == isolation.LIN && alone >= 0:
		return nil, fmt.Errorf("lin is for histories of which each transaction uses one key, and transaction %d uses several: sser is the same for transactions", alone+1)
	case level == isolation.LIN && c.r.in.hasLists():
		v, err := c.Decide(ctx, isolation.SSER)
		if v != nil {
			v.Level = level
		}
		return v, err
	case level == isolation.LIN, level == isolation.SSER && alone < 0 && c.Alone() && !c.o.Certificate && !c.r.in.hasLists() && c.sequential():
		return c.linearizable(ctx, level)
	}
	return nil, nil
}

func (in *input) hasLists() bool {
	return len(in.lists.longest)+len(in.lists.unsure)+len(in.lists.ends) > 0
}

// registers returns the first transaction that uses several keys, or -1.
func (c *Checker) registers() int {
	in := c.r.in
	for t := range int32(in.txns()) {
		ops := in.opsOf(t)
		if t == 0 && in.beginsInitial() {
			continue
		}
		for _, o := range ops {
			if o.key != ops[0].key {
				return int(t)
			}
		}
	}
	return -1
}

// sequential reports whether the transactions of each session follow each other in real time.
func (c *Checker) sequential() bool {
	last, in := map[int32]int32{}, c.r.in
	for t := range int32(in.txns()) {
		if in.fate[t] == history.Aborted {
			continue
		}
		if before, ok := last[in.session[t]]; ok && !in.real.Before(before, t) {
			return false
		}
		last[in.session[t]] = t
	}
	return !c.o.NoSessionOrder && !c.o.InitFree
}

// linearizable decides each register.
func (c *Checker) linearizable(ctx context.Context, level isolation.Level) (*Verdict, error) {
	v := &Verdict{Level: level}
	if v.addFaults(c.s.faults) {
		return v, nil
	}
	for key, txns := range c.byKey() {
		ops, initial := c.registerOps(int32(key), txns)
		order, err := linear.Linearize(ctx, ops, initial)
		if err == nil && order == nil {
			var at int
			if at, err = linear.Shortest(ctx, ops, initial); err == nil && at >= 0 {
				v.Outcome, v.Unordered = Violated, &Unordered{c.r.names[key], len(ops), int(txns[at])}
				return v, nil
			}
		}
		if err != nil {
			v.Why = "out of time"
			if ctx.Err() == context.Canceled {
				v.Why = "interrupted"
			}
			return v, nil
		}
	}
	v.Outcome = Satisfied
	return v, nil
}

// byKey are the transactions that use each key, but for those without effect.
func (c *Checker) byKey() [][]int32 {
	in := c.r.in
	by := make([][]int32, in.keys)
	for t := range int32(in.txns()) {
		ops := in.opsOf(t)
		if len(ops) == 0 || in.fate[t] == history.Aborted || t == 0 && in.beginsInitial() {
			continue
		}
		if in.fate[t] == history.Unknown && !slices.ContainsFunc(ops, func(o op) bool { return o.write }) {
			continue
		}
		by[ops[0].key] = append(by[ops[0].key], t)
	}
	return by
}

// impossible is what a transaction reads that reads two values at once, or another than its own. If
// nobody knows of its end, it had no effect.
const impossible = -2

// registerOps are transactions as operations on a register, and its initial value.
func (c *Checker) registerOps(key int32, txns []int32) (ops []linear.Op, initial int32) {
	in := c.r.in
	initial = -1
	for _, t := range txns {
		o := linear.Op{Called: in.real.Called[t], Returned: in.real.Returned[t], Optional: in.fate[t] == history.Unknown}
		for _, x := range in.opsOf(t) {
			switch {
			case x.write:
				o.Writes, o.Write = true, x.value
			case o.Reads && o.Read == impossible:
			case !o.Writes && (!o.Reads || o.Read == x.value):
				o.Reads, o.Read = true, x.value
			case !o.Writes || o.Write != x.value:
				o.Reads, o.Read = true, impossible
			}
			if in.initial[x.value] {
				initial = x.value
			}
		}
		ops = append(ops, o)
	}
	return ops, initial
}

// tellRealTime notes the order in real time where a violation needs it.
func (c *Checker) tellRealTime(ctx context.Context, v *Verdict) {
	base, real := v.Level.Timeless()
	if !real || !isolation.Satisfies(v.Violation.History, base) || ctx.Err() != nil {
		return
	}
	x := &realtime.Intervals{}
	for _, t := range v.Violation.Txns {
		called, returned := int64(realtime.Always), int64(realtime.Always)
		if t >= 0 {
			called, returned = c.r.in.real.Called[t], c.r.in.real.Returned[t]
		}
		x.Called, x.Returned = append(x.Called, called), append(x.Returned, returned)
	}
	x.Reduced(func(t, u int32) {
		if v.Violation.Txns[t] >= 0 {
			v.Violation.RealTime = append(v.Violation.RealTime, [2]int{int(t), int(u)})
		}
	})
}

// returning tells a run of a store which transactions must have ended: for each session and number of
// steps done, when the first of those left returned.
type returning struct{ first [][]int64 }

func (p *operational) newReturning() *returning {
	r := &returning{first: make([][]int64, len(p.steps))}
	for x, steps := range p.steps {
		r.first[x] = make([]int64, len(steps)+1)
		r.first[x][len(steps)] = realtime.Never
		for i := len(steps) - 1; i >= 0; i-- {
			r.first[x][i] = min(r.first[x][i+1], p.s.in.real.Returned[steps[i].txn])
		}
	}
	return r
}

// allReturned reports whether none of those left returned before t was called.
func (p *operational) allReturned(t int32) bool {
	for x, first := range p.first {
		if first[p.next[x]] < p.s.in.real.Called[t] {
			return false
		}
	}
	return true
}
