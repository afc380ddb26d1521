// Package straytx uses a Tx where it is not open.
package straytx

import "github.com/txmc/txmc"

func ExploreKept(p *txmc.Program) {
	x := txmc.NewVar(p, "x", 0)
	p.Session("a", func(s *txmc.Session) {
		var kept *txmc.Tx
		_ = s.Txn("one", func(tx *txmc.Tx) error { kept = tx; return nil })
		kept.Read("x") // want `this uses the Tx of another transaction, kept at straytx.go:10: exploration stops with an error there; use the Tx that the function of this transaction gets \(straytx\)`
		_ = s.Txn("two", func(tx *txmc.Tx) error {
			x.Set(kept, 1) // want `this uses the Tx of another transaction`
			return nil
		})
	})
}

func ExploreSessions(p *txmc.Program) {
	var other *txmc.Tx
	var friend *txmc.Session
	p.Session("a", func(s *txmc.Session) {
		friend = s
		other = s.Begin("a")
		other.Write("x", 1)
		other.Commit()
	})
	p.Session("b", func(s *txmc.Session) {
		other.Read("x")        // want `this uses the Tx of another transaction`
		friend.Observe("x", 1) // want `this uses the Session of another session, kept at straytx.go:23`
	})
	p.Final("f", func(tx *txmc.Tx) error {
		other.Read("x") // want `this uses the Tx of another transaction`
		return nil
	})
}

func ExploreEnded(p *txmc.Program) {
	p.Session("a", func(s *txmc.Session) {
		tx := s.Begin("a")
		tx.Write("x", 1)
		tx.Commit()
		tx.Read("x") // want `this uses a Tx that has ended at straytx.go:42`
	})
	p.Session("b", func(s *txmc.Session) {
		tx := s.Begin("b")
		tx.Rollback()
		helper(tx) // want `this uses a Tx that has ended`
	})
}

func helper(tx *txmc.Tx) { tx.Read("x") }

func ExploreEscaped(p *txmc.Program) {
	p.Session("a", func(s *txmc.Session) {
		var later func()
		_ = s.Txn("one", func(tx *txmc.Tx) error {
			later = func() { tx.Read("x") }
			return nil
		})
		later() // want `this calls a function that uses the Tx of another transaction`
		var u unit
		_ = s.Txn("two", func(tx *txmc.Tx) error {
			u.tx = tx
			return nil
		})
		u.tx.Read("x") // want `this uses the Tx of another transaction`
		u.tx = nil
		_ = s.Txn("three", func(tx *txmc.Tx) error {
			leaked = tx //txmc:ignore global
			return nil
		})
		leaked.Read("x") // want `this uses the Tx of another transaction`
	})
}

var leaked *txmc.Tx

type unit struct{ tx *txmc.Tx }

func (u *unit) read() { u.tx.Read("x") }

// Where it is open it may go by any name.
func ExploreOpen(p *txmc.Program) {
	x := txmc.NewVar(p, "x", 0)
	p.Session("a", func(s *txmc.Session) {
		_ = s.Txn("one", func(tx *txmc.Tx) error {
			read := func() int { return x.Get(tx) }
			same := tx
			func() { same.Write("y", read()) }()
			helper(tx)
			u := &unit{tx}
			u.read()
			u.tx.Read("x")
			within := func() { u.tx.Read("z") }
			within()
			return nil
		})
		for range 2 {
			tx := s.Begin("b")
			if tx.Read("x") != nil {
				tx.Rollback()
				continue
			}
			x.Set(tx, 1)
			tx.Commit()
			tx.Rollback()
		}
	})
	p.Session("b", func(s *txmc.Session) {
		var tx *txmc.Tx
		begin := func() { tx = s.Begin("c") }
		begin()
		tx.Read("x")
		tx.Commit()
		_ = s.Txn("d", func(t *txmc.Tx) error {
			tx = t
			work := func() { helper(tx) }
			work()
			tx.Read("y")
			return nil
		})
		finish := s.Begin("e")
		defer finish.Rollback()
		finish.Write("x", 2)
		if err := finish.Commit(); err != nil {
			return
		}
	})
}
