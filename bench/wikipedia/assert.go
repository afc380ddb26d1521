package wikipedia

import (
	"strconv"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/data"
	"github.com/txmc/txmc/bench/table"
)

// Assert declares what must hold of the pages once every session has ended.
func Assert(p *txmc.Program) {
	p.Final("a page's newest revision is its own", func(tx *txmc.Tx) error {
		for _, page := range Page.Rows(tx, table.All) {
			id := page.Row.Field(pageRevision)
			revision, ok := Revision.Row(tx, id)
			if err := txmc.Assertf(ok && revision.Field(revisionPage) == page.ID, "page %s points to revision %s, which is %q", page.ID, id, revision); err != nil {
				return err
			}
		}
		return nil
	})
	p.Final("a user's edits are counted", func(tx *txmc.Tx) error {
		User.Rows(tx, table.All)
		return nil
	})
	p.Invariant("no edit is lost", func(o *txmc.Outcome) error {
		before := map[string]int{} // revisions that the first editor saw
		edits := 0
		for _, s := range o.Sessions {
			for _, x := range s.Txn("updatePage") {
				if x.Committed {
					edits++
					for _, r := range x.Reads {
						if list, ok := r.Value.([]string); ok && r.Key == string(Revision) && (len(before) == 0 || len(list) < len(before)) {
							before = map[string]int{}
							for _, id := range list {
								before[id]++
							}
						}
					}
				}
			}
		}
		left := len(Revision.Final(o, 0))
		return txmc.Assertf(edits == 0 || left == len(before)+edits, "there were %d revisions and %d edits, and there are %d now", len(before), edits, left)
	})
	p.Invariant("every edit counts for its user", func(o *txmc.Outcome) error {
		edits := map[string]int{} // by the row's key
		first := map[string]int{}
		for _, s := range o.Sessions {
			for _, x := range s.Txn("updatePage") {
				if !x.Committed {
					continue
				}
				last := x.Writes[len(x.Writes)-1] // touch writes the editor's row
				edits[last.Key]++
				n := last.Value.(table.Row).Int(userEdits) - 1
				if was, ok := first[last.Key]; !ok || n < was {
					first[last.Key] = n
				}
			}
		}
		for _, r := range o.Finals[1].Reads {
			row, ok := r.Value.(table.Row)
			if n := edits[r.Key]; ok && n > 0 && row.Int(userEdits) != first[r.Key]+n {
				return txmc.Assertf(false, "%s had %s edits, made %d, and has %s now", r.Key, strconv.Itoa(first[r.Key]), n, row.Field(userEdits))
			}
		}
		return nil
	})
}

// ExploreEditSamePage: two users edit the same page.
func ExploreEditSamePage(p *txmc.Program) {
	client.Scenario(p, App(), data.FS,
		[]string{`updatePage Oslo "one" 0 7 10.0.0.1 "-" 0`},
		[]string{`updatePage Oslo "two" 0 8 10.0.0.1 "-" 0`})
}

// ExploreEditTwoPages: a user edits two pages from two sessions.
func ExploreEditTwoPages(p *txmc.Program) {
	client.Scenario(p, App(), data.FS,
		[]string{`updatePage Oslo "one" 0 7 10.0.0.1 "-" 0`},
		[]string{`updatePage Bergen "two" 0 7 10.0.0.1 "-" 0`})
}

// ExploreWatch: a user begins to watch a page while another edits it.
func ExploreWatch(p *txmc.Program) {
	client.Scenario(p, App(), data.FS,
		[]string{`updatePage Oslo "one" 0 7 10.0.0.1 "-" 0`},
		[]string{"addWatchList 9 0 Oslo", "getPageAnonymous false 10.0.0.1 0 Oslo"})
}
