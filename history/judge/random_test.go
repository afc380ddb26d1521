package judge

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/txmc/txmc/isolation/reference/recorded"
)

// drawing makes small random histories. Transactions run one after another on a store,
// and read from its present or an earlier state. So every level is violated by many
// histories and satisfied by many. Some reads are corrupted.
type drawing struct {
	*rand.Rand
	all      []string // registers q and r, lists x and y, set s; one may stand there twice
	repeated bool     // registers get the values 1 and 2, again and again, and lists some twice
	objects  []string // of a history: some of all
	stale    int      // whether old states are read never, by transactions, of objects, or by reads
	value    int
	ran      []int // of the last history: in which order the transactions ran, if that is known
}

// state is what a store has: the value of a register, the values of a list, the elements
// of a set.
type state map[string][]int

// history draws a history of two to five transactions.
func (d *drawing) history() recorded.Recorded {
	d.ran = nil
	if d.IntN(4) == 0 {
		return d.anomaly()
	}
	d.objects = nil
	for range 2 + d.IntN(2) {
		d.objects = append(d.objects, d.all[d.IntN(len(d.all))])
	}
	n := 2 + d.IntN(4)
	if d.IntN(2) == 0 {
		n = 4 + d.IntN(2)
	}
	sessions := 1 + d.IntN(n)
	if d.IntN(2) == 0 {
		sessions = n
	}
	d.stale = d.IntN(4)
	h := make(recorded.Recorded, n)
	for i := range h {
		h[i] = recorded.Transaction{Session: d.IntN(sessions), Fate: d.fate(), Ops: d.plan()}
	}
	states := []state{{}}
	d.ran = d.order(h)
	for _, i := range d.ran {
		now := d.execute(&h[i], states)
		if h[i].Fate == recorded.Committed || h[i].Fate == recorded.Unknown && d.IntN(3) > 0 {
			states = append(states, now)
		}
	}
	d.corrupt(h)
	return h
}

func (d *drawing) fate() recorded.Fate {
	switch d.IntN(10) {
	case 0:
		return recorded.Aborted
	case 1, 2:
		return recorded.Unknown
	}
	return recorded.Committed
}

// plan draws operations, with the values that they write.
func (d *drawing) plan() (ops []recorded.Op) {
	for range 1 + d.IntN(4) {
		o := recorded.Op{Object: d.objects[d.IntN(len(d.objects))]}
		o.Kind = map[string]recorded.Kind{"q": recorded.Write, "r": recorded.Write, "x": recorded.Append, "y": recorded.Append, "s": recorded.Add}[o.Object]
		switch d.value++; {
		case d.IntN(5) < 3:
			o.Kind++ // reads it
		case o.Kind == recorded.Add:
			o.Value = 1 + d.IntN(3)
		case o.Kind != recorded.Write && d.repeated && d.IntN(3) == 0:
			o.Value = 1 + d.IntN(3)
		case o.Kind == recorded.Write && d.repeated:
			o.Value = 1 + d.IntN(2)
		default:
			o.Value = d.value
		}
		ops = append(ops, o)
	}
	return ops
}

// order draws in which order the transactions run; those of a session in its order.
func (d *drawing) order(h recorded.Recorded) []int {
	order := d.Perm(len(h))
	for s := range h {
		var at, txns []int
		for i, t := range order {
			if h[t].Session == s {
				at, txns = append(at, i), append(txns, t)
			}
		}
		slices.Sort(txns)
		for i, k := range at {
			order[k] = txns[i]
		}
	}
	return order
}

// execute reads from one of the states, from one for each object, or, as at read
// committed, from later and later ones. It returns what the last state becomes.
func (d *drawing) execute(t *recorded.Transaction, states []state) state {
	latest := len(states) - 1
	view := latest
	if d.stale > 0 && d.IntN(4) > 0 {
		view = d.IntN(len(states))
	}
	views := map[string]int{}
	own := state{}
	now := state{}
	for name, values := range states[latest] {
		now[name] = values
	}
	for i := range t.Ops {
		x := t.Ops[i].Object
		if _, ok := views[x]; !ok {
			views[x] = view
			if d.stale > 1 {
				views[x] = d.IntN(len(states))
			}
		} else if d.stale > 2 {
			views[x] += d.IntN(latest - views[x] + 1)
		}
		step(&t.Ops[i], states[views[x]], own, now)
	}
	return now
}

// step fills in what an operation reads, of what is there and what its transaction has
// written, or writes to own and now.
func step(o *recorded.Op, there, own, now state) {
	switch o.Kind {
	case recorded.Write:
		own[o.Object], now[o.Object] = []int{o.Value}, []int{o.Value}
	case recorded.Append, recorded.Add:
		own[o.Object] = append(slices.Clip(own[o.Object]), o.Value)
		now[o.Object] = append(slices.Clip(now[o.Object]), o.Value)
	case recorded.Read:
		if values := append(slices.Clip(there[o.Object]), own[o.Object]...); len(values) > 0 {
			o.Value = values[len(values)-1]
		}
	default:
		o.Values = append(slices.Clip(there[o.Object]), own[o.Object]...)
		if o.Kind == recorded.ReadSet {
			slices.Sort(o.Values)
			o.Values = slices.Compact(o.Values)
		}
	}
}

