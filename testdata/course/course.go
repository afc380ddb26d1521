// Package course enrols more students than a course has seats.
//
// Each enrolment is a row. A student counts the rows of the course and, while
// there is a seat, inserts one more. Two students count at the same time, both
// find the last seat free, and both insert a row of their own: a write skew, since
// what each has read is what the other one writes. Only serializability forbids
// it.
//
// A database would count with one query over all rows. Here the query is spelled
// out: it reads the row of every student who could be enrolled.
//
// Levels:
//
//	ExploreEnrol: breaks at rc, ra, cc, pc, si; holds at ser
package course

import (
	"errors"

	"github.com/txmc/txmc"
)

const capacity = 2

var (
	students = []string{"ann", "ben", "cleo"}
	errFull  = errors.New("the course is full")
)

func row(student string) string { return "enrolled/go101/" + student }

// ExploreEnrol: Cleo is enrolled; Ann and Ben want the last seat.
func ExploreEnrol(p *txmc.Program) {
	p.Setup(func(tx *txmc.Tx) error {
		tx.Write(row("cleo"), true)
		return nil
	})
	for _, student := range []string{"ann", "ben"} {
		p.Session(student, func(s *txmc.Session) {
			s.Txn("enrol", func(tx *txmc.Tx) error {
				enrolled := 0
				for _, other := range students {
					if tx.Read(row(other)) == true {
						enrolled++
					}
				}
				if enrolled >= capacity {
					return errFull
				}
				tx.Write(row(student), true)
				return nil
			})
		})
	}

	p.Invariant("no more students than seats", func(o *txmc.Outcome) error {
		enrolled := 1 // Cleo
		for _, s := range o.Sessions {
			for _, t := range s.Txn("enrol") {
				if t.Committed {
					enrolled++
				}
			}
		}
		return txmc.Assertf(enrolled <= capacity, "%d students on %d seats", enrolled, capacity)
	})
}
