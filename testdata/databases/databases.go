// Package databases has programs that are right or wrong by what a database does
// beyond its axiomatic level. Ask with --iso=pg-rc, pg-rr or pg-ser.
package databases

import (
	"errors"

	"github.com/txmc/txmc"
)

var errInsufficient = errors.New("insufficient funds")

// isRetryable reports whether the transaction may succeed when it is run again.
func isRetryable(err error) bool {
	var e *txmc.DBError
	return errors.As(err, &e) && (e.SQLSTATE == "40001" || e.SQLSTATE == "40P01")
}

// retry runs a transaction until it succeeds or fails for good, n times at most.
func retry(s *txmc.Session, name string, n int, body func(*txmc.Tx) error) error {
	var err error
	for range n {
		if err = s.Txn(name, body); !isRetryable(err) {
			return err
		}
	}
	return err
}

// ExploreDepositInGo computes the new balance in Go from what it has read: at
// READ COMMITTED one of two deposits is lost, at REPEATABLE READ one fails with 40001.
func ExploreDepositInGo(p *txmc.Program) {
	balance := txmc.NewVar(p, "balance", 100)
	done := map[string]int{"ann": 10, "bob": 20}
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			err := s.Txn("deposit", func(tx *txmc.Tx) error {
				balance.Set(tx, balance.Get(tx)+done[who])
				return nil
			})
			s.Observe("deposited", err == nil)
		})
	}
	deposited(p, balance, done)
}

// ExploreDepositByUpdate lets the database compute it: UPDATE … SET balance = balance + x.
func ExploreDepositByUpdate(p *txmc.Program) {
	balance := txmc.NewVar(p, "balance", 100)
	done := map[string]int{"ann": 10, "bob": 20}
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			err := s.Txn("deposit", func(tx *txmc.Tx) error {
				balance.Update(tx, func(old int) (int, bool) { return old + done[who], true })
				return nil
			})
			s.Observe("deposited", err == nil)
		})
	}
	deposited(p, balance, done)
}

// deposited declares that the balance has grown by what was deposited.
func deposited(p *txmc.Program, balance *txmc.Var[int], amounts map[string]int) {
	left := txmc.NewVar(p, "left", 0)
	p.Final("note", func(tx *txmc.Tx) error {
		left.Set(tx, balance.Get(tx))
		return nil
	})
	p.Invariant("no deposit is lost", func(o *txmc.Outcome) error {
		want := 100
		for _, s := range o.Sessions {
			if s.Observed("deposited")[0] == true {
				want += amounts[s.Name]
			}
		}
		got := o.Finals[0].Reads[0].Value.(int)
		return txmc.Assertf(got == want, "the balance is %d, deposits make it %d", got, want)
	})
}

// ExploreWithdrawUnchecked reads the balance, decides in Go, and then updates without
// a condition: two withdrawals overdraw the account at READ COMMITTED.
func ExploreWithdrawUnchecked(p *txmc.Program) {
	withdraw(p, func(tx *txmc.Tx, balance *txmc.Var[int]) error {
		if balance.Get(tx) < 70 {
			return errInsufficient
		}
		balance.Update(tx, func(old int) (int, bool) { return old - 70, true })
		return nil
	})
}

// ExploreWithdrawChecked has the condition in the UPDATE and looks at the row count:
// UPDATE … WHERE balance >= 70. PostgreSQL judges the condition again on the newest
// version of the row.
func ExploreWithdrawChecked(p *txmc.Program) {
	withdraw(p, func(tx *txmc.Tx, balance *txmc.Var[int]) error {
		if !balance.Update(tx, func(old int) (int, bool) { return old - 70, old >= 70 }) {
			return errInsufficient
		}
		return nil
	})
}

func withdraw(p *txmc.Program, body func(*txmc.Tx, *txmc.Var[int]) error) {
	balance := txmc.NewVar(p, "balance", 100)
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			s.Txn("withdraw", func(tx *txmc.Tx) error { return body(tx, balance) })
		})
	}
	p.Final("not overdrawn", func(tx *txmc.Tx) error {
		return txmc.Assertf(balance.Get(tx) >= 0, "the balance is %d", balance.Get(tx))
	})
}

// ExploreOnCall is a write skew: each doctor leaves when the other one is on call.
// REPEATABLE READ allows that both leave, SERIALIZABLE fails one of them with 40001.
func ExploreOnCall(p *txmc.Program) {
	alice, bob := txmc.NewVar(p, "alice", true), txmc.NewVar(p, "bob", true)
	leave := func(own, other *txmc.Var[bool]) func(*txmc.Session) {
		return func(s *txmc.Session) {
			s.Txn("leave", func(tx *txmc.Tx) error {
				if other.Get(tx) {
					own.Set(tx, false)
				}
				return nil
			})
		}
	}
	p.Session("alice", leave(alice, bob))
	p.Session("bob", leave(bob, alice))
	p.Final("somebody is on call", func(tx *txmc.Tx) error {
		return txmc.Assert(alice.Get(tx) || bob.Get(tx), "nobody is on call")
	})
}

