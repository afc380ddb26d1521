package structure

import (
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
)

// Some cycles have conditions that no run of two calls meets. The reader has read before the
// writer commits, and does something after it. So a row that the reader has found by then was
// there before, and the writer cannot insert it. And where both insert the same row, the reader
// comes second and is refused: it does nothing after that. Two calls may be known to insert the
// same row from what they have read, as a number that both take.

// rivals are the transactions of a cycle of two.
type rivals struct {
	reader, writer *Transaction
	out, in        *Step // of the reader: it reads by out, and in comes after the writer's commit
	overtakes      *Step // of the writer: it writes what out has read
	before         *Step // of the writer: in depends on it
	both           bool  // the writer reads what in overtakes: either may commit first
	views          bool  // out may read what was there before the reader locked something
	equal          map[equality]bool
}

// equality says that a term of the reader is one of the writer.
type equality struct{ reader, writer string }

// contradicts reports whether no run has a cycle.
func (l Level) contradicts(s *Structure) bool {
	if len(s.Nodes) != 2 || s.Split() {
		return false
	}
	rw := 0
	for k, d := range s.Dependencies {
		if d.Kind != RW {
			continue // who reads may commit after the writer
		}
		rw++
		r := l.rivals(s, k)
		if r.contradictsFound(d) || s.Dependencies[1-k].Kind != RW && r.late(d, s.Dependencies[1-k]) {
			return true
		}
	}
	return rw == 2 && l.both(s)
}

// late reports whether no run has a cycle in which the reader comes after the writer's commit.
func (r *rivals) late(d, back *Dependency) bool {
	return r.foundBefore() || r.refused() || !r.views && r.excludes(d) || r.unforeseen(back)
}

// both reports whether no run has a cycle of two that read before the other one commits. Either may
// be the first to insert a row, or to lock one. The other one waits, and does nothing in the cycle
// any more; or what it reads then is not from before.
func (l Level) both(s *Structure) bool {
	r := l.rivals(s, 0)
	return r.refused() || !r.views && !l.rivals(s, 1).views && r.excludes(s.Dependencies[0])
}

// rivals are those of the dependency k.
func (l Level) rivals(s *Structure, k int) *rivals {
	d, back := s.Dependencies[k], s.Dependencies[1-k]
	r := &rivals{reader: d.From.Of, writer: d.To.Of, out: d.From, in: back.To, overtakes: d.To, before: back.From, both: back.Kind == RW, equal: map[equality]bool{}}
	r.views = l.of(r.reader) == Gaps && r.reader.views(r.out)
	for _, c := range d.Conditions {
		r.equal[equality{c.From.text(), c.To.text()}] = true
	}
	for _, c := range back.Conditions {
		r.equal[equality{c.To.text(), c.From.text()}] = true
	}
	r.readSame()
	return r
}

// readSame adds equalities of results: reader and writer have read the same column of the same
// row, and neither has written it before.
func (r *rivals) readSame() {
	for _, s := range r.reader.Steps {
		for _, t := range r.writer.Steps {
			if s.Number > r.out.Number || r.both && t.Number > r.before.Number || s.Loop || t.Loop || !r.sameRow(s, t) {
				continue
			}
			for i, from := range s.Results {
				for j, also := range t.Results {
					if from != nil && also != nil && *from == *also && !r.reader.writesBefore(s, from.Table) && !r.writer.writesBefore(t, from.Table) {
						r.equal[equality{result(s, i).text(), result(t, j).text()}] = true
					}
				}
			}
		}
	}
}

func result(s *Step, column int) Term {
	return Term{Value: &source.Value{Op: source.Result, Index: column, Statement: s.Statement}}
}

// writesBefore reports whether a transaction has written to a table before a step.
func (t *Transaction) writesBefore(s *Step, table *access.Table) bool {
	return slices.ContainsFunc(t.Steps, func(other *Step) bool {
		return other.Number < s.Number && slices.ContainsFunc(other.Accesses, func(a *access.Access) bool { return a.Table == table && a.Kind != access.Read })
	})
}

// sameRow reports whether two steps read one row of a table.
func (r *rivals) sameRow(s, t *Step) bool {
	for _, a := range s.Accesses {
		for _, b := range t.Accesses {
			if a.Table == b.Table && a.Kind == access.Read && b.Kind == access.Read && a.Exact && b.Exact && r.sameKey(a.Table, s, a.Bound, t, b.Bound) {
				return true
			}
		}
	}
	return false
}

