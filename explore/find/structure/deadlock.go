package structure

import (
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
)

// Deadlocks. Of two transactions each has a lock on a row that the other one waits for (Coffman, Elphick and Shoshani,
// System Deadlocks, Computing Surveys 1971). One locks a row and then another one, and the other transaction locks them
// the other way round. So does a loop that locks rows in the order of its caller, and so do two that lock a row in a mode
// which both may have, and then ask for more.

// MostDeadlocks bounds the deadlocks that are listed.
const MostDeadlocks = 60

// Deadlocks are the ways in which two transactions, or two runs of one, may wait for each other: of two statements of each
// the first way.
func Deadlocks(all []*Transaction, level Level) (list []*Structure) {
	for i, t := range all {
		for _, u := range all[i:] {
			for _, x := range holdings(t) {
				for _, y := range holdings(u) {
					if t == u && y.before(x) || len(list) >= MostDeadlocks {
						continue
					}
					if s := level.deadlock(x, y); s != nil {
						list = append(list, s)
					}
				}
			}
		}
	}
	return list
}

// Selves are the ways in which a call may wait for itself: one of its transactions has locked what a statement of another one
// asks for later, on another connection.
func Selves(all []*Transaction, level Level) (list []*Structure) {
	for _, t := range all {
		for _, u := range all {
			if t == u || t.Auto || t.Call != u.Call || len(list) >= MostDeadlocks {
				continue
			}
			if d := level.itself(t, u); d != nil {
				node := Node{In: d.To, Out: d.From}
				list = append(list, &Structure{Deadlock: true, Nodes: []Node{node, node}, Dependencies: []*Dependency{d, d}})
			}
		}
	}
	return list
}

// itself is that a statement of u waits for what an earlier one of t has locked, nil for none.
func (l Level) itself(t, u *Transaction) *Dependency {
	for _, has := range t.Steps {
		for _, wants := range u.Steps {
			if !has.before(wants) {
				continue
			}
			for _, a := range wants.Accesses {
				for _, b := range has.Accesses {
					if a.Table == b.Table && l.conflict(wants, a, has, b) {
						return &Dependency{From: wants, To: has, Kind: Waits, Table: a.Table}
					}
				}
			}
		}
	}
	return nil
}

// holding is a transaction that keeps what a statement has locked when it comes to another statement.
type holding struct{ has, wants *Step }

func (h holding) before(o holding) bool {
	return h.has.Number < o.has.Number || h.has == o.has && h.wants.Number < o.wants.Number
}

// holdings are those of a transaction: of a loop also with itself.
func holdings(t *Transaction) (list []holding) {
	if t.Auto {
		return nil
	}
	for i, s := range t.Steps {
		for j, later := range t.Steps {
			if i < j || i == j && s.Loop {
				list = append(list, holding{s, later})
			}
		}
	}
	return list
}

// deadlock is the cycle of two transactions that wait for each other, nil for none.
func (l Level) deadlock(x, y holding) *Structure {
	for _, a := range x.has.Accesses {
		for _, b := range x.wants.Accesses {
			for _, c := range y.has.Accesses {
				for _, d := range y.wants.Accesses {
					if b.Table != c.Table || d.Table != a.Table || !l.conflict(x.wants, b, y.has, c) || !l.conflict(y.wants, d, x.has, a) {
						continue
					}
					if own(x, a, b) && own(y, c, d) && l.excludes(x.has, a, y.has, c) {
						continue // they want what they have, and only one of them can have it
					}
					into, met := waits(x.wants, b, y.has, c, true)
					back, also := waits(y.wants, d, x.has, a, true)
					if met && also {
						return &Structure{Deadlock: true, Nodes: []Node{{x.has, x.wants}, {y.has, y.wants}}, Dependencies: []*Dependency{into, back}}
					}
				}
			}
		}
	}
	return nil
}

// own reports whether a transaction wants the row that it has locked.
func own(h holding, has, wants *access.Access) bool {
	if has.Table != wants.Table || h.has == h.wants {
		return false
	}
	for c, o := range chosen(has) {
		x, ok := h.has.term(o)
		y, also := h.wants.term(chosen(wants)[c])
		if ok && also && x.text() != y.text() {
			return false
		}
	}
	return true
}

