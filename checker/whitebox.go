package checker

import "slices"

// told adds to a form what the database tells: version orders, and the predicate
// dependencies that follow from them.
func (s *sources) told(n numbered, number []int32) {
	in := s.in
	orders := append(in.versions[:len(in.versions):len(in.versions)], in.lists.orders(in)...)
	for _, o := range orders {
		var txns []int32
		for _, v := range o.values {
			t := s.installer(v, number)
			if t >= 0 && (len(txns) == 0 || txns[len(txns)-1] != t) {
				txns = append(txns, t)
			}
		}
		if len(txns) > 1 {
			n.f.versions = append(n.f.versions, txns)
		}
	}
	if len(in.preds) == 0 {
		return
	}
	place := make([]int32, len(in.initial)) // of a value in its order, plus 1
	for _, o := range in.versions {
		for i, v := range o.values {
			place[v] = int32(i) + 1
		}
	}
	for _, p := range in.preds {
		if t := number[p.txn]; t > 0 {
			s.predicate(n.f, p, t, place, number)
		}
	}
}

// versions are the orders that are told of the transactions of a violation.
func (s *sources) versions(v *Violation) (list []Versions) {
	at := map[int]int{}
	for i, t := range v.Txns {
		if t >= 0 {
			at[t] = i
		}
	}
	for _, o := range append(s.in.versions[:len(s.in.versions):len(s.in.versions)], s.in.lists.orders(s.in)...) {
		key := slices.Index(v.keys, o.key)
		var txns []int
		for _, x := range o.values {
			if ws := s.writes.of(x); len(ws) == 1 && !s.in.initial[x] {
				if i, ok := at[int(ws[0].txn)]; ok && !slices.Contains(txns, i) {
					txns = append(txns, i)
				}
			}
		}
		if key >= 0 && len(txns) > 0 {
			list = append(list, Versions{key, txns})
		}
	}
	return list
}

// installer returns the transaction of the form that wrote a value, if there is
// only one, or -1.
func (s *sources) installer(v int32, number []int32) int32 {
	if s.in.initial[v] {
		return -1
	}
	if ws := s.writes.of(v); len(ws) == 1 && number[ws[0].txn] > 0 {
		return number[ws[0].txn]
	}
	return -1
}

// predicate adds the dependencies of a predicate read (Adya 1999, section 4.4.2):
// for each key, the reader sees the last version up to its own that changed whether
// the key matches, and does not see the next one that does.
func (s *sources) predicate(f *form, p predicateRead, t int32, place, number []int32) {
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
		saw := -1 // place of the version it saw; -1 for the initial one
		if v, ok := p.saw(o.key); ok && !s.in.initial[v] {
			if saw = int(place[v]) - 1; saw < 0 {
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