// sameKey reports whether all columns of a key of a table have one value in a row of the reader's and
// in one of the writer's.
func (r *rivals) sameKey(table *access.Table, s *Step, ofReader map[int]access.Operand, t *Step, ofWriter map[int]access.Operand) bool {
	return slices.ContainsFunc(table.Unique, func(key []int) bool {
		return r.every(key, func(c int) bool {
			x, left := s.term(ofReader[c])
			y, right := t.term(ofWriter[c])
			return left && right && r.same(x, y)
		})
	})
}

// every reports whether all columns of a key have a property.
func (r *rivals) every(key []int, has func(column int) bool) bool {
	return len(key) > 0 && !slices.ContainsFunc(key, func(c int) bool { return !has(c) })
}

// same reports whether a term of the reader is surely equal to one of the writer.
func (r *rivals) same(x, y Term) bool {
	return x.Value == nil && y.Value == nil && x.Const == y.Const || r.equal[equality{x.text(), y.text()}]
}

// foundBefore reports whether the writer inserts a row that the reader has found before.
func (r *rivals) foundBefore() bool {
	for _, s := range r.reader.Steps {
		if s.Number > r.out.Number || s.Loop {
			continue
		}
		for t, a := range r.writer.inserted(r.overtakes, r.before) {
			if slices.ContainsFunc(a.Table.Unique, func(key []int) bool {
				found := false // a row: what it has is used
				return r.every(key, func(c int) bool {
					set, known := t.term(a.Sets[c])
					inRow := known && slices.ContainsFunc(s.finds(a.Table, c), func(held Term) bool { return r.same(held, set) })
					found = found || inRow
					return inRow || known && slices.ContainsFunc(s.wants(a.Table, c), func(held Term) bool { return r.same(held, set) })
				}) && found
			}) {
				return true
			}
		}
	}
	return false
}

// finds are the results of a step that are a column of a table.
func (s *Step) finds(t *access.Table, column int) (list []Term) {
	for i, from := range s.Results {
		if from != nil && *from == (access.Source{Table: t, Column: column}) {
			list = append(list, result(s, i))
		}
	}
	return list
}

// wants are the terms to which a column is equal in the rows that a step looks for.
func (s *Step) wants(t *access.Table, column int) (list []Term) {
	for _, a := range s.Accesses {
		if a.Table == t && a.Kind == access.Read {
			if term, known := s.term(a.Bound[column]); known {
				list = append(list, term)
			}
		}
	}
	return list
}

// refused reports whether the reader does something after it has inserted a row that the writer
// inserts.
func (r *rivals) refused() bool {
	for s, a := range r.reader.inserted(r.out, r.in) {
		if s.Number >= max(r.out.Number, r.in.Number) {
			continue
		}
		for t, b := range r.writer.inserted(r.overtakes, r.before) {
			if r.both && t.Number >= max(r.overtakes.Number, r.before.Number) { // the writer may come second
				continue
			}
			if a.Table == b.Table && r.sameKey(a.Table, s, a.Sets, t, b.Sets) {
				return true
			}
		}
	}
	return false
}

// inserted yields the insertions that a transaction surely makes when it makes two steps. They
// are refused where the row is there.
func (t *Transaction) inserted(one, other *Step) func(func(*Step, *access.Access) bool) {
	return func(yield func(*Step, *access.Access) bool) {
		for _, s := range t.Steps {
			if s.Seen || s.Loop || s.upserts() || s != one && s != other && !s.wheneverThat(one, other) {
				continue
			}
			for _, a := range s.Accesses {
				if a.Kind == access.Insert && !yield(s, a) {
					return
				}
			}
		}
	}
}

// wheneverThat reports whether a step is made whenever two others are: it has no guard that they
// have not.
func (s *Step) wheneverThat(one, other *Step) bool {
	return !slices.ContainsFunc(s.Guards, func(g source.Guard) bool {
		return !slices.Contains(one.Guards, g) && !slices.Contains(other.Guards, g)
	})
}

// upserts reports whether a statement goes on where a row is there.
func (s *Step) upserts() bool {
	text := strings.ToUpper(s.SQL)
	return slices.ContainsFunc([]string{"CONFLICT", "DUPLICATE", "IGNORE", "REPLACE"}, func(word string) bool { return strings.Contains(text, word) })
}
