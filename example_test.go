package txmc_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// A client program is explored from Go code as by the command. Two sessions pay
// from one account; whoever commits last overwrites the other's payment, unless
// the level sees that both write the account.
func Example() {
	explore := func(p *txmc.Program) {
		account := txmc.NewVar(p, "account", 100)
		pay := func(s *txmc.Session) {
			s.Txn("pay", func(tx *txmc.Tx) error {
				account.Set(tx, account.Get(tx)-30)
				return nil
			})
		}
		p.Session("till1", pay)
		p.Session("till2", pay)
		p.Final("audit", func(tx *txmc.Tx) error {
			balance := account.Get(tx)
			return txmc.Assertf(balance == 40, "two payments of 30 leave %d", balance)
		})
	}

	client, err := program.NewClient("explore", explore, program.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, level := range []isolation.Level{isolation.CC, isolation.SI} {
		x := dpor.Explore(context.Background(), client, dpor.Options{
			Level: level,
			Base:  level.Base(),
			All:   true,
		})
		for found, err := range x.Histories() {
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("%s: %s\n", level, found.Failures[0].Message)
		}
		s := x.Stats()
		fmt.Printf("%s: %d histories, %d violations, complete: %t\n", level, s.Histories, s.Violations, s.Complete)
	}
	// Output:
	// cc: two payments of 30 leave 70
	// cc: two payments of 30 leave 70
	// cc: 4 histories, 2 violations, complete: true
	// si: 2 histories, 0 violations, complete: true
}

// Sessions keep ordinary Go variables from one transaction to the next, and
// record what they saw; an invariant judges all sessions together.
func ExampleProgram_Invariant() {
	client, err := program.NewClient("tickets", func(p *txmc.Program) {
		next := txmc.NewVar(p, "next ticket", 1)
		draw := func(s *txmc.Session) {
			var ticket int
			s.Txn("draw", func(tx *txmc.Tx) error {
				ticket = next.Get(tx)
				next.Set(tx, ticket+1)
				return nil
			})
			s.Observe("ticket", ticket)
		}
		p.Session("ann", draw)
		p.Session("ben", draw)
		p.Invariant("tickets differ", func(o *txmc.Outcome) error {
			ann, ben := o.Session("ann").Observed("ticket")[0], o.Session("ben").Observed("ticket")[0]
			return txmc.Assertf(ann != ben, "both hold ticket %v", ann)
		})
	}, program.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := dpor.Explore(context.Background(), client, dpor.Options{Level: isolation.RC, Base: isolation.RC})
	for found, err := range x.Histories() {
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, f := range found.Failures {
			fmt.Printf("%s %q: %s\n", f.Kind, f.Name, f.Message)
		}
	}
	// Output:
	// invariant "tickets differ": both hold ticket 1
}

// Code that is shaped as with database/sql keeps its shape: a Rollback that is
// deferred does nothing after Commit.
func ExampleSession_Begin() {
	errTaken := errors.New("the room is taken")
	book := func(s *txmc.Session) error {
		tx := s.Begin("book")
		defer tx.Rollback()
		if tx.Read("room/7") != nil {
			return errTaken
		}
		tx.Write("room/7", s.Name())
		return tx.Commit()
	}

	client, err := program.NewClient("booking", func(p *txmc.Program) {
		guest := func(s *txmc.Session) { s.Observe("booked", book(s) == nil) }
		p.Session("ann", guest)
		p.Session("ben", guest)
		p.Invariant("one guest gets the room", func(o *txmc.Outcome) error {
			ann, ben := o.Session("ann").Observed("booked")[0], o.Session("ben").Observed("booked")[0]
			return txmc.Assert(ann != ben)
		})
	}, program.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := dpor.Explore(context.Background(), client, dpor.Options{Level: isolation.SI, Base: isolation.CC})
	for _, err := range x.Histories() {
		fmt.Println("a violation, or an error:", err)
	}
	s := x.Stats()
	fmt.Printf("%d histories, %d violations\n", s.Histories, s.Violations)
	// Output:
	// 2 histories, 0 violations
}
