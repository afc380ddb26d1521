// Package structure finds the cycles of dependencies between transactions that an
// isolation level does not forbid.
//
// The definitions are those of CLOTHO (Rahmani et al., OOPSLA 2019, sections 3 and 4) and of
// Adya. A statement depends on another one when both may meet the same row, and one of them
// writes what the other one reads or writes. Which cycles a level allows follows Fekete et
// al. (Making Snapshot Isolation Serializable, TODS 2005) and, for READ COMMITTED,
// Vandevoort et al. (Robustness against Read Committed for Transaction Templates, VLDB
// 2021): a cycle has a dependency against the order of commits. docs/find.md says what is
// over-approximated.
package structure

import (
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
)

// Transaction is a transaction whose statements are understood.
type Transaction struct {
	*source.Transaction
	Steps  []*Step
	InnoDB bool // it runs on MySQL or MariaDB
}

// Step is a statement with what it reads and writes.
type Step struct {
	*source.Statement
	*access.Effect
	Of *Transaction
}

// Kind is that of a dependency.
type Kind uint8

// The dependencies of Adya: the second reads or overwrites what the first has written,
// or overwrites what the first has read.
const (
	WR Kind = iota
	WW
	RW
	Waits // no dependency: the first waits for the end of the second
)

// String is the name in the literature.
func (k Kind) String() string { return [...]string{"wr", "ww", "rw", "waits"}[k] }

// Term is what a column is equal to in one transaction.
type Term struct {
	Value *source.Value // nil for a constant of the statement
	Const string        // as SQL text
}

// Condition is met when two terms are equal. From is a term of the transaction from which a
// dependency comes. To is a term of the transaction to which it leads.
type Condition struct {
	Table    *access.Table
	Column   int
	From, To Term
}

// Dependency is a possible dependency between statements of two transactions that run at
// the same time. They may be two runs of one transaction.
type Dependency struct {
	From, To   *Step
	Kind       Kind
	Table      *access.Table
	Conditions []Condition
	// Enters: a row that one statement changes is one that the other looks for, when these hold.
	Enters []Condition
	// Against: the first transaction may commit after the second. False of reads that lock
	// what they read.
	Against bool
	// Locks: the first statement locks what it reads; where it locks the gaps beside it too, the
	// dependency is never against the order of commits.
	Locks bool
	// Viewed: the second statement reads without a lock, of a wr: what its snapshot has.
	Viewed bool
	// Rival: both insert a row with one key, of which the second is refused.
	Rival bool
	// Same: the first transaction also writes the row that it has read, under the same
	// condition. Then snapshot isolation lets only one of the two commit.
	Same bool
}

// Dependencies are all that lead from one transaction to another one.
func Dependencies(from, to *Transaction) (list []*Dependency) {
	for _, s := range from.Steps {
		for _, t := range to.Steps {
			list = append(list, between(s, t)...)
		}
	}
	return list
}

// between are the dependencies of two statements: of each kind and table the first.
func between(s, t *Step) (list []*Dependency) {
	for _, a := range s.Accesses {
		for _, b := range t.Accesses {
			d := depends(s, a, t, b)
			if d == nil {
				continue
			}
			i := slices.IndexFunc(list, func(o *Dependency) bool { return o.Kind == d.Kind && o.Table == d.Table })
			if i < 0 {
				list = append(list, d)
				continue
			}
			d.Locks, d.Viewed = d.Locks && list[i].Locks, d.Viewed && list[i].Viewed
			list[i].Locks, list[i].Viewed = d.Locks, d.Viewed
			if d.Against && !list[i].Against {
				list[i] = d
			}
		}
	}
	return list
}

// depends is the dependency of two accesses, nil when there is none.
func depends(s *Step, a *access.Access, t *Step, b *access.Access) *Dependency {
	if a.Table != b.Table || a.Kind == access.Read && b.Kind == access.Read || !touch(a, b) {
		return nil
	}
	d := &Dependency{From: s, To: t, Table: a.Table, Kind: WW}
	var met bool
	if d.Conditions, met = meet(s, a, t, b); !met {
		return nil
	}
	d.Enters = enters(s, a, t, b)
	switch {
	case a.Kind == access.Read:
		d.Kind = RW
		d.Against = !locked(s, a, b)
		d.Locks = a.Lock != access.NoLock
		d.Same = s.Of.writes(s, a)
	case b.Kind == access.Read:
		d.Kind, d.Viewed = WR, b.Lock == access.NoLock && !b.Check
	case a.Kind == access.Insert && b.Kind == access.Insert:
		return inserts(d, s, a, t, b)
	}
	return d
}

