package check

import "slices"

// Version edges: what the database tells of the order of versions and of predicate reads.

// addVersions adds to a form the version orders that are known, and the predicate
// dependencies that follow from them.
func (s *sources) addVersions(n numbered, number []int32) {
	in := s.in
	orders := append(in.versions[:len(in.versions):len(in.versions)], in.listOrders(n.longest)...)
	for _, o := range orders {
		var txns []int32
		add := func(t int32) {
			if t >= 0 && (len(txns) == 0 || txns[len(txns)-1] != t) {
				txns = append(txns, t)
			}
		}
		for _, v := range o.values {
			add(s.installer(v, number))
		}
		if o.then >= 0 && number[o.then] > 0 {
			add(number[o.then])
		}
		if len(txns) > 1 {
			n.f.versions = append(n.f.versions, txns)
		}
	}
	if len(in.preds) == 0 {
		return
	}
	position := make([]int32, len(in.initial)) // of a value in its order, plus 1
	for _, o := range in.versions {
		for i, v := range o.values {
			position[v] = int32(i) + 1
		}
	}
	for _, p := range in.preds {
		if t := number[p.txn]; t > 0 {
			s.predicate(n.f, p, t, position, number)
		}
	}
}

// versions returns the known version orders of the transactions of a violation.
func (s *sources) versions(v *Violation) (list []Versions) {
	at := map[int]int{}
	for i, t := range v.Txns {
		if t >= 0 {
			at[t] = i
		}
	}
	for _, o := range append(s.in.versions[:len(s.in.versions):len(s.in.versions)], s.in.listOrders(v.longest)...) {
		key := slices.Index(v.keys, o.key)
		var txns []int
		add := func(t int32) {
			if i, ok := at[int(t)]; ok && !slices.Contains(txns, i) {
				txns = append(txns, i)
			}
		}
		for _, x := range o.values {
			if w, wrong := s.appender(x); wrong == NoFault && !s.in.initial[x] {
				add(w.txn)
			}
		}
		if o.then >= 0 {
			add(o.then)
		}
		if key >= 0 && len(txns) > 0 {
			list = append(list, Versions{key, txns, o.from})
		}
	}
	return list
}

// installer returns the transaction of the form that wrote a value, if only one
// did that has not aborted, or -1.
func (s *sources) installer(v int32, number []int32) int32 {
	if s.in.initial[v] {
		return -1
	}
	if w, wrong := s.appender(v); wrong == NoFault && number[w.txn] > 0 {
		return number[w.txn]
	}
	return -1
}

// predicate adds the dependencies of a predicate read (Adya 1999, section 4.4.2):
// for each key, the reader sees the last version up to its own that changed whether
// the key matches, and does not see the next one that does.
func (s *sources) predicate(f *form, p predicateRead, t int32, position, number []int32) {
	depend := func(u int32, anti bool) {
		switch {
		case u <= 0 || u == t:
		case anti:
			f.extra = append(f.extra, dependency{edge{t, u}, true})
		default:
			f.extra = append(f.extra, dependency{edge{u, t}, false})
		}
	}
	for _, o := range s.in.versions {
		values := o.values
		saw := -1 // position of the version it saw; -1 for the initial one
		if v, ok := p.saw(o.key); ok && !s.in.initial[v] {
			if saw = int(position[v]) - 1; saw < 0 {
				continue
			}
		}
		matches := func(i int) bool { return i >= 0 && p.match(values[i]) }
		for i := saw; i >= 0; i-- {
			if matches(i) != matches(i-1) {
				depend(s.installer(values[i], number), false)
				break
			}
		}
		for i := saw + 1; i < len(values); i++ {
			if matches(i) != matches(i-1) {
				depend(s.installer(values[i], number), true)
				break
			}
		}
	}
}
