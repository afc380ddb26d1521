// Package document lets two authors edit a page with optimistic locking that does
// not lock.
//
// An author loads the page and works on it; no transaction is open meanwhile. To
// save it, a second transaction checks that the page still has the version that
// was loaded, and writes the next one; otherwise the author loads the page again
// and repeats the edit, once. But the check is a read like any other: two saves
// at the same time both find the version unchanged, and the second one overwrites
// the first without a word.
//
// The check is sound where a transaction that writes what it has read conflicts
// with others that do the same: from snapshot isolation on.
//
// Levels:
//
//	ExploreSave: breaks at rc, ra, cc, pc; holds at si, ser
package document

import (
	"errors"

	"github.com/txmc/txmc"
)

// Page is a version of a document.
type Page struct {
	Version int
	Lines   []string
}

var errConflict = errors.New("somebody else has saved the page")

// ExploreSave: two authors each add a line.
func ExploreSave(p *txmc.Program) {
	page := txmc.NewVar(p, "wiki/home", Page{Version: 1, Lines: []string{"Welcome"}})

	edit := func(s *txmc.Session, line string) {
		const attempts = 2
		for range attempts {
			var mine Page
			s.Txn("load", func(tx *txmc.Tx) error {
				mine = page.Get(tx)
				return nil
			})
			loaded := mine.Version
			mine.Lines = append(mine.Lines, line)
			mine.Version++
			err := s.Txn("save", func(tx *txmc.Tx) error {
				if page.Get(tx).Version != loaded {
					return errConflict
				}
				page.Set(tx, mine)
				return nil
			})
			if err == nil {
				s.Observe("saved version", mine.Version)
				return
			}
		}
	}
	p.Session("ann", func(s *txmc.Session) { edit(s, "News") })
	p.Session("ben", func(s *txmc.Session) { edit(s, "Links") })

	p.Invariant("no version is saved twice", func(o *txmc.Outcome) error {
		ann, ben := o.Session("ann").Observed("saved version"), o.Session("ben").Observed("saved version")
		if len(ann) == 0 || len(ben) == 0 {
			return nil // one of them gave up, and knows it
		}
		return txmc.Assertf(ann[0] != ben[0], "ann and ben both saved version %d", ann[0])
	})
}
