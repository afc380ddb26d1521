package databases

import (
	"errors"

	"github.com/txmc/txmc"
)

var errReused = errors.New("the token has been used")

// ExploreRefreshUnchecked exchanges a refresh token for a new one. The UPDATE has the
// condition, and nobody looks at its row count: two requests with the same token both
// get a new one at READ COMMITTED, of which one is worth nothing.
func ExploreRefreshUnchecked(p *txmc.Program) {
	refresh(p, func(tx *txmc.Tx, token *txmc.Var[string], to string) error {
		if token.Get(tx) != "first" {
			return errReused
		}
		token.Update(tx, func(old string) (string, bool) { return to, old == "first" })
		return nil
	})
}

// ExploreRefreshChecked looks at the row count.
func ExploreRefreshChecked(p *txmc.Program) {
	refresh(p, func(tx *txmc.Tx, token *txmc.Var[string], to string) error {
		if !token.Update(tx, func(old string) (string, bool) { return to, old == "first" }) {
			return errReused
		}
		return nil
	})
}

func refresh(p *txmc.Program, exchange func(tx *txmc.Tx, token *txmc.Var[string], to string) error) {
	token := txmc.NewVar(p, "token", "first")
	for _, device := range []string{"phone", "laptop"} {
		p.Session(device, func(s *txmc.Session) {
			err := s.Txn("refresh", func(tx *txmc.Tx) error { return exchange(tx, token, "of "+device) })
			if err == nil {
				s.Observe("token", "of "+device)
			}
		})
	}
	p.Invariant("a token is exchanged once", func(o *txmc.Outcome) error {
		exchanged := 0
		for _, s := range o.Sessions {
			exchanged += len(s.Observed("token"))
		}
		return txmc.Assertf(exchanged == 1, "the token was exchanged %d times", exchanged)
	})
}
