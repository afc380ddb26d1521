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
	newPredicates(in).dependencies(n.f, number, func(value int32) int32 { return s.installer(value, number) })
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
