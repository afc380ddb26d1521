// Package mysql has programs that meet the locks of MySQL and MariaDB: gap locks,
// deadlocks, locks that do not wait. Ask with --db=mysql, or --iso=innodb-rc, innodb-rr,
// innodb-rr-si or innodb-ser; they run on PostgreSQL's levels as well.
package mysql

import (
	"errors"

	"github.com/txmc/txmc"
)

// ExploreDeposit computes the new balance in Go from what it has read. At REPEATABLE READ
// a plain SELECT does not lock, and the UPDATE overwrites what it has not seen: a deposit
// is lost. With innodb_snapshot_isolation the UPDATE fails with 1020, at SERIALIZABLE the
// two transactions deadlock.
func ExploreDeposit(p *txmc.Program) {
	balance := txmc.NewVar(p, "balance", 100)
	deposit(p, balance, func(tx *txmc.Tx, amount int) { balance.Set(tx, balance.Get(tx)+amount) })
}

// ExploreDepositLocked reads the balance FOR UPDATE.
func ExploreDepositLocked(p *txmc.Program) {
	balance := txmc.NewVar(p, "balance", 100)
	deposit(p, balance, func(tx *txmc.Tx, amount int) { balance.Set(tx, balance.GetForUpdate(tx)+amount) })
}

func deposit(p *txmc.Program, balance *txmc.Var[int], add func(*txmc.Tx, int)) {
	amounts := map[string]int{"ann": 10, "bob": 20}
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			err := s.Txn("deposit", func(tx *txmc.Tx) error {
				add(tx, amounts[who])
				return nil
			})
			s.Observe("deposited", err == nil)
		})
	}
	p.Final("note", func(tx *txmc.Tx) error {
		balance.Get(tx)
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

// ExploreOnCall is a write skew: each doctor leaves when the other one is on call.
// SERIALIZABLE makes each SELECT lock its row, and so turns it into a deadlock.
func ExploreOnCall(p *txmc.Program) {
	doctors := txmc.NewTable[string, bool](p, "doctors")
	p.Setup(func(tx *txmc.Tx) error {
		return errors.Join(doctors.Insert(tx, "alice", true), doctors.Insert(tx, "bob", true))
	})
	for _, who := range []string{"alice", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			s.Txn("leave", func(tx *txmc.Tx) error {
				onCall := doctors.Select(tx, func(_ string, on bool) bool { return on })
				if len(onCall) > 1 {
					doctors.Update(tx, who, func(bool) (bool, bool) { return false, true })
				}
				return nil
			})
		})
	}
	p.Final("somebody is on call", func(tx *txmc.Tx) error {
		return txmc.Assert(len(doctors.Select(tx, func(_ string, on bool) bool { return on })) > 0, "nobody is on call")
	})
}

// ExploreSignup looks with FOR UPDATE whether a name is free, and then inserts it. At
// REPEATABLE READ the row that is not there locks a gap, and two transactions may lock the
// same gap: each INSERT waits for the other's lock. One fails with 1213, of names that
// differ, and this code takes for granted that it does not.
func ExploreSignup(p *txmc.Program) {
	signup(p, func(tx *txmc.Tx, users *txmc.Table[string, int], name string) error {
		if _, taken := users.GetForUpdate(tx, name); taken {
			return errors.New("the name is taken")
		}
		return users.Insert(tx, name, 1)
	})
}

// ExploreSignupByInsert inserts at once, and lets the unique index tell.
func ExploreSignupByInsert(p *txmc.Program) {
	signup(p, func(tx *txmc.Tx, users *txmc.Table[string, int], name string) error { return users.Insert(tx, name, 1) })
}

func signup(p *txmc.Program, add func(*txmc.Tx, *txmc.Table[string, int], string) error) {
	users := txmc.NewTable[string, int](p, "users")
	for _, name := range []string{"ann", "bob"} {
		p.Session(name, func(s *txmc.Session) {
			err := s.Txn("signup", func(tx *txmc.Tx) error { return add(tx, users, name) })
			s.Assertf(err == nil, "%s is not signed up: %v", name, err)
		})
	}
}

// ExploreClaim lets two sessions insert the same key. One gets 1062, which undoes its
// statement and not its transaction: the audit row that it writes next stays. PostgreSQL's
// 23505 ends the transaction.
func ExploreClaim(p *txmc.Program) {
	seats := txmc.NewTable[int, string](p, "seats")
	audit := txmc.NewTable[string, bool](p, "audit")
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			s.Txn("claim", func(tx *txmc.Tx) error {
				err := seats.Insert(tx, 1, who)
				s.Observe("claimed", err == nil)
				return audit.Insert(tx, who, true) // also after a duplicate
			})
		})
	}
	p.Final("an audit row for each claim", func(tx *txmc.Tx) error {
		rows := audit.Select(tx, nil)
		return txmc.Assertf(len(rows) == 1, "%d audit rows, 1 seat", len(rows))
	})
}

// ExploreQueue lets two workers take a job each with SKIP LOCKED.
func ExploreQueue(p *txmc.Program) { queue(p, txmc.ForUpdate, txmc.SkipLocked, txmc.Limit(1)) }

// ExploreQueueUnlocked takes the first job without a lock: both take the same one.
func ExploreQueueUnlocked(p *txmc.Program) { queue(p, txmc.Limit(1)) }

func queue(p *txmc.Program, how ...txmc.ReadOption) {
	jobs := txmc.NewTable[int, string](p, "jobs")
	p.Setup(func(tx *txmc.Tx) error {
		return errors.Join(jobs.Insert(tx, 1, "new"), jobs.Insert(tx, 2, "new"))
	})
	for _, who := range []string{"worker1", "worker2"} {
		p.Session(who, func(s *txmc.Session) {
			tx := s.Begin("take")
			list := jobs.Select(tx, func(_ int, state string) bool { return state == "new" }, how...)
			if len(list) == 0 {
				tx.Rollback()
				return
			}
			jobs.Update(tx, list[0].Key, func(string) (string, bool) { return who, true })
			if tx.Commit() == nil {
				s.Observe("job", list[0].Key)
			}
		})
	}
	p.Invariant("each job is done once", func(o *txmc.Outcome) error {
		one, two := o.Session("worker1").Observed("job"), o.Session("worker2").Observed("job")
		return txmc.Assertf(len(one) == 0 || len(two) == 0 || one[0] != two[0], "both do job %v", one)
	})
}

// ExploreNoWait tries a lock with NOWAIT and goes on when it does not get it. In MySQL that
// error undoes nothing but the statement, so that the transfer is half done; the code
// looks at no error. In PostgreSQL the transaction is in error.
func ExploreNoWait(p *txmc.Program) {
	a, b := txmc.NewVar(p, "a", 100), txmc.NewVar(p, "b", 100)
	p.Session("teller", func(s *txmc.Session) {
		s.Txn("transfer", func(tx *txmc.Tx) error {
			a.Update(tx, func(old int) (int, bool) { return old - 10, true })
			if old := b.GetForUpdate(tx, txmc.NoWait); tx.Err() == nil {
				b.Set(tx, old+10)
			}
			return nil
		})
	})
	p.Session("auditor", func(s *txmc.Session) {
		s.Txn("audit", func(tx *txmc.Tx) error {
			b.GetForUpdate(tx)
			return nil
		})
	})
	p.Final("conserved", func(tx *txmc.Tx) error {
		x, y := a.Get(tx), b.Get(tx)
		return txmc.Assertf(x+y == 200, "a = %d, b = %d", x, y)
	})
}
