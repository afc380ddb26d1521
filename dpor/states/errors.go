package states

import (
	"cmp"
	"slices"
	"strings"

	"github.com/txmc/txmc/program/behaviour"
)

// DatabaseError is an error of the database that outcomes met. Code has to expect it.
type DatabaseError struct {
	Code     string // SQLSTATE, or MySQL's number
	Message  string
	Commit   bool  // it is COMMIT that fails
	Outcomes int64 // in which it is met
	// At are nodes at which it is met, one of each transaction.
	At []*behaviour.Node
}

// databaseErrors counts a worker's errors.
type databaseErrors struct {
	met  map[errorKind]*DatabaseError
	here []errorKind // of the present outcome
}

type errorKind struct {
	code   string
	commit bool
}

// tally counts the errors of an outcome, each once.
func (e *databaseErrors) tally(ends []*behaviour.Node) {
	e.here = e.here[:0]
	for _, n := range ends {
		for m := n; m.Before() != nil; m = m.Before() {
			b := m.Before()
			if err := behaviour.ErrorOf(m.Value()); b.Waits && err != nil && b.Kind != behaviour.Serve {
				e.meet(errorKind{err.Code(), b.Kind == behaviour.Commit}, err.Message, b)
			}
			e.meetReported(m, b)
		}
	}
}

// meetReported counts the errors that a server has reported to the application before m.
func (e *databaseErrors) meetReported(m, b *behaviour.Node) {
	for _, ev := range m.Events {
		if text, failed := strings.CutPrefix(ev.Text, "!"); failed && ev.Kind == behaviour.AnswerEvent {
			code, message, _ := strings.Cut(text, " ")
			e.meet(errorKind{code, b.Kind == behaviour.Commit}, message, b)
		}
	}
}

func (e *databaseErrors) meet(k errorKind, message string, at *behaviour.Node) {
	if e.met == nil {
		e.met = map[errorKind]*DatabaseError{}
	}
	met := e.met[k]
	if met == nil {
		met = &DatabaseError{Code: k.code, Message: message, Commit: k.commit}
		e.met[k] = met
	}
	met.at(at)
	if !slices.Contains(e.here, k) {
		e.here = append(e.here, k)
		met.Outcomes++
	}
}

// at adds a node if it is the first of its transaction.
func (m *DatabaseError) at(n *behaviour.Node) {
	if !slices.ContainsFunc(m.At, func(o *behaviour.Node) bool { return o.Session == n.Session && o.Txn == n.Txn }) {
		m.At = append(m.At, n)
	}
}

// Errors lists the errors of the database that the outcomes have met, by SQLSTATE,
// those of COMMIT last. The exploration has ended.
func (c *Exploration) Errors() []DatabaseError {
	all := databaseErrors{met: map[errorKind]*DatabaseError{}}
	for _, s := range c.engines {
		for k, m := range s.databaseErrors.met {
			if all.met[k] == nil {
				all.met[k] = &DatabaseError{Code: m.Code, Message: m.Message, Commit: m.Commit}
			}
			all.met[k].Outcomes += m.Outcomes
			for _, n := range m.At {
				for _, image := range c.images(n) {
					all.met[k].at(image)
				}
			}
		}
	}
	return all.sorted()
}

// Waits lists operations at which sessions have waited, by session and transaction.
func (c *Exploration) Waits() []*behaviour.Node {
	var all database
	for _, s := range c.engines {
		for _, n := range s.waiting {
			for _, image := range c.images(n) {
				all.wait(image)
			}
		}
	}
	byTransaction(all.waiting)
	return all.waiting
}

// byTransaction sorts nodes by session and transaction.
func byTransaction(list []*behaviour.Node) {
	slices.SortFunc(list, func(a, b *behaviour.Node) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Txn, b.Txn))
	})
}

// Steps sums the steps of the workers.
func (c *Exploration) Steps() (n int64) {
	for _, s := range c.engines {
		n += s.steps
	}
	return n
}

// LeftOut reports whether a bound of Extent has left something out.
func (c *Exploration) LeftOut() bool {
	return slices.ContainsFunc(c.engines, func(e *Engine) bool { return e.leftOut })
}

func (e *databaseErrors) sorted() (list []DatabaseError) {
	for _, m := range e.met {
		byTransaction(m.At)
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b DatabaseError) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), map[bool]int{true: 1}[a.Commit]-map[bool]int{true: 1}[b.Commit])
	})
	return list
}
