// Package shared shares Go variables between sessions.
package shared

import "github.com/txmc/txmc"

func ExploreCounter(p *txmc.Program) {
	x := txmc.NewVar(p, "x", 0)
	n := 0
	p.Session("a", func(s *txmc.Session) {
		s.Txn("t", func(tx *txmc.Tx) error { x.Set(tx, n); return nil })
	})
	p.Session("b", func(s *txmc.Session) {
		n++ // want `session "b" changes n, which session "a" uses too: .*make it a txmc.Var, or tell invariants with s.Observe \(shared\)`
	})
}

// One function for two sessions.
func ExploreWorker(p *txmc.Program) {
	total := 0
	worker := func(s *txmc.Session) {
		s.Txn("t", func(tx *txmc.Tx) error {
			total++ // want `session "a" changes total, which session "b" uses too`
			return nil
		})
	}
	p.Session("a", worker)
	p.Session("b", worker)
}

func ExploreLoop(p *txmc.Program) {
	seen := map[string]bool{}
	for _, name := range []string{"a", "b"} {
		p.Session(name, func(s *txmc.Session) {
			if !seen["x"] {
				seen["x"] = true // want `a session changes seen, which the other sessions declared there use too`
			}
		})
	}
}

func ExploreDeclarer(p *txmc.Program) {
	var log []string
	worker := func(name string) {
		p.Session(name, func(s *txmc.Session) {
			log = append(log, name) // want `a session changes log, which the other sessions declared there use too`
		})
	}
	worker("a")
	worker("b")
}

// What a session notes down, invariants and Finals never see.
func ExploreJudges(p *txmc.Program) {
	x := txmc.NewVar(p, "x", 0)
	results := make([]int, 2)
	failed := false
	for i := range 2 {
		p.Session([]string{"a", "b"}[i], func(s *txmc.Session) {
			s.Txn("t", func(tx *txmc.Tx) error {
				results[i] = x.Get(tx) // want `a session changes results, which Invariant "same" uses too`
				return nil
			})
		})
	}
	p.Session("c", func(s *txmc.Session) {
		failed = s.Txn("t", func(tx *txmc.Tx) error { return nil }) != nil // want `session "c" changes failed, which Final "audit" uses too`
	})
	p.Invariant("same", func(o *txmc.Outcome) error { return txmc.Assert(results[0] == results[1]) })
	p.Final("audit", func(tx *txmc.Tx) error { return txmc.Assert(!failed) })
}

type account struct{ balance int }

func (a *account) pay(n int) { a.balance += n }

func ExploreObject(p *txmc.Program) {
	acct := &account{}
	p.Session("a", func(s *txmc.Session) {
		acct.pay(1) // want `session "a" changes acct, which session "b" uses too`
	})
	p.Session("b", func(s *txmc.Session) { s.Observe("balance", acct.balance) })
}

// Through pointers.
func ExplorePointers(p *txmc.Program) {
	n, own, other := 0, 0, 0
	count(p, "a", &n)
	count(p, "b", &n)
	count(p, "c", &own)
	count(p, "d", &other)
}

func count(p *txmc.Program, name string, n *int) {
	p.Session(name, func(s *txmc.Session) {
		*n++ // want `session "a" changes n, which session "b" uses too`
	})
}

// Variables that only one session changes and uses, and those that nobody
// changes.
func ExploreOwn(p *txmc.Program) {
	x := txmc.NewVar(p, "x", 0)
	limit, names := 3, map[string]string{"a": "ann"}
	limit++
	mine := 0
	p.Session("a", func(s *txmc.Session) {
		count := 0
		for range limit {
			s.Txn("t", func(tx *txmc.Tx) error { count++; mine++; x.Set(tx, mine); return nil })
		}
		s.Observe(names["a"], count)
	})
	p.Session("b", func(s *txmc.Session) {
		var got int
		s.Txn("t", func(tx *txmc.Tx) error { got = x.Get(tx) + limit; return nil })
		s.Observe(names["b"], got)
	})
	p.Invariant("limit", func(o *txmc.Outcome) error { return txmc.Assert(limit == 4) })
}

func ExploreOwnInLoops(p *txmc.Program) {
	counts := make([]int, 2)
	accounts := []*account{{}, {}}
	for i, acct := range accounts {
		n := 0
		p.Session([]string{"a", "b"}[i], func(s *txmc.Session) {
			n++
			counts[i]++
			acct.pay(n)
			s.Observe("n", n)
		})
	}
	a, b := &account{}, &account{}
	p.Session("c", func(s *txmc.Session) { a.pay(1) })
	p.Session("d", func(s *txmc.Session) { b.pay(1) })
	slots := make([]int, 2)
	p.Session("g", func(s *txmc.Session) { slots[0]++; s.Observe("slot", slots[0]) })
	p.Session("h", func(s *txmc.Session) { slots[1]++; s.Observe("slot", slots[1]) })
	teller(p, "e")
	teller(p, "f")
}

func teller(p *txmc.Program, name string) {
	n := 0
	p.Session(name, func(s *txmc.Session) { n++; s.Observe("n", n) })
}

// Finals are one session.
func ExploreFinals(p *txmc.Program) {
	sum := 0
	p.Session("a", func(s *txmc.Session) {})
	p.Final("first", func(tx *txmc.Tx) error { sum++; return nil })
	p.Final("second", func(tx *txmc.Tx) error { return txmc.Assert(sum == 1) })
}
