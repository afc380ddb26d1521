package databases

import "github.com/txmc/txmc"

// ExploreDeliverByGet lets two workers look for a delivery that is pending, send it and
// mark it. Both send it at READ COMMITTED. At REPEATABLE READ one of them fails with
// 40001, after it has sent.
func ExploreDeliverByGet(p *txmc.Program) {
	deliver(p, func(tx *txmc.Tx, pending *txmc.Var[bool]) bool { return pending.Get(tx) })
}

// ExploreDeliverForUpdate locks the delivery when it looks: the other worker waits, and
// then finds it marked, or fails before it has sent.
func ExploreDeliverForUpdate(p *txmc.Program) {
	deliver(p, func(tx *txmc.Tx, pending *txmc.Var[bool]) bool { return pending.GetForUpdate(tx) })
}

func deliver(p *txmc.Program, look func(*txmc.Tx, *txmc.Var[bool]) bool) {
	pending := txmc.NewVar(p, "pending", true)
	for _, worker := range []string{"worker1", "worker2"} {
		p.Session(worker, func(s *txmc.Session) {
			s.Txn("deliver", func(tx *txmc.Tx) error {
				if look(tx, pending) {
					s.Observe("sent", true)
					pending.Set(tx, false)
				}
				return nil
			})
		})
	}
	p.Invariant("sent once", func(o *txmc.Outcome) error {
		sent := 0
		for _, s := range o.Sessions {
			sent += len(s.Observed("sent"))
		}
		return txmc.Assertf(sent == 1, "the delivery was sent %d times", sent)
	})
}
