package databases

import "github.com/txmc/txmc"

// ExploreDepositCommitDropped drops the error of its commit, and tells the customer that
// the money is there. Where the transaction has failed with 40001, it is not.
func ExploreDepositCommitDropped(p *txmc.Program) {
	deposits(p, func(s *txmc.Session, add func(*txmc.Tx)) bool {
		tx := s.Begin("deposit")
		add(tx)
		tx.Commit()
		return true
	})
}

// ExploreDepositCommitChecked looks at it, and tries again.
func ExploreDepositCommitChecked(p *txmc.Program) {
	deposits(p, func(s *txmc.Session, add func(*txmc.Tx)) bool {
		for range 3 {
			tx := s.Begin("deposit")
			add(tx)
			if err := tx.Commit(); !isRetryable(err) {
				return err == nil
			}
		}
		return false
	})
}

func deposits(p *txmc.Program, run func(s *txmc.Session, add func(*txmc.Tx)) bool) {
	balance := txmc.NewVar(p, "balance", 100)
	amounts := map[string]int{"ann": 10, "bob": 20}
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			s.Observe("deposited", run(s, func(tx *txmc.Tx) {
				balance.Update(tx, func(old int) (int, bool) { return old + amounts[who], true })
			}))
		})
	}
	deposited(p, balance, amounts)
}
