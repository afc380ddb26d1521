// Package twitter publishes tweets and lets users follow each other.
//
// The tables answer two questions: whom does u follow, and who follows v. So the fact
// that u follows v is stored twice, as "u:v" in one table and as "v:u" in the other. A
// tweet's id is "tweet:author".
package twitter

import (
	"slices"
	"strings"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/table"
)

// The tables. Follows and Followers are sets of ids.
const (
	Users     table.Table = "USERS"
	Tweets    table.Table = "TWEETS"
	Follows   table.Table = "FOLLOWS"
	Followers table.Table = "FOLLOWERS"
)

// App returns the application.
func App() *client.App {
	return &client.App{
		Name:   "twitter",
		Assert: Assert,
		Schema: []table.Schema{
			{Table: Users, File: "users", Key: []int{1}},
			{Table: Tweets, File: "tweets", Key: []int{0, 1}},
			{Table: Follows, File: "follows", Key: []int{0, 1}, IDsOnly: true},
			{Table: Followers, File: "followers", Key: []int{0, 1}, IDsOnly: true},
		},
		Txns: map[string]client.Txn{
			"publishTweet": func(a *client.Args) client.Body {
				tweet := table.Row(a.Word())
				return func(tx table.Tx) error { return PublishTweet(tx, tweet) }
			},
			"follow": func(a *client.Args) client.Body {
				u, v := user(a), user(a)
				return func(tx table.Tx) error { return Follow(tx, u, v) }
			},
			"getFollowers": func(a *client.Args) client.Body {
				u := user(a)
				return func(tx table.Tx) error { GetFollowers(tx, u); return nil }
			},
			"getTimeline": func(a *client.Args) client.Body {
				u := user(a)
				return func(tx table.Tx) error { GetTimeline(tx, u); return nil }
			},
			"getNewsfeed": func(a *client.Args) client.Body {
				u := user(a)
				return func(tx table.Tx) error { GetNewsfeed(tx, u); return nil }
			},
		},
	}
}

// user takes a user as the client files write one, "number;id".
func user(a *client.Args) string { return table.Row(a.Word()).Field(1) }

// PublishTweet adds a tweet: id, author, text, time.
func PublishTweet(tx table.Tx, tweet table.Row) error {
	Tweets.Add(tx, tweet.ID(0, 1), tweet)
	return nil
}

// Follow makes u follow v.
func Follow(tx table.Tx, u, v string) error {
	if u != v {
		Follows.AddID(tx, table.ID(u, v))
		Followers.AddID(tx, table.ID(v, u))
	}
	return nil
}

// GetFollowers returns the users who follow u.
func GetFollowers(tx table.Tx, u string) []table.Found {
	followers := second(Followers.IDs(tx), u)
	return Users.Rows(tx, func(id string) bool { return slices.Contains(followers, id) })
}

// GetTimeline returns the tweets of u.
func GetTimeline(tx table.Tx, u string) []table.Found {
	return Tweets.Rows(tx, table.Suffix(u))
}

// GetNewsfeed returns the tweets of those whom u follows.
func GetNewsfeed(tx table.Tx, u string) []table.Found {
	var feed []table.Found
	for _, followed := range second(Follows.IDs(tx), u) {
		feed = append(feed, GetTimeline(tx, followed)...)
	}
	return feed
}

// second lists y for every pair "u:y".
func second(pairs []string, u string) []string {
	var list []string
	for _, pair := range pairs {
		if x, y, _ := strings.Cut(pair, ":"); x == u {
			list = append(list, y)
		}
	}
	return list
}
