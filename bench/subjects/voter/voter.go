// Package voter is the Voter benchmark (VoltDB): a phone may vote a few times, and
// each vote counts for a contestant.
package voter

import (
	"errors"
	"fmt"

	"github.com/txmc/txmc"
)

const limit = 1 // votes of a phone

var errLimit = errors.New("this phone has voted")

type poll struct {
	phone       *txmc.Var[int] // votes of the phone
	contestants [2]*txmc.Var[int]
}

func newPoll(p *txmc.Program) poll {
	v := poll{phone: txmc.NewVar(p, "phone", 0)}
	for i := range v.contestants {
		v.contestants[i] = txmc.NewVar(p, fmt.Sprintf("contestant/%d", i), 0)
	}
	return v
}

func (v poll) vote(s *txmc.Session, contestant int) {
	err := s.Txn("vote", func(tx *txmc.Tx) error {
		n := v.phone.Get(tx)
		if n >= limit {
			return errLimit
		}
		v.phone.Set(tx, n+1)
		c := v.contestants[contestant]
		c.Set(tx, c.Get(tx)+1)
		return nil
	})
	if err == nil {
		s.Observe("accepted", contestant)
	}
}

// ExploreVote: one phone calls twice at the same time, for different contestants.
func ExploreVote(p *txmc.Program) {
	v := newPoll(p)
	for i := range v.contestants {
		p.Session(fmt.Sprintf("call%d", i), func(s *txmc.Session) { v.vote(s, i) })
	}
	p.Final("votes counted are votes of phones", func(tx *txmc.Tx) error {
		counted, phone := v.contestants[0].Get(tx)+v.contestants[1].Get(tx), v.phone.Get(tx)
		return txmc.Assertf(counted == phone, "%d votes counted, the phone gave %d", counted, phone)
	})
	p.Invariant("a phone votes no more often than allowed", func(o *txmc.Outcome) error {
		n := 0
		for _, s := range o.Sessions {
			n += len(s.Observed("accepted"))
		}
		return txmc.Assertf(n <= limit, "%d votes were accepted, %d allowed", n, limit)
	})
}