// touch reports whether two accesses have columns in common, but for those to which both
// only add: their order makes no difference there. A row that comes or goes touches everything that
// looks for rows.
func touch(a, b *access.Access) bool {
	whole := func(x *access.Access) bool { return x.Kind == access.Insert || x.Kind == access.Delete }
	if a.Check && b.Kind == access.Insert || b.Check && a.Kind == access.Insert {
		return false // whether the row is there decides about an error alone
	}
	if whole(a) || whole(b) {
		return true
	}
	return slices.ContainsFunc(a.Columns, func(c int) bool {
		return slices.Contains(b.Columns, c) && !(slices.Contains(a.Adds, c) && slices.Contains(b.Adds, c))
	})
}

// term is what an operand is in a step.
func (s *Step) term(o access.Operand) (Term, bool) {
	switch {
	case o.Param > 0 && o.Param <= len(s.Args):
		return Term{Value: s.Args[o.Param-1]}, true
	case o.Param == 0 && o.Known:
		return Term{Const: o.Const}, true
	}
	return Term{}, false
}

// meet are the conditions under which two accesses meet the same row; false when they
// cannot. A column that one of them changes binds nothing.
func meet(s *Step, a *access.Access, t *Step, b *access.Access) (list []Condition, ok bool) {
	for c := range a.Table.Columns {
		x, left := a.Bound[c]
		y, right := b.Bound[c]
		if !left || !right || changes(a, c) || changes(b, c) {
			continue
		}
		from, known := s.term(x)
		to, also := t.term(y)
		if !known || !also {
			continue
		}
		if from.Value == nil && to.Value == nil {
			if from.Const != to.Const && !(a.Table.Folds && strings.EqualFold(from.Const, to.Const)) {
				return nil, false
			}
			continue
		}
		list = append(list, Condition{a.Table, c, from, to})
	}
	return list, true
}

// enters are the conditions under which an UPDATE gives a row the values that a read looks for.
// There are none where the UPDATE changes no column by which the read looks, or where it is not
// known what the UPDATE sets.
func enters(s *Step, a *access.Access, t *Step, b *access.Access) (list []Condition) {
	for c := range a.Table.Columns {
		x, y := a.Bound[c], b.Sets[c]
		switch {
		case a.Kind == access.Read && changes(b, c):
		case b.Kind == access.Read && changes(a, c):
			x, y = a.Sets[c], b.Bound[c]
		default:
			continue
		}
		from, known := s.term(x)
		to, also := t.term(y)
		if known && also {
			list = append(list, Condition{a.Table, c, from, to})
		}
	}
	return list
}

func changes(a *access.Access, column int) bool {
	return a.Kind == access.Update && slices.Contains(a.Columns, column)
}

// inserts are two rows that cannot both be there: a unique index has all its columns set
// by both.
func inserts(d *Dependency, s *Step, a *access.Access, t *Step, b *access.Access) *Dependency {
	for _, key := range a.Table.Unique {
		d.Conditions = nil
		whole := len(key) > 0
		for _, c := range key {
			from, known := s.term(a.Sets[c])
			to, also := t.term(b.Sets[c])
			if whole = whole && known && also; whole {
				d.Conditions = append(d.Conditions, Condition{a.Table, c, from, to})
			}
		}
		if whole {
			d.Rival = true
			return d
		}
	}
	return nil
}

// locked reports whether a write has to wait for the end of the transaction that has
// read. It has to when the statement or an earlier one has locked the rows, and the write
// brings no row that was not there.
func locked(s *Step, read, write *access.Access) bool {
	if write.Kind == access.Insert {
		return false
	}
	for c := range read.Bound {
		if changes(write, c) {
			return false
		}
	}
	if read.Lock != access.NoLock {
		return true
	}
	for _, earlier := range s.Of.Steps {
		if earlier.Number >= s.Number {
			break
		}
		for _, a := range earlier.Accesses {
			if a.Table == read.Table && (a.Lock >= access.NoKeyUpdate || a.Kind != access.Read) && a.Exact && sameRow(earlier, a, s, read) {
				return true
			}
		}
	}
	return false
}

// writes reports whether the transaction surely writes the row that one of its steps has
// read.
func (t *Transaction) writes(s *Step, read *access.Access) bool {
	for _, other := range t.Steps {
		for _, a := range other.Accesses {
			if a.Table == read.Table && a.Kind != access.Read && a.Exact && read.Exact && sameRow(other, a, s, read) {
				return true
			}
		}
	}
	return false
}

// sameRow reports whether two accesses of a transaction are bound to the same terms.
func sameRow(s *Step, a *access.Access, t *Step, b *access.Access) bool {
	if len(a.Bound) == 0 {
		return false
	}
	for c, o := range a.Bound {
		x, ok := s.term(o)
		y, also := t.term(b.Bound[c])
		if _, there := b.Bound[c]; !there || !ok || !also || x.text() != y.text() {
			return false
		}
	}
	return true
}

// text is the term in words: equal of terms that are equal in one run.
func (t Term) text() string {
	if t.Value == nil {
		return t.Const
	}
	return t.Value.String()
}
