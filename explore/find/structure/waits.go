package structure

import (
	"slices"

	"github.com/txmc/txmc/explore/find/access"
)

// A transaction keeps a row that it has locked to its end. Let the reader of a cycle lock a row
// before it reads, and let the writer lock the same row. Either the writer had the row first: then
// the reader reads after the writer's commit. Or the writer waits for the reader's end: then nothing
// of the reader comes after the writer's commit. Neither is the cycle.

// excludes reports whether the reader locks a row before it reads, and the writer one and the same.
// The row is there: what the dependency has met refers to it, and neither transaction makes it.
func (r *rivals) excludes(d *Dependency) bool {
	met := r.met(d)
	if met == nil {
		return false
	}
	for s, a := range r.reader.holds(r.out, r.in) {
		if s.Number >= r.out.Number || r.reader.inserts(a.Table) || r.writer.inserts(a.Table) || !refers(r.out, d.Table, met.Bound, s, a) {
			continue
		}
		for t, b := range r.writer.holds(r.overtakes, r.before) {
			if r.both && t.Number >= r.before.Number { // the writer may read before it waits
				continue
			}
			if a.Table == b.Table && r.sameKey(a.Table, s, a.Bound, t, b.Bound) {
				return true
			}
		}
	}
	return false
}

// met is how the reader looks for the row that the writer changes, when the row is there. It is
// nil where it is another row.
func (r *rivals) met(d *Dependency) *access.Access {
	for _, w := range r.overtakes.Accesses {
		if w.Table == d.Table && w.Kind == access.Insert || w.Table == d.Table && w.Kind == access.Update && slices.ContainsFunc(w.Columns, d.Table.Identifies) {
			return nil
		}
	}
	i := slices.IndexFunc(r.out.Accesses, func(a *access.Access) bool { return a.Table == d.Table })
	if i < 0 || slices.ContainsFunc(r.out.Accesses[i+1:], func(a *access.Access) bool { return a.Table == d.Table && a.Kind == access.Read }) {
		return nil
	}
	return r.out.Accesses[i]
}

// holds yields the rows that a transaction surely locks against others when it makes two steps, each
// by its key.
func (t *Transaction) holds(one, other *Step) func(func(*Step, *access.Access) bool) {
	return func(yield func(*Step, *access.Access) bool) {
		for _, s := range t.Steps {
			if s.Seen || s.Loop || s != one && s != other && !s.wheneverThat(one, other) {
				continue
			}
			for _, a := range s.Accesses {
				locks := a.Kind == access.Update || a.Kind == access.Delete || a.Kind == access.Read && a.Lock >= access.NoKeyUpdate
				moves := a.Kind == access.Update && slices.ContainsFunc(a.Columns, a.Table.Identifies)
				if locks && !moves && a.Exact && !a.Check && !s.upserts() && s.wholly(a) && !yield(s, a) {
					return
				}
			}
		}
	}
}

// wholly reports whether a statement looks for rows of an access by its key alone, and so meets the
// row whatever it has.
func (s *Step) wholly(a *access.Access) bool {
	return !slices.ContainsFunc(s.Accesses, func(b *access.Access) bool {
		return b.Table != a.Table && !b.Check || b.Table == a.Table && b.Kind == access.Read && slices.ContainsFunc(b.Columns, func(c int) bool {
			_, bound := a.Bound[c]
			return !bound && !slices.Contains(b.Adds, c)
		})
	})
}

// inserts reports whether a transaction inserts rows into a table.
func (t *Transaction) inserts(table *access.Table) bool {
	return slices.ContainsFunc(t.Steps, func(s *Step) bool {
		return slices.ContainsFunc(s.Accesses, func(a *access.Access) bool { return a.Table == table && a.Kind == access.Insert })
	})
}

// refers reports whether a row of a table refers by foreign keys to the row of an access of the
// same transaction. A step binds columns of the row.
func refers(s *Step, t *access.Table, bound map[int]access.Operand, to *Step, a *access.Access) bool {
	for _, f := range t.Foreign {
		target := map[int]access.Operand{}
		for i, c := range f.Columns {
			if o, ok := bound[c]; ok {
				target[f.Target[i]] = o
			}
		}
		if len(target) < len(f.Columns) || f.To == t {
			continue
		}
		if f.To == a.Table && sameTerms(s, target, to, a.Bound) || refers(s, f.To, target, to, a) {
			return true
		}
	}
	return false
}

// sameTerms reports whether two steps of a transaction bind the same columns to the same terms.
func sameTerms(s *Step, x map[int]access.Operand, t *Step, y map[int]access.Operand) bool {
	for c, o := range y {
		other, there := x[c]
		from, known := s.term(other)
		to, also := t.term(o)
		if !there || !known || !also || from.text() != to.text() {
			return false
		}
	}
	return len(y) > 0
}
