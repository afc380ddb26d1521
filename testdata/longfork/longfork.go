// Package longfork shows the score of a match to two fans.
//
// Each team's reporter counts the goals of their own team. It stands 0:0, and
// both teams score at nearly the same time. One fan's screen says 1:0, the
// other's 0:1. Each of the two could be right, but not both: one of the goals was
// the first.
//
// Up to causal consistency every reader may see independent writes in an order of
// their own; history forks, and each fan lives in one branch. From prefix
// consistency on all transactions read prefixes of one common order.
//
// Levels:
//
//	ExploreScore: breaks at rc, ra, cc; holds at pc, si, ser
package longfork

import "github.com/txmc/txmc"

// Score is what a fan's screen shows.
type Score struct{ Home, Away int }

// ExploreScore: two goals, two screens.
func ExploreScore(p *txmc.Program) {
	home, away := txmc.NewVar(p, "goals/home", 0), txmc.NewVar(p, "goals/away", 0)

	goal := func(team *txmc.Var[int]) func(*txmc.Session) {
		return func(s *txmc.Session) {
			s.Txn("goal", func(tx *txmc.Tx) error {
				team.Set(tx, team.Get(tx)+1)
				return nil
			})
		}
	}
	watch := func(s *txmc.Session) {
		var score Score
		s.Txn("score", func(tx *txmc.Tx) error {
			score = Score{Home: home.Get(tx), Away: away.Get(tx)}
			return nil
		})
		s.Observe("screen", score)
	}
	p.Session("reporter-home", goal(home))
	p.Session("reporter-away", goal(away))
	p.Session("fan1", watch)
	p.Session("fan2", watch)

	p.Invariant("one goal was the first", func(o *txmc.Outcome) error {
		a := o.Session("fan1").Observed("screen")[0].(Score)
		b := o.Session("fan2").Observed("screen")[0].(Score)
		forked := a.Home > b.Home && a.Away < b.Away || a.Home < b.Home && a.Away > b.Away
		return txmc.Assertf(!forked, "one fan saw %d:%d, the other %d:%d", a.Home, a.Away, b.Home, b.Away)
	})
}
