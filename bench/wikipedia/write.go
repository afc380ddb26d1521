package wikipedia

import (
	"strconv"

	"github.com/txmc/txmc/bench/table"
)

// AddWatchList makes a user watch a page, and the page where it is discussed.
func AddWatchList(tx table.Tx, user, ns int, title string) error {
	if user <= 0 {
		return nil
	}
	add := func(ns int) {
		u, n := strconv.Itoa(user), strconv.Itoa(ns)
		Watchlist.Add(tx, table.ID(u, n, title), table.NewRow(u, n, title, "null"))
	}
	add(ns)
	if ns == 0 {
		add(1)
	}
	touch(tx, strconv.Itoa(user))
	return nil
}

// RemoveWatchList ends that.
func RemoveWatchList(tx table.Tx, user, ns int, title string) error {
	if user <= 0 {
		return nil
	}
	u := strconv.Itoa(user)
	Watchlist.Del(tx, table.ID(u, strconv.Itoa(ns), title))
	if ns == 0 {
		Watchlist.Del(tx, table.ID(u, "1", title))
	}
	touch(tx, u)
	return nil
}

// touch notes that the user was here.
func touch(tx table.Tx, user string) {
	if row, ok := User.Row(tx, user); ok {
		User.Put(tx, user, row)
	}
}

// Edit is a new text for a page.
type Edit struct {
	Title     string
	Text      string
	Namespace int
	User      int
	IP        string
	Comment   string
	Minor     string
}

// UpdatePage stores a new text as the page's newest revision and tells the
// others who watch the page.
func UpdatePage(tx table.Tx, e Edit) error {
	old, err := GetPageAnonymous(tx, e.IP, e.Namespace, e.Title)
	if err != nil {
		return err
	}
	pid, user := old.PageID, strconv.Itoa(e.User)

	text := freeID(tx, Text)
	Text.Add(tx, text, table.NewRow(text, pid, e.Text))
	// The revision keeps the text that it replaces, as in the program of the
	// experiments.
	revision := freeID(tx, Revision)
	Revision.Add(tx, revision, table.NewRow(revision, pid, old.TextID, e.Comment, e.Minor, user))
	if row, ok := Page.Row(tx, pid); ok {
		Page.Put(tx, pid, row.With(pageRevision, revision))
	}
	change := freeID(tx, RecentChanges)
	RecentChanges.Add(tx, change, table.NewRow(change, pid, user))

	notify(tx, e, user)

	entry := freeID(tx, Logging)
	Logging.Add(tx, entry, table.NewRow(entry, pid, user))
	if row, ok := User.Row(tx, user); ok {
		User.Put(tx, user, row.With(userEdits, strconv.Itoa(row.Int(userEdits)+1)))
	}
	touch(tx, user)
	return nil
}

// notify marks the page in the lists of the other users who watch it and have not
// been told yet.
func notify(tx table.Tx, e Edit, user string) {
	watched := table.ID(strconv.Itoa(e.Namespace), e.Title)
	for _, w := range Watchlist.Rows(tx, table.Suffix(watched)) {
		if w.Row.Field(watchUser) == user || w.Row.Field(watchTold) != "null" {
			continue
		}
		if row, ok := Watchlist.Row(tx, w.ID); ok {
			Watchlist.Put(tx, w.ID, row.With(watchTold, "0"))
		}
		User.Row(tx, w.Row.Field(watchUser))
	}
}
