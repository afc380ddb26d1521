// Package tweets loses a tweet on its way to a follower, in two ways.
//
// ExploreFollow writes timelines ahead of time. A tweet is pushed to the timeline
// of every follower; who starts to follow gets the tweets that are there already.
// One of the two always delivers, the developer thought. But when Alice tweets
// while Bob starts to follow, she does not see the new follower and he does not see
// the new tweet, and nobody ever puts it on his timeline: a write skew, which only
// serializability forbids.
//
// ExploreReload only reads: Bob sees the tweet, reloads, and it is gone. The second
// load comes from a replica that lags behind. Read atomic allows that, as it looks
// at the transaction's own reads and its own session's writes only; causal
// consistency remembers what the session has read before.
//
// Levels:
//
//	ExploreFollow: breaks at rc, ra, cc, pc, si; holds at ser
//	ExploreReload: breaks at rc, ra; holds at cc, pc, si, ser
package tweets

import (
	"slices"

	"github.com/txmc/txmc"
)

const tweet = "Hello, world"

// ExploreFollow: Alice tweets while Bob starts to follow her.
func ExploreFollow(p *txmc.Program) {
	tweets := txmc.NewVar[[]string](p, "tweets/alice", nil)
	followers := txmc.NewVar[[]string](p, "followers/alice", nil)
	timeline := txmc.NewVar[[]string](p, "timeline/bob", nil)

	p.Session("alice", func(s *txmc.Session) {
		var pushed int
		s.Txn("tweet", func(tx *txmc.Tx) error {
			tweets.Set(tx, append(tweets.Get(tx), tweet))
			if slices.Contains(followers.Get(tx), "bob") {
				timeline.Set(tx, append(timeline.Get(tx), tweet))
				pushed = 1
			}
			return nil
		})
		s.Observe("delivered", pushed)
	})
	p.Session("bob", func(s *txmc.Session) {
		var copied int
		s.Txn("follow", func(tx *txmc.Tx) error {
			followers.Set(tx, append(followers.Get(tx), "bob"))
			old := tweets.Get(tx)
			if len(old) > 0 {
				timeline.Set(tx, append(timeline.Get(tx), old...))
			}
			copied = len(old)
			return nil
		})
		s.Observe("delivered", copied)
	})

	p.Invariant("the tweet arrives once", func(o *txmc.Outcome) error {
		pushed := o.Session("alice").Observed("delivered")[0].(int)
		copied := o.Session("bob").Observed("delivered")[0].(int)
		return txmc.Assertf(pushed+copied == 1, "the tweet was put on bob's timeline %d times", pushed+copied)
	})
}

// ExploreReload: Alice tweets while Bob loads her tweets twice.
func ExploreReload(p *txmc.Program) {
	tweets := txmc.NewVar[[]string](p, "tweets/alice", nil)

	p.Session("alice", func(s *txmc.Session) {
		s.Txn("tweet", func(tx *txmc.Tx) error {
			tweets.Set(tx, append(tweets.Get(tx), tweet))
			return nil
		})
	})
	p.Session("bob", func(s *txmc.Session) {
		load := func(name string) (feed []string) {
			s.Txn(name, func(tx *txmc.Tx) error {
				feed = tweets.Get(tx)
				return nil
			})
			return feed
		}
		before := load("load")
		after := load("reload")
		s.Assertf(len(after) >= len(before), "bob saw %d tweet, then %d", len(before), len(after))
	})
}
