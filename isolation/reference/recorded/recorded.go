// Package recorded decides recorded histories of registers, lists and sets by the
// definition in docs/histories.md, slowly and obviously. Only tests import it. It
// shares no code with the checker.
//
// A history satisfies a level when three things can be chosen: the fates that are unknown, a
// commit order of the transactions that committed, and a writer for each read. They explain
// all that was read, and satisfy the axiom of the level (Biswas and Enea, OOPSLA 2019). All
// fates, all commit orders and all writers are tried.
package recorded

import (
	"slices"

	"github.com/txmc/txmc/isolation"
)

// Recorded is a history as clients recorded it. The transactions of a session stand in
// its order.
type Recorded []Transaction

// Transaction is one transaction of a recorded history.
type Transaction struct {
	Session int
	Fate    Fate
	Ops     []Op
	Real    *Interval // nil if nobody knows
}

// Interval is when a client called a transaction and when it returned. One of unknown fate did not
// return.
type Interval struct{ Called, Returned int }

// Fate is what became of a transaction.
type Fate uint8

const (
	// Committed: the transaction has committed.
	Committed Fate = iota
	// Aborted: the transaction had no effect, and nobody asks what it read.
	Aborted
	// Unknown: the transaction has committed or aborted.
	Unknown
)

// Op is an operation on an object. An object is a register, a list or a set, and its
// operations are those of its kind only.
type Op struct {
	Kind   Kind
	Object string
	Value  int   // of Write, Read, Append and Add; a register has 0 at first
	Values []int // of ReadList, in order, and of ReadSet
}

// Kind is what an operation does.
type Kind uint8

const (
	// Write writes a register.
	Write Kind = iota
	// Read reads a register.
	Read
	// Append appends a value to a list.
	Append
	// ReadList reads all values of a list.
	ReadList
	// Add adds an element to a set.
	Add
	// ReadSet reads a set: one after another, in the order in which they are first added,
	// it reads of all elements of the history whether they are there.
	ReadSet
)

// item is what a transaction writes as a whole: a register, a list or an element of a
// set.
type item struct {
	object  string
	element int // of a set; 0 otherwise
}

// observation is an external read: of an item, from one of some transactions. Numbers
// are positions in the commit order, and initial is the initial transaction.
type observation struct {
	item   item
	reader int
	from   []int
}

const initial = -1

// Satisfied returns for each level whether the history satisfies it.
func (h Recorded) Satisfied() map[isolation.Level]bool { return h.SatisfiedAt(isolation.Levels()) }

// SatisfiedAt is Satisfied for these levels. Those with real time need to know when all transactions
// were called and returned.
func (h Recorded) SatisfiedAt(levels []isolation.Level) map[isolation.Level]bool {
	d := &decision{history: h, satisfied: map[isolation.Level]bool{}}
	for _, l := range levels {
		if d.satisfied[l] = false; l == isolation.LIN {
			d.satisfied[l] = h.linearizable()
		} else {
			d.levels = append(d.levels, l)
		}
	}
	d.fates(0, nil)
	return d.satisfied
}

// decision tries everything.
type decision struct {
	history   Recorded
	levels    []isolation.Level
	satisfied map[isolation.Level]bool
}

// fates tries all fates of the transactions from i on; those in txns committed.
func (d *decision) fates(i int, txns []int) {
	if i == len(d.history) {
		d.orders(txns, nil)
		return
	}
	if d.history[i].Fate != Aborted {
		d.fates(i+1, append(slices.Clip(txns), i))
	}
	if d.history[i].Fate != Committed {
		d.fates(i+1, txns)
	}
}

// orders tries all commit orders that extend co by the transactions left.
func (d *decision) orders(left, co []int) {
	if len(left) == 0 {
		d.commitOrder(co)
		return
	}
	for i, t := range left {
		before := func(u int) bool { return d.history[u].Session == d.history[t].Session }
		if !slices.ContainsFunc(left[:i], before) {
			d.orders(slices.Concat(left[:i], left[i+1:]), append(slices.Clip(co), t))
		}
	}
}

// commitOrder tries all writers for a commit order.
func (d *decision) commitOrder(co []int) {
	r := &run{universe: d.history.elements()}
	for _, t := range co {
		r.txns = append(r.txns, d.history[t])
	}
	if r.observe() {
		d.writers(r, 0, make([]int, len(r.reads)))
	}
}

