package twitter

import (
	"slices"
	"strings"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/data"
	"github.com/txmc/txmc/bench/table"
)

// Assert declares what must hold of tweets and followers once every session has
// ended.
func Assert(p *txmc.Program) {
	p.Final("both tables tell the same who follows whom", func(tx *txmc.Tx) error {
		followers := Followers.IDs(tx)
		for _, id := range Follows.IDs(tx) {
			u, v, _ := strings.Cut(id, ":")
			if err := txmc.Assertf(slices.Contains(followers, table.ID(v, u)), "%s follows %s, who does not know", u, v); err != nil {
				return err
			}
		}
		Tweets.IDs(tx)
		return nil
	})
	kept := func(name string, t table.Table, txn string) {
		p.Invariant(name, func(o *txmc.Outcome) error {
			left := t.Final(o, 0)
			for _, id := range t.Added(o, txn) {
				if err := txmc.Assertf(slices.Contains(left, id), "%s is lost", id); err != nil {
					return err
				}
			}
			return nil
		})
	}
	kept("no tweet is lost", Tweets, "publishTweet")
	kept("no follower is lost", Followers, "follow")
	p.Invariant("who has published sees a tweet of his own", func(o *txmc.Outcome) error {
		for _, s := range o.Sessions {
			published := ""
			for _, x := range s.Txns {
				if x.Name == "publishTweet" {
					published = Tweets.Added(&txmc.Outcome{Sessions: []txmc.SessionOutcome{{Txns: []txmc.TxnOutcome{x}}}}, x.Name)[0]
				}
				if list, ok := x.Reads[0].Value.([]string); ok && x.Name == "getTimeline" && published != "" && !slices.Contains(list, published) {
					return txmc.Assertf(false, "%s does not see tweet %s, which it has published", s.Name, published)
				}
			}
		}
		return nil
	})
}

// ExplorePublish: two users publish and read what there is.
func ExplorePublish(p *txmc.Program) {
	client.Scenario(p, App(), data.FS, []string{"publishTweet 601;11;one;0", "getTimeline 0;11"}, []string{"publishTweet 602;12;two;0"})
}

// ExploreFollow: two users follow the same third, and one looks who follows her.
func ExploreFollow(p *txmc.Program) {
	client.Scenario(p, App(), data.FS, []string{"follow 0;11 0;13"}, []string{"follow 0;14 0;13", "getFollowers 0;13"})
}

// ExploreAlone: one session publishes and reads.
func ExploreAlone(p *txmc.Program) {
	client.Scenario(p, App(), data.FS, []string{"publishTweet 601;11;one;0", "getTimeline 0;11"}, []string{"getTimeline 0;11"})
}
