package wikipedia

import (
	"strconv"

	"github.com/txmc/txmc/bench/table"
)

// Article is a page with what it points to.
type Article struct {
	PageID string
	TextID string
	Text   string
}

// GetPageAnonymous returns the page for a reader of whom only the address is
// known.
func GetPageAnonymous(tx table.Tx, ip string, ns int, title string) (Article, error) {
	pid, err := page(tx, ns, title)
	if err != nil {
		return Article{}, err
	}
	PageRestrictions.Rows(tx, table.Prefix(pid))
	IPBlocks.Rows(tx, table.Prefix(ip))
	return article(tx, pid)
}

// GetPageAuthenticated returns the page for a user who is logged in.
func GetPageAuthenticated(tx table.Tx, user, ns int, title string) error {
	u := strconv.Itoa(user)
	if user > 0 {
		if _, err := User.Must(tx, u); err != nil {
			return err
		}
		UserGroups.Rows(tx, table.Prefix(u))
	}
	pid, err := page(tx, ns, title)
	if err != nil {
		return err
	}
	PageRestrictions.Rows(tx, table.Prefix(pid))
	IPBlocks.Rows(tx, table.Suffix(u))
	_, err = article(tx, pid)
	return err
}

// page looks for a page by its title; as there is no index it reads them all.
func page(tx table.Tx, ns int, title string) (pid string, err error) {
	err = table.ErrNone
	for _, p := range Page.Rows(tx, table.All) {
		if err != nil && p.Row.Int(pageNamespace) == ns && p.Row.Field(pageTitle) == title {
			pid, err = p.ID, nil
		}
	}
	return pid, err
}

// article follows a page to its newest revision and to its text.
func article(tx table.Tx, pid string) (Article, error) {
	revisions := Revision.Rows(tx, table.All)
	page, _ := Page.Row(tx, pid)
	for _, r := range revisions {
		if r.ID == page.Field(pageRevision) && r.Row.Field(revisionPage) == pid {
			id := r.Row.Field(revisionText)
			text, err := Text.Must(tx, id)
			return Article{pid, id, text.Field(2)}, err
		}
	}
	return Article{}, table.ErrNone
}
