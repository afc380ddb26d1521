// Package wikipedia reads and edits pages and keeps lists of the pages that users
// watch.
//
// A page points to its newest revision, a revision to its text. An edit writes a
// text, a revision and the page, tells those who watch the page, and logs. Ids of
// new rows are the largest plus one: two edits at a time read the same largest
// id, and that is where this application breaks.
package wikipedia

import (
	"strconv"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/table"
)

// The tables that are filled at the start.
const (
	Page      table.Table = "PAGE"
	Revision  table.Table = "REVISION"
	Text      table.Table = "TEXT"
	User      table.Table = "USER"
	Watchlist table.Table = "WATCHLIST"
)

// The tables that start empty.
const (
	IPBlocks         table.Table = "IPBLOCKS"
	Logging          table.Table = "LOGGING"
	PageRestrictions table.Table = "PAGERESTRICTIONS"
	RecentChanges    table.Table = "RECENTCHANGES"
	UserGroups       table.Table = "USERGROUPS"
)

// Columns. A page is id, namespace, title, newest revision; a revision is id,
// page, text, …; a user is id, group, name, edits; a watched page is user,
// namespace, title, and when the user was told of a change, or null.
const (
	pageNamespace = 1
	pageTitle     = 2
	pageRevision  = 3
	revisionPage  = 1
	revisionText  = 2
	userEdits     = 3
	watchUser     = 0
	watchTold     = 3
)

// App returns the application.
func App() *client.App {
	byID := []int{0}
	return &client.App{
		Name:   "wikipedia",
		Assert: Assert,
		Schema: []table.Schema{
			{Table: Page, File: "page", Key: byID},
			{Table: Revision, File: "revision", Key: byID},
			{Table: Text, File: "text", Key: byID},
			{Table: User, File: "user", Key: byID},
			{Table: Watchlist, File: "watchlist", Key: []int{0, 1, 2}},
			{Table: IPBlocks}, {Table: Logging}, {Table: PageRestrictions}, {Table: RecentChanges}, {Table: UserGroups},
		},
		Txns: map[string]client.Txn{
			"addWatchList": func(a *client.Args) client.Body {
				user, ns, title := a.Int(), a.Int(), a.Word()
				return func(tx table.Tx) error { return AddWatchList(tx, user, ns, title) }
			},
			"removeWatchList": func(a *client.Args) client.Body {
				user, ns, title := a.Int(), a.Int(), a.Word()
				return func(tx table.Tx) error { return RemoveWatchList(tx, user, ns, title) }
			},
			"getPageAnonymous": func(a *client.Args) client.Body {
				a.Word() // whether the reader is an administrator: nobody asks
				ip, ns, title := a.Word(), a.Int(), a.Word()
				return func(tx table.Tx) error { _, err := GetPageAnonymous(tx, ip, ns, title); return err }
			},
			"getPageAuthenticated": func(a *client.Args) client.Body {
				a.Word()
				a.Word() // the address, which is not looked up for a known user
				user, ns, title := a.Int(), a.Int(), a.Word()
				return func(tx table.Tx) error { return GetPageAuthenticated(tx, user, ns, title) }
			},
			"updatePage": func(a *client.Args) client.Body {
				e := Edit{Title: a.Word(), Text: a.Word(), Namespace: a.Int(), User: a.Int(), IP: a.Word(), Comment: a.Word(), Minor: a.Word()}
				return func(tx table.Tx) error { return UpdatePage(tx, e) }
			},
		},
	}
}

// freeID returns an id that the table does not list: the largest plus one.
func freeID(tx table.Tx, t table.Table) string {
	largest := 0
	for _, id := range t.IDs(tx) {
		n, _ := strconv.Atoi(id)
		largest = max(largest, n)
	}
	return strconv.Itoa(largest + 1)
}