// ExploreCounterWithoutRetry takes for granted that its transaction commits. Where the
// database returns 40001, a count is missing.
func ExploreCounterWithoutRetry(p *txmc.Program) {
	counter(p, func(s *txmc.Session, body func(*txmc.Tx) error) { s.Txn("count", body) })
}

// ExploreCounterWithRetry runs the transaction again.
func ExploreCounterWithRetry(p *txmc.Program) {
	counter(p, func(s *txmc.Session, body func(*txmc.Tx) error) {
		s.Assert(retry(s, "count", 3, body) == nil, "two others cannot fail it three times")
	})
}

func counter(p *txmc.Program, run func(*txmc.Session, func(*txmc.Tx) error)) {
	n := txmc.NewVar(p, "n", 0)
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			run(s, func(tx *txmc.Tx) error {
				n.Set(tx, n.GetForUpdate(tx)+1)
				return nil
			})
		})
	}
	p.Final("both count", func(tx *txmc.Tx) error {
		return txmc.Assertf(n.Get(tx) == 2, "n is %d", n.Get(tx))
	})
}

// ExploreTransfers moves money in opposite directions and locks the accounts in
// opposite order: one of the transfers may fail with 40P01, and this code takes for
// granted that it does not.
func ExploreTransfers(p *txmc.Program) {
	transfers(p, func(s *txmc.Session, body func(*txmc.Tx) error) error { return s.Txn("transfer", body) })
}

// ExploreTransfersWithRetry runs a transfer that was a deadlock's victim again.
func ExploreTransfersWithRetry(p *txmc.Program) {
	transfers(p, func(s *txmc.Session, body func(*txmc.Tx) error) error { return retry(s, "transfer", 3, body) })
}

func transfers(p *txmc.Program, run func(*txmc.Session, func(*txmc.Tx) error) error) {
	a, b := txmc.NewVar(p, "a", 100), txmc.NewVar(p, "b", 100)
	move := func(from, to *txmc.Var[int]) func(*txmc.Session) {
		return func(s *txmc.Session) {
			err := run(s, func(tx *txmc.Tx) error {
				from.Update(tx, func(old int) (int, bool) { return old - 10, true })
				to.Update(tx, func(old int) (int, bool) { return old + 10, true })
				return nil
			})
			s.Assertf(err == nil, "the transfer is not done: %v", err)
		}
	}
	p.Session("teller1", move(a, b))
	p.Session("teller2", move(b, a))
	p.Final("conserved", func(tx *txmc.Tx) error {
		return txmc.Assert(a.Get(tx)+b.Get(tx) == 200, "money is lost")
	})
}

// ExploreMailBeforeCommit sends a mail inside the transaction: where the commit fails,
// the mail is out and the order is not.
func ExploreMailBeforeCommit(p *txmc.Program) {
	orders(p, func(s *txmc.Session, body func(*txmc.Tx)) {
		tx := s.Begin("order")
		body(tx)
		s.Observe("mail", true)
		tx.Commit() // its error is dropped
	})
}

// ExploreMailAfterCommit sends it when the commit has succeeded.
func ExploreMailAfterCommit(p *txmc.Program) {
	orders(p, func(s *txmc.Session, body func(*txmc.Tx)) {
		tx := s.Begin("order")
		body(tx)
		if tx.Commit() == nil {
			s.Observe("mail", true)
		}
	})
}

func orders(p *txmc.Program, run func(*txmc.Session, func(*txmc.Tx))) {
	tea, coffee := txmc.NewVar(p, "tea", 1), txmc.NewVar(p, "coffee", 1)
	order := func(want, other *txmc.Var[int]) func(*txmc.Session) {
		return func(s *txmc.Session) {
			run(s, func(tx *txmc.Tx) { want.Set(tx, other.Get(tx)-1) })
		}
	}
	p.Session("ann", order(tea, coffee))
	p.Session("bob", order(coffee, tea))
	p.Invariant("a mail for each order", func(o *txmc.Outcome) error {
		for _, s := range o.Sessions {
			mailed := len(s.Observed("mail")) > 0
			if err := txmc.Assertf(mailed == s.Txns[0].Committed, "%s: mail %v, committed %v", s.Name, mailed, s.Txns[0].Committed); err != nil {
				return err
			}
		}
		return nil
	})
}
