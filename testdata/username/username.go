// Package username gives the same user name to two people.
//
// ExploreTable keeps a row for each user under a number. Signing up looks through
// all rows for the name and, if nobody has it, inserts a row under a new number.
// Two people who ask for "ada" at the same time find nothing, and write different
// rows: a write skew, which snapshot isolation allows and serializability forbids.
//
// ExploreIndex keeps a row under the name itself, as a unique index does. Now both
// write the same row, and snapshot isolation is enough.
//
// Levels:
//
//	ExploreTable: breaks at rc, ra, cc, pc, si; holds at ser
//	ExploreIndex: breaks at rc, ra, cc, pc; holds at si, ser
package username

import (
	"errors"
	"fmt"

	"github.com/txmc/txmc"
)

// User is a row of the table.
type User struct{ Name, Email string }

var errTaken = errors.New("this name is taken")

// ExploreTable: the name is a column of a table with numbered rows.
func ExploreTable(p *txmc.Program) {
	const rows = 2
	signUp := func(tx *txmc.Tx, id int, u User) error {
		for n := range rows {
			if other, ok := tx.Read(fmt.Sprintf("user/%d", n)).(User); ok && other.Name == u.Name {
				return errTaken
			}
		}
		tx.Write(fmt.Sprintf("user/%d", id), u)
		return nil
	}
	exploreSignUp(p, signUp)
}

// ExploreIndex: the name is the key.
func ExploreIndex(p *txmc.Program) {
	signUp := func(tx *txmc.Tx, _ int, u User) error {
		if tx.Read("user/"+u.Name) != nil {
			return errTaken
		}
		tx.Write("user/"+u.Name, u)
		return nil
	}
	exploreSignUp(p, signUp)
}

// exploreSignUp: two people want to be called ada.
func exploreSignUp(p *txmc.Program, signUp func(tx *txmc.Tx, id int, u User) error) {
	for id, email := range []string{"byron@example.org", "lovelace@example.org"} {
		p.Session(email, func(s *txmc.Session) {
			err := s.Txn("sign up", func(tx *txmc.Tx) error {
				return signUp(tx, id, User{Name: "ada", Email: email})
			})
			s.Observe("welcome", err == nil)
		})
	}
	p.Invariant("user names are unique", func(o *txmc.Outcome) error {
		var adas []string
		for _, s := range o.Sessions {
			if s.Observed("welcome")[0] == true {
				adas = append(adas, s.Name)
			}
		}
		return txmc.Assertf(len(adas) == 1, "ada is %v", adas)
	})
}
