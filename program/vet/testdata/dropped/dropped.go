// Package dropped drops errors of transactions.
package dropped

import (
	"errors"

	"github.com/txmc/txmc"
)

var errTaken = errors.New("taken")

func take(tx *txmc.Tx) error {
	if tx.Read("x") != nil {
		return errTaken
	}
	return nil
}

func reserve(s *txmc.Session) error { return s.Txn("reserve", take) }

func ExploreDropped(p *txmc.Program) {
	p.Session("a", func(s *txmc.Session) {
		s.Txn("take", take) // want `the error of this transaction is dropped: when it aborts, the session goes on at dropped.go:24 as if it had committed; .*\(dropped\)`
		s.Observe("taken", true)
	})
	p.Session("b", func(s *txmc.Session) {
		s.Txn("take", func(tx *txmc.Tx) error { // want `error of this transaction is dropped`
			if tx.Read("x") != nil {
				return errTaken
			}
			return nil
		})
		s.Txn("pay", func(tx *txmc.Tx) error { tx.Write("paid", true); return nil })
	})
	p.Session("value", func(s *txmc.Session) {
		txn := s.Txn
		txn("take", take) // want `error of this transaction is dropped`
		s.Observe("taken", true)
	})
	p.Session("c", func(s *txmc.Session) {
		reserve(s) // want `error of this transaction is dropped`
		s.Observe("taken", true)
	})
}

// An assertion that nobody returns asserts nothing.
func ExploreAssertions(p *txmc.Program) {
	p.Session("a", func(s *txmc.Session) {
		s.Txn("t", func(tx *txmc.Tx) error {
			txmc.Assert(tx.Read("x") == nil, "x") // want `the error that txmc.Assert returns is dropped: nothing is asserted: .* \(dropped\)`
			return nil
		})
		s.Assert(true)
	})
	p.Final("f", func(tx *txmc.Tx) error {
		txmc.Assertf(tx.Read("x") != nil, "no x") // want `the error that txmc.Assertf returns is dropped`
		return txmc.Assert(true)
	})
	p.Invariant("i", func(*txmc.Outcome) error {
		_ = txmc.Assert(false)
		txmc.Assert(false) // want `the error that txmc.Assert returns is dropped`
		return nil
	})
}

func ExploreKept(p *txmc.Program) {
	p.Session("a", func(s *txmc.Session) {
		// It cannot fail.
		s.Txn("write", func(tx *txmc.Tx) error { tx.Write("x", 1); return nil })
		// It fails the history anyway.
		s.Txn("check", func(tx *txmc.Tx) error { return txmc.Assert(tx.Read("x") == nil, "x") })
		// On purpose.
		_ = s.Txn("take", take)
		if err := s.Txn("take", take); err != nil {
			s.Observe("failed", err.Error())
			return
		}
		tx := s.Begin("shaped")
		defer tx.Rollback()
		tx.Commit()
		// Nothing comes after it.
		s.Txn("take", take)
	})
	p.Session("b", func(s *txmc.Session) {
		for range 2 {
			s.Txn("take", take)
		}
	})
	transfer := func(s *txmc.Session) { s.Txn("take", take) }
	p.Session("c", func(s *txmc.Session) { transfer(s); transfer(s) })
}