// writers tries all writers of the reads from i on.
func (d *decision) writers(r *run, i int, from []int) {
	if i < len(r.reads) {
		for _, w := range r.reads[i].from {
			from[i] = w
			d.writers(r, i+1, from)
		}
		return
	}
	relations, co := r.relations(from), r.inOrder()
	for _, l := range d.levels {
		d.satisfied[l] = d.satisfied[l] || relations.Shows(l, co)
	}
}

// elements lists the elements that are added to each set.
func (h Recorded) elements() map[string][]int {
	all := map[string][]int{}
	for _, t := range h {
		for _, o := range t.Ops {
			if o.Kind == Add && !slices.Contains(all[o.Object], o.Value) {
				all[o.Object] = append(all[o.Object], o.Value)
			}
		}
	}
	return all
}

// run is transactions in a commit order.
type run struct {
	txns     []Transaction
	universe map[string][]int
	reads    []observation // in the order in which they were made, reader by reader
}

// observe finds from which transactions each external read may be. It is false when
// something that was read fits no writer.
func (r *run) observe() bool {
	for t := range r.txns {
		for i, o := range r.txns[t].Ops {
			own := r.txns[t].Ops[:i]
			ok := true
			switch o.Kind {
			case Read:
				ok = r.observeRegister(t, own, o)
			case ReadList:
				ok = r.observeList(t, own, o)
			case ReadSet:
				ok = r.observeSet(t, own, o)
			}
			if !ok {
				return false
			}
		}
	}
	return true
}

func (r *run) observeRegister(t int, own []Op, o Op) bool {
	if v, ok := lastWrite(own, o.Object); ok {
		return v == o.Value
	}
	var from []int
	if o.Value == 0 {
		from = append(from, initial)
	}
	for u := range r.txns {
		if v, ok := lastWrite(r.txns[u].Ops, o.Object); ok && v == o.Value && u != t {
			from = append(from, u)
		}
	}
	r.reads = append(r.reads, observation{item{o.Object, 0}, t, from})
	return len(from) > 0
}

// observeList: a list is the appends of the first transactions of the commit order that
// append to it, however many they are, and behind these the own appends so far. The own
// appends come right behind what was there before them.
func (r *run) observeList(t int, own []Op, o Op) bool {
	mine := appends(own, o.Object)
	var appenders []int
	for u := range r.txns {
		if len(appends(r.txns[u].Ops, o.Object)) > 0 {
			appenders = append(appenders, u)
		}
	}
	from, list := initial, []int{}
	for k := 0; ; k++ {
		if slices.Equal(slices.Concat(list, mine), o.Values) && (len(mine) == 0 || appenders[k] == t) {
			r.reads = append(r.reads, observation{item{o.Object, 0}, t, []int{from}})
			return true
		}
		if k == len(appenders) || appenders[k] == t {
			return false
		}
		from = appenders[k]
		list = append(list, appends(r.txns[from].Ops, o.Object)...)
	}
}

func (r *run) observeSet(t int, own []Op, o Op) bool {
	for _, e := range o.Values {
		if !slices.Contains(r.universe[o.Object], e) {
			return false
		}
	}
	for _, e := range r.universe[o.Object] {
		there := slices.Contains(o.Values, e)
		if adds(own, o.Object, e) {
			if !there {
				return false
			}
			continue
		}
		var from []int
		if !there {
			from = append(from, initial)
		}
		for u := range r.txns {
			if there && u != t && adds(r.txns[u].Ops, o.Object, e) {
				from = append(from, u)
			}
		}
		if len(from) == 0 {
			return false
		}
		r.reads = append(r.reads, observation{item{o.Object, e}, t, from})
	}
	return true
}

func lastWrite(ops []Op, register string) (value int, ok bool) {
	for _, o := range ops {
		if o.Kind == Write && o.Object == register {
			value, ok = o.Value, true
		}
	}
	return value, ok
}

func appends(ops []Op, list string) (values []int) {
	for _, o := range ops {
		if o.Kind == Append && o.Object == list {
			values = append(values, o.Value)
		}
	}
	return values
}

func adds(ops []Op, set string, element int) bool {
	return slices.ContainsFunc(ops, func(o Op) bool { return o.Kind == Add && o.Object == set && o.Value == element })
}

// writes reports whether an operation of the kind writes.
func (k Kind) writes() bool { return k == Write || k == Append || k == Add }

// item is what an operation on a register, a list or an element of a set is about.
func (o Op) item() item {
	if o.Kind == Add {
		return item{o.Object, o.Value}
	}
	return item{o.Object, 0}
}
