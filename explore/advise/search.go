// Package advise looks for the weakest levels that a program needs: for each of its
// transactions, by name, the weakest level such that no assertion breaks. It searches the
// assignments of levels to transactions. What earlier ones have shown may decide an
// assignment; otherwise an exploration does.
package advise

import (
	"fmt"
	"slices"
)

// verdict is what is known of an assignment.
type verdict uint8

const (
	open  verdict = iota // an exploration was stopped
	holds                // no assertion breaks
	breaks
)

// assignment are the levels of transactions: for each an index among the levels, weakest
// first.
type assignment []int

// below reports whether a is as weak as b at every transaction.
func (a assignment) below(b assignment) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}

// most is how many assignments a search goes through one by one.
const most = 4096

// space are the assignments of so many levels to so many transactions.
type space struct{ transactions, levels int }

// size is the number of assignments, at most one more than [most].
func (s space) size() int {
	n := 1
	for range s.transactions {
		if n *= s.levels; n > most {
			return most + 1
		}
	}
	return n
}

// search is what a search has found.
type search struct {
	minimal []assignment // at which all holds, and at none below
	one     bool         // there may be others: it is the first that was found by lowering levels one by one
	opened  bool         // some could not be decided
}

// all looks for all minimal assignments: from the weakest on, each of the same weight, but
// those above one that was found. What judge says need not be monotone.
func (s space) all(judge func(assignment) (verdict, error)) (*search, error) {
	if s.size() > most {
		return s.lower(judge)
	}
	f := &search{}
	for w := range s.transactions*(s.levels-1) + 1 {
		for _, a := range s.ofWeight(w) {
			if slices.ContainsFunc(f.minimal, func(m assignment) bool { return m.below(a) }) {
				continue
			}
			v, err := judge(a)
			if err != nil {
				return nil, err
			}
			switch v {
			case holds:
				f.minimal = append(f.minimal, a)
			case open:
				f.opened = true
			}
		}
	}
	return f, nil
}

// ofWeight lists the assignments of a weight, in lexicographic order.
func (s space) ofWeight(w int) (list []assignment) {
	a := make(assignment, s.transactions)
	var fill func(i, left int)
	fill = func(i, left int) {
		if i == len(a) {
			if left == 0 {
				list = append(list, slices.Clone(a))
			}
			return
		}
		for l := range min(left, s.levels-1) + 1 {
			a[i] = l
			fill(i+1, left-l)
		}
		a[i] = 0
	}
	fill(0, w)
	return list
}

// lower begins with the strongest assignment and lowers one transaction after another as
// far as all holds. Where judge is monotone the result is minimal.
func (s space) lower(judge func(assignment) (verdict, error)) (*search, error) {
	f := &search{one: true}
	a := make(assignment, s.transactions)
	for i := range a {
		a[i] = s.levels - 1
	}
	v, err := judge(a)
	if err != nil || v != holds {
		f.opened = v == open
		return f, err
	}
	for i := range a {
		for l := range a[i] {
			try := slices.Clone(a)
			try[i] = l
			if v, err = judge(try); err != nil {
				return nil, err
			}
			f.opened = f.opened || v == open
			if v == holds {
				a = try
				break
			}
		}
	}
	f.minimal = []assignment{a}
	return f, nil
}

// key is the same for assignments that give the same levels. The weakest levels are left
// out: so a transaction that becomes known later changes nothing.
func (a assignment) key(names []string) string {
	text := ""
	for i, l := range a {
		if l > 0 {
			text += fmt.Sprintf("%q %d ", names[i], l)
		}
	}
	return text
}
