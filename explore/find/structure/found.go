package structure

import (
	"go/token"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
)

// A read that is overtaken has not seen what the other transaction does. Where the other
// transaction deletes a row, the read has found one. Where it inserts the row that the read looks
// for by its key, the read has found none. Code that goes on only in the other case is in no such
// cycle.

// contradictsFound reports whether the reader goes on by in only where out has found something else
// than it has.
func (r *rivals) contradictsFound(d *Dependency) bool {
	read := r.out.only(d.Table)
	if r.in.Number <= r.out.Number || r.in.Loop || r.out.Loop || r.out.Seen || r.in.Seen || read == nil || read.Lock != access.NoLock || r.out.leavesOut() {
		return false
	}
	return r.overtakes.all(d.Table, access.Read, access.Delete) && r.in.without(r.out) ||
		r.overtakes.all(d.Table, access.Insert) && !r.overtakes.upserts() && r.foundNone(d.Table) && r.in.with(r.out)
}

// only is the access of a statement that does nothing but read a table; nil of others.
func (s *Step) only(t *access.Table) *access.Access {
	if len(s.Accesses) != 1 || s.Accesses[0].Kind != access.Read || s.Accesses[0].Check || s.Accesses[0].Table != t {
		return nil
	}
	return s.Accesses[0]
}

// leavesOut reports whether a SELECT may return no row although it has read one that fits.
func (s *Step) leavesOut() bool {
	words := strings.Fields(strings.ToUpper(s.SQL))
	for i, w := range words {
		switch w {
		case "OFFSET", "HAVING", "FETCH":
			return true
		case "LIMIT":
			if i+1 == len(words) || strings.TrimLeft(words[i+1], "123456789") != "" {
				return true
			}
		}
	}
	return false
}

// all reports whether all that a statement does with a table is of some kinds.
func (s *Step) all(t *access.Table, kinds ...access.Kind) bool {
	return !slices.ContainsFunc(s.Accesses, func(a *access.Access) bool {
		return a.Table == t && (a.Check || !slices.Contains(kinds, a.Kind))
	})
}

// foundNone reports whether the reader looks for one row by its key, and fails when there is none. At
// any time one row has that key: neither transaction deletes it. A statement that returns a column of
// the table as it is has no row without one of the table.
func (r *rivals) foundNone(t *access.Table) bool {
	plain := slices.ContainsFunc(r.out.Results, func(s *access.Source) bool { return s != nil && s.Table == t })
	return r.out.One && r.out.only(t).Exact && plain && !r.reader.moves(t) && !r.writer.moves(t)
}

// moves reports whether a transaction deletes rows of a table, or changes what tells them apart.
func (t *Transaction) moves(table *access.Table) bool {
	return slices.ContainsFunc(t.Steps, func(s *Step) bool {
		return slices.ContainsFunc(s.Accesses, func(a *access.Access) bool {
			return a.Table == table && (a.Kind == access.Delete || a.Kind == access.Update && slices.ContainsFunc(a.Columns, table.Identifies))
		})
	})
}

// without reports whether a step is made only where a read has found no row.
func (s *Step) without(read *Step) bool {
	return slices.ContainsFunc(s.Guards, func(g source.Guard) bool {
		v := g.If
		compares := v.Op == source.Apply && v.Path == "errors.Is" || v.Op == source.Binary && v.Token == token.EQL
		return g.Then && compares && len(v.Args) == 2 && v.Args[0].Op == source.Failed && v.Args[0].Statement == read.Statement &&
			v.Args[1].Op == source.Global && strings.HasSuffix(v.Args[1].Path, "ErrNoRows")
	})
}

// with reports whether a step is made only where a read has not failed.
func (s *Step) with(read *Step) bool {
	return slices.ContainsFunc(s.Guards, func(g source.Guard) bool {
		v := g.If
		return v.Op == source.Binary && (v.Token == token.NEQ && !g.Then || v.Token == token.EQL && g.Then) &&
			v.Args[0].Op == source.Failed && v.Args[0].Statement == read.Statement && v.Args[1].Op == source.Nil
	})
}

// unforeseen reports whether in cannot know what the writer has inserted. To meet it, in looks
// for a number that a sequence has given the writer. But the reader's number is from before the
// writer's commit. A number of a sequence is taken to be in no row before it is given.
func (r *rivals) unforeseen(back *Dependency) bool {
	read := r.in.only(back.Table)
	if back.Kind != WR || read == nil || r.in.Loop || r.out.Loop {
		return false
	}
	return r.passesBy(r.in, read)
}

// passesBy reports whether a read of the reader's finds no row of the writer's. A sequence gives the
// key of each row that the writer inserts into the table. The read looks for a row by that key, and the
// reader knows the key from elsewhere.
func (r *rivals) passesBy(s *Step, read *access.Access) bool {
	return slices.ContainsFunc(read.Table.Unique, func(key []int) bool {
		if len(key) != 1 || !r.writer.numbers(read.Table, key[0]) {
			return false
		}
		o, bound := read.Bound[key[0]]
		return bound && o.Param > 0 && o.Param <= len(s.Args) && r.early(s.Args[o.Param-1])
	})
}

// numbers reports whether a transaction does nothing with a table but insert rows whose key a sequence
// gives.
func (t *Transaction) numbers(table *access.Table, column int) bool {
	for _, s := range t.Steps {
		for _, a := range s.Accesses {
			if a.Table == table && a.Kind != access.Read && (a.Kind != access.Insert || s.upserts() || s.Seen || !a.Sets[column].Fresh) {
				return false
			}
		}
	}
	return true
}

// early reports whether the reader has a value from rows that the writer has not written. The
// reader had it before the writer's commit, or from a row that is none of the writer's.
func (r *rivals) early(v *source.Value) bool {
	if v.Op != source.Result {
		return false
	}
	i := slices.IndexFunc(r.reader.Steps, func(s *Step) bool { return s.Statement == v.Statement })
	if i < 0 || r.reader.Steps[i].Seen || r.reader.Steps[i].Loop {
		return false
	}
	s := r.reader.Steps[i]
	if v.Index >= len(s.Results) || s.Results[v.Index] == nil { // it is computed, and may be anything
		return false
	}
	if s.Number <= r.out.Number {
		return true
	}
	read := s.only(s.Results[v.Index].Table)
	return read != nil && r.passesBy(s, read)
}
