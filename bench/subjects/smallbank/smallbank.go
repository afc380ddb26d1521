// Package smallbank is the SmallBank benchmark (Alomari, Cahill, Fekete, Röhm,
// ICDE 2008): customers with a savings and a checking account each, and five
// transactions. It is the classic application that snapshot isolation breaks: a
// check is written on both accounts and taken from one.
package smallbank

import "github.com/txmc/txmc"

// customer is a customer's accounts.
type customer struct {
	savings, checking *txmc.Var[int]
}

func newCustomer(p *txmc.Program, name string, savings, checking int) customer {
	return customer{txmc.NewVar(p, "savings/"+name, savings), txmc.NewVar(p, "checking/"+name, checking)}
}

func (c customer) balance(s *txmc.Session) {
	s.Txn("balance", func(tx *txmc.Tx) error {
		s.Observe("balance", c.savings.Get(tx)+c.checking.Get(tx))
		return nil
	})
}

func (c customer) depositChecking(s *txmc.Session, n int) {
	s.Txn("depositChecking", func(tx *txmc.Tx) error {
		c.checking.Set(tx, c.checking.Get(tx)+n)
		return nil
	})
}

func (c customer) transactSavings(s *txmc.Session, n int) {
	s.Txn("transactSavings", func(tx *txmc.Tx) error {
		c.savings.Set(tx, c.savings.Get(tx)+n)
		return nil
	})
}

// writeCheck takes a penalty of 1 when the accounts do not cover the check.
func (c customer) writeCheck(s *txmc.Session, n int) {
	s.Txn("writeCheck", func(tx *txmc.Tx) error {
		if c.savings.Get(tx)+c.checking.Get(tx) < n {
			n++
		}
		c.checking.Set(tx, c.checking.Get(tx)-n)
		return nil
	})
}

// amalgamate moves all that c has to other's checking account.
func (c customer) amalgamate(s *txmc.Session, other customer) {
	s.Txn("amalgamate", func(tx *txmc.Tx) error {
		n := c.savings.Get(tx) + c.checking.Get(tx)
		c.savings.Set(tx, 0)
		c.checking.Set(tx, 0)
		other.checking.Set(tx, other.checking.Get(tx)+n)
		return nil
	})
}

// ExploreMoney: two customers' money is put together while one deposits.
func ExploreMoney(p *txmc.Program) {
	a, b := newCustomer(p, "a", 10, 5), newCustomer(p, "b", 0, 3)
	p.Session("branch", func(s *txmc.Session) { a.amalgamate(s, b) })
	p.Session("machine", func(s *txmc.Session) { a.depositChecking(s, 7) })
	p.Final("no money is lost", func(tx *txmc.Tx) error {
		sum := a.savings.Get(tx) + a.checking.Get(tx) + b.savings.Get(tx) + b.checking.Get(tx)
		return txmc.Assertf(sum == 25, "there were 18, 7 came in, and there are %d", sum)
	})
}

// ExplorePenalty: a check and a deposit, and a customer who looks at the balance.
// Who has seen the deposit and not the check knows that the check is covered.
func ExplorePenalty(p *txmc.Program) {
	a := newCustomer(p, "a", 0, 0)
	p.Session("deposit", func(s *txmc.Session) { a.transactSavings(s, 20) })
	p.Session("check", func(s *txmc.Session) { a.writeCheck(s, 10) })
	p.Session("customer", func(s *txmc.Session) { a.balance(s) })
	p.Final("balance", func(tx *txmc.Tx) error {
		a.checking.Get(tx)
		return nil
	})
	p.Invariant("no penalty for a check that is covered", func(o *txmc.Outcome) error {
		seen := o.Session("customer").Observed("balance")[0].(int)
		checking := o.Finals[0].Reads[0].Value.(int)
		return txmc.Assertf(seen != 20 || checking == -10, "the customer saw 20 before the check of 10, which cost %d", -checking)
	})
}