// chosen are the columns by which an access has its row.
func chosen(a *access.Access) map[int]access.Operand {
	if a.Kind == access.Insert {
		return a.Sets
	}
	return a.Bound
}

// waits is that one statement waits for what another one has locked.
func waits(s *Step, a *access.Access, t *Step, b *access.Access, other bool) (*Dependency, bool) {
	d := &Dependency{From: s, To: t, Kind: Waits, Table: a.Table}
	for c := range a.Table.Columns {
		x, left := chosen(a)[c]
		y, right := chosen(b)[c]
		if !left || !right || !a.Table.Identifies(c) {
			continue
		}
		from, known := s.term(x)
		to, also := t.term(y)
		switch {
		case !known || !also:
		case from.Value == nil && to.Value == nil:
			if from.Const != to.Const {
				return nil, false
			}
		default:
			if other && s.Loop {
				from = next(from)
			}
			d.Conditions = append(d.Conditions, Condition{a.Table, c, from, to})
		}
	}
	return d, true
}

// next is what a term is in the second round of a loop: another element of the argument that the loop goes through.
func next(t Term) Term {
	if t.Value == nil || t.Value.Op != source.Param || !strings.Contains(t.Value.Path, "[0]") {
		return t
	}
	v := *t.Value
	v.Path = strings.Replace(v.Path, "[0]", "[1]", 1)
	return Term{Value: &v}
}

// mode is how strongly an access locks rows.
func (l Level) mode(s *Step, a *access.Access) access.Lock {
	switch {
	case a.Kind == access.Read && a.Lock == access.NoLock && s.Of.InnoDB && l.of(s.Of) == Serializable:
		return access.Share
	case a.Kind == access.Read && !(a.Lock == access.ForUpdate && s.keeps(a.Table)):
		return a.Lock
	case a.Kind == access.Read && !s.Of.InnoDB:
		return access.NoKeyUpdate
	case a.Kind == access.Update && !s.Of.InnoDB && !slices.ContainsFunc(a.Columns, a.Table.Unites):
		return access.NoKeyUpdate
	}
	return access.ForUpdate
}

// keeps reports whether a statement is an UPDATE of a table that changes no key.
func (s *Step) keeps(t *access.Table) bool {
	return slices.ContainsFunc(s.Accesses, func(a *access.Access) bool {
		return a.Table == t && a.Kind == access.Update && !slices.ContainsFunc(a.Columns, t.Unites)
	})
}

// conflict reports whether one access has to wait for the end of the transaction of another one that has the row.
func (l Level) conflict(s *Step, a *access.Access, t *Step, b *access.Access) bool {
	x, y := l.mode(s, a), l.mode(t, b)
	switch {
	case a.Kind == access.Insert && b.Kind == access.Insert:
		return slices.ContainsFunc(a.Table.Unique, func(key []int) bool { return set(a, key) && set(b, key) })
	case b.Kind == access.Insert:
		return false // nobody else sees the row
	case a.Kind == access.Insert: // into a gap that is locked
		return t.Of.InnoDB && l.of(t.Of) >= Gaps && y != access.NoLock && !b.Check
	}
	return excluded(min(x, y), max(x, y), s.Of.InnoDB)
}

// excludes reports whether two accesses cannot both have what they lock. On InnoDB two may lock the gap where a row is not.
func (l Level) excludes(s *Step, a *access.Access, t *Step, b *access.Access) bool {
	if s.Of.InnoDB && l.of(s.Of) >= Gaps && a.Kind != access.Insert && b.Kind != access.Insert && !a.Check && !b.Check {
		return false
	}
	return l.conflict(s, a, t, b)
}

// excluded reports whether two modes exclude each other (PostgreSQL's documentation, table 13.3). InnoDB has two.
func excluded(weak, strong access.Lock, innodb bool) bool {
	switch {
	case weak == access.NoLock:
		return false
	case innodb:
		return strong >= access.NoKeyUpdate
	case strong == access.ForUpdate:
		return true
	case strong == access.NoKeyUpdate:
		return weak >= access.Share
	}
	return false
}

// set reports whether an access gives all columns of a key a value that somebody chooses.
func set(a *access.Access, key []int) bool {
	return len(key) > 0 && !slices.ContainsFunc(key, func(c int) bool { return a.Sets[c].Fresh || a.Sets[c] == access.Operand{} })
}
