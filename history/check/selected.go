package check

import (
	"cmp"
	"slices"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Predicate dependencies between the transactions of a violation are shown as dependencies
// over variables of their own, one for each key and predicate: whether the key matches.

// selection collects the variables of a violation.
type selection struct {
	s     *sources
	v     *Violation
	at    map[int]int // transactions of the violation, by their indexes in the recording
	vars  map[selectedKey]*selectedVar
	found []*selectedVar
	reads map[int][]semantics.Event // by transaction of the violation
}

type selectedKey struct {
	order int
	where *named
	pred  int // of one without a name, else -1
}

type selectedVar struct {
	selectedKey
	Selected
	writers []int // of the violation, in the order of versions
}

// showSelected adds the variables to a violation.
func (s *sources) showSelected(v *Violation, names []string) {
	if len(s.in.preds) == 0 {
		return
	}
	x := &selection{s, v, map[int]int{}, map[selectedKey]*selectedVar{}, nil, map[int][]semantics.Event{}}
	for i, t := range v.Txns {
		x.at[t] = i
	}
	p := newPredicates(s.in)
	for n := range s.in.preds {
		r := &s.in.preds[n]
		if t, ok := x.at[int(r.txn)]; ok {
			key := selectedKey{where: r.where, pred: -1}
			if r.where == nil {
				key.pred = n
			}
			p.of(r, func(d predicateDependency) { x.dependency(p, r, key, t, d) })
		}
	}
	for i, y := range x.found {
		name := "a predicate"
		if y.where != nil {
			name = y.where.name
		}
		v.Keys = append(v.Keys, names[s.in.versions[y.order].key]+" ("+name+")")
		y.Var = len(v.keys) + i
		v.Selected = append(v.Selected, y.Selected)
		v.Versions = append(v.Versions, Versions{y.Var, y.writers, Place{-1, -1}})
	}
	x.addEvents()
}

// dependency notes one between transactions of the violation: of t, that reads.
func (x *selection) dependency(p *predicates, r *predicateRead, key selectedKey, t int, d predicateDependency) {
	w, wrong := x.s.appender(d.value)
	u, ok := x.at[int(w.txn)]
	if wrong != NoFault || !ok || u == t {
		return
	}
	key.order = d.order
	y := x.vars[key]
	if y == nil {
		y = &selectedVar{selectedKey: key, Selected: Selected{Matches: map[int]bool{}, Saw: map[int]bool{}}}
		x.vars[key] = y
		x.found = append(x.found, y)
		x.writersOf(p, r, y)
		y.Var = len(x.v.keys) + len(x.found) - 1
	}
	from, saw := 0, !d.matches
	if !d.anti {
		from, saw = u, d.matches
	}
	if _, known := y.Saw[t]; !known {
		y.Saw[t] = saw
	}
	e := semantics.Event{Kind: semantics.Read, Var: behaviour.VarID(y.Var), Val: behaviour.ValueID(from), From: from}
	last := len(x.reads[t]) - 1
	switch {
	case last >= 0 && x.reads[t][last].Var == e.Var && d.anti && x.readsFromBefore(p, r, y, x.reads[t][last].From):
		// the same read, of which the version before is in the violation too
	case last >= 0 && x.reads[t][last] == e:
	default:
		x.reads[t] = append(x.reads[t], e)
	}
}

// readsFromBefore reports whether a read of a variable is from the last change that r saw.
func (x *selection) readsFromBefore(p *predicates, r *predicateRead, y *selectedVar, from int) bool {
	if from == 0 {
		return false
	}
	same := false
	p.of(r, func(d predicateDependency) {
		if d.order != y.order || d.anti {
			return
		}
		w, wrong := x.s.appender(d.value)
		same = same || wrong == NoFault && x.at[int(w.txn)] == from
	})
	return same
}

// writersOf finds who changes whether the key matches.
func (x *selection) writersOf(p *predicates, r *predicateRead, y *selectedVar) {
	i := slices.IndexFunc(p.allChanges(r), func(c changes) bool { return c.order == y.order })
	for n, at := range p.allChanges(r)[i].at {
		w, wrong := x.s.appender(x.s.in.versions[y.order].values[at])
		if u, ok := x.at[int(w.txn)]; ok && wrong == NoFault && x.s.in.fate[w.txn] != history.Aborted {
			if _, known := y.Matches[u]; !known {
				y.writers = append(y.writers, u)
			}
			y.Matches[u] = n%2 == 0
		}
	}
}

// addEvents puts reads before a transaction's other operations, and writes behind them.
func (x *selection) addEvents() {
	h := x.v.History
	for t := range h.Txns {
		events := append(slices.Clone(x.reads[t]), h.Txns[t].Events...)
		for _, y := range x.found {
			if _, ok := y.Matches[t]; ok {
				events = append(events, semantics.Event{Kind: semantics.Write, Var: behaviour.VarID(y.Var), Val: behaviour.ValueID(t)})
			}
		}
		h.Txns[t].Events = events
	}
	slices.SortStableFunc(x.v.Versions, func(a, b Versions) int { return cmp.Compare(a.Key, b.Key) })
}
