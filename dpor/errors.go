package dpor

import (
	"cmp"
	"slices"
	"strings"

	"github.com/txmc/txmc/program"
)

// ErrorMet is an error of the database that outcomes met. Code has to expect it.
type ErrorMet struct {
	Code     string // SQLSTATE, or MySQL's number
	Message  string
	Commit   bool  // it is COMMIT that fails
	Outcomes int64 // in which it is met
	// At are nodes at which it is met, one of each transaction.
	At []*program.Node
}

// errorsMet counts a worker's errors.
type errorsMet struct {
	met  map[errorKind]*ErrorMet
	here []errorKind // of the present outcome
}

type errorKind struct {
	code   string
	commit bool
}

// tally counts the errors of an outcome, each once.
func (e *errorsMet) tally(ends []*program.Node) {
	e.here = e.here[:0]
	for _, n := range ends {
		for m := n; m.Before() != nil; m = m.Before() {
			b := m.Before()
			if err := program.ErrorOf(m.Value()); b.Waits && err != nil && b.Kind != program.Serve {
				e.meet(errorKind{err.Code(), b.Kind == program.Commit}, err.Message, b)
			}
			e.meetReported(m, b)
		}
	}
}

// meetReported counts the errors that a server has reported to the application before m.
func (e *errorsMet) meetReported(m, b *program.Node) {
	for _, ev := range m.Events {
		if text, failed := strings.CutPrefix(ev.Text, "!"); failed && ev.Kind == program.AnswerEvent {
			code, message, _ := strings.Cut(text, " ")
			e.meet(errorKind{code, b.Kind == program.Commit}, message, b)
		}
	}
}

func (e *errorsMet) meet(k errorKind, message string, at *program.Node) {
	if e.met == nil {
		e.met = map[errorKind]*ErrorMet{}
	}
	met := e.met[k]
	if met == nil {
		met = &ErrorMet{Code: k.code, Message: message, Commit: k.commit}
		e.met[k] = met
	}
	met.at(at)
	if !slices.Contains(e.here, k) {
		e.here = append(e.here, k)
		met.Outcomes++
	}
}

// at adds a node if it is the first of its transaction.
func (m *ErrorMet) at(n *program.Node) {
	if !slices.ContainsFunc(m.At, func(o *program.Node) bool { return o.Session == n.Session && o.Txn == n.Txn }) {
		m.At = append(m.At, n)
	}
}

// errors lists the errors of the database that the outcomes have met, by SQLSTATE,
// those of COMMIT last. The exploration has ended.
func (x *Exploration) errors() []ErrorMet {
	all := errorsMet{met: map[errorKind]*ErrorMet{}}
	for _, w := range x.workers {
		s, ok := w.algorithm.(*states)
		if !ok {
			continue
		}
		for k, m := range s.errorsMet.met {
			if all.met[k] == nil {
				all.met[k] = &ErrorMet{Code: m.Code, Message: m.Message, Commit: m.Commit}
			}
			all.met[k].Outcomes += m.Outcomes
			for _, n := range m.At {
				for _, image := range x.symmetric.images(n) {
					all.met[k].at(image)
				}
			}
		}
	}
	return all.sorted()
}

// waits lists operations at which sessions have waited, by session and transaction.
func (x *Exploration) waits() []*program.Node {
	var all database
	for _, w := range x.workers {
		if s, ok := w.algorithm.(*states); ok {
			for _, n := range s.waiting {
				for _, image := range x.symmetric.images(n) {
					all.wait(image)
				}
			}
		}
	}
	byTransaction(all.waiting)
	return all.waiting
}

// byTransaction sorts nodes by session and transaction.
func byTransaction(list []*program.Node) {
	slices.SortFunc(list, func(a, b *program.Node) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Txn, b.Txn))
	})
}

// steps sums the steps of the workers.
func (x *Exploration) steps() (n int64) {
	for _, w := range x.workers {
		if s, ok := w.algorithm.(*states); ok {
			n += s.steps
		}
	}
	return n
}

func (e *errorsMet) sorted() (list []ErrorMet) {
	for _, m := range e.met {
		byTransaction(m.At)
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b ErrorMet) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), map[bool]int{true: 1}[a.Commit]-map[bool]int{true: 1}[b.Commit])
	})
	return list
}