// corrupt changes some of what was read.
func (d *drawing) corrupt(h recorded.Recorded) {
	written := map[string][]int{}
	for _, t := range h {
		for _, o := range t.Ops {
			if o.Value > 0 && (o.Kind == recorded.Write || o.Kind == recorded.Append || o.Kind == recorded.Add) {
				written[o.Object] = append(written[o.Object], o.Value)
			}
		}
	}
	for _, t := range h {
		for i := range t.Ops {
			if d.IntN(12) > 0 {
				continue
			}
			o := &t.Ops[i]
			all := written[o.Object]
			switch {
			case o.Kind == recorded.Read:
				o.Value = append(all, 0)[d.IntN(len(all)+1)]
			case o.Kind == recorded.ReadList || o.Kind == recorded.ReadSet:
				o.Values = d.distorted(o.Values, all, o.Kind == recorded.ReadSet)
			}
		}
	}
}

// distorted is a list or a set without one value, with one more, or with two exchanged.
func (d *drawing) distorted(values, all []int, set bool) []int {
	values = slices.Clone(values)
	switch n := len(values); d.IntN(4) {
	case 0:
		if n > 0 {
			k := d.IntN(n)
			values = slices.Delete(values, k, k+1)
		}
	case 1:
		if n > 1 {
			k := d.IntN(n - 1)
			values[k], values[k+1] = values[k+1], values[k]
		}
	case 2:
		if len(all) > 0 {
			values = slices.Insert(values, d.IntN(n+1), all[d.IntN(len(all))])
		}
	default:
		values = values[:n-min(n, 1)]
	}
	if set {
		slices.Sort(values)
		values = slices.Compact(values)
	}
	return values
}

// anomalies are what the levels tell apart. These transactions write and read a and b.
// The digit of a read is the number of writers that it sees, in the order in which they
// stand here.
var anomalies = []string{
	"wa; ra1; ra1 wb; rb1 ra0", // causality violation
	"wa; wb; ra1 rb0; rb1 ra0", // long fork
	"wa; wb; wa ra1 rb0; rb1 ra0",
	"ra0 wa; ra0 wa", // lost update
	"ra0 wa; ra0 wa; ra1",
	"ra0 rb0 wa; ra0 rb0 wb", // write skew
	"ra0 wb; rb0 wa; ra1",
	"wa wb; ra1 rb0", // fractured read
	"wa; ra1 ra0",    // non-monotonic read
	"rb1 wa; ra1 wb", // circular information flow
}

// anomaly draws one of them, of registers or lists, and changes it somewhat.
func (d *drawing) anomaly() recorded.Recorded {
	object := map[byte]string{}
	for _, name := range []byte("ab") {
		for object[name] == "" || object[name] == "s" || object['a'] == object['b'] {
			object[name] = d.all[d.IntN(len(d.all))]
		}
	}
	var h recorded.Recorded
	written := map[string][][]int{} // by object and writer
	texts := strings.Split(anomalies[d.IntN(len(anomalies))], "; ")
	for _, text := range texts {
		for _, name := range []byte("ab") {
			if strings.Contains(text, "w"+string(name)) {
				written[object[name]] = append(written[object[name]], d.values())
			}
		}
	}
	next := map[string]int{}
	for i, text := range texts {
		t := recorded.Transaction{Session: i, Fate: d.fate()}
		own := map[string][]int{}
		for _, word := range strings.Fields(text) {
			x := object[word[1]]
			if word[0] == 'w' {
				own[x] = written[x][next[x]]
				next[x]++
				t.Ops = append(t.Ops, write(x, own[x])...)
				continue
			}
			there := slices.Concat(written[x][:word[2]-'0']...)
			t.Ops = append(t.Ops, d.reading(x, there, own[x])...)
		}
		h = append(h, t)
	}
	d.corrupt(h)
	return h
}

// values are one or two new ones.
func (d *drawing) values() (list []int) {
	for range 1 + d.IntN(2) {
		d.value++
		list = append(list, d.value)
	}
	return list
}

// write writes values, one after another.
func write(object string, values []int) (ops []recorded.Op) {
	kind := recorded.Append
	if object == "q" || object == "r" {
		kind = recorded.Write
	}
	for _, v := range values {
		ops = append(ops, recorded.Op{Kind: kind, Object: object, Value: v})
	}
	return ops
}

// reading reads what is there, in some lists behind an append of its own.
func (d *drawing) reading(object string, there, own []int) (ops []recorded.Op) {
	o := recorded.Op{Kind: recorded.Read, Object: object}
	if object == "q" || object == "r" {
		step(&o, state{object: there}, state{object: own}, nil)
		return []recorded.Op{o}
	}
	o.Kind = recorded.ReadList
	if len(own) == 0 && d.IntN(4) == 0 {
		own = d.values()
		ops = write(object, own)
	}
	step(&o, state{object: there}, state{object: own}, nil)
	return append(ops, o)
}
