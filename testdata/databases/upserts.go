package databases

import "github.com/txmc/txmc"

// ExploreHitsInGo counts a page's hits: it looks for the row, and then updates or
// inserts it. Two first hits both find no row, and the second insert fails with 23505,
// which is no error that is tried again. At SERIALIZABLE it is 40001, as both have looked.
func ExploreHitsInGo(p *txmc.Program) {
	countHits(p, func(tx *txmc.Tx, hits *txmc.Table[string, int]) error {
		if _, ok := hits.Get(tx, "/home"); ok {
			hits.Update(tx, "/home", func(old int) (int, bool) { return old + 1, true })
			return nil
		}
		return hits.Insert(tx, "/home", 1)
	})
}

// ExploreHitsOnConflict leaves that to the database: INSERT … ON CONFLICT DO UPDATE.
func ExploreHitsOnConflict(p *txmc.Program) {
	countHits(p, func(tx *txmc.Tx, hits *txmc.Table[string, int]) error {
		_, err := hits.InsertOrUpdate(tx, "/home", 1, func(old int) int { return old + 1 })
		return err
	})
}

func countHits(p *txmc.Program, count func(*txmc.Tx, *txmc.Table[string, int]) error) {
	hits := txmc.NewTable[string, int](p, "hits")
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			err := retry(s, "hit", 3, func(tx *txmc.Tx) error { return count(tx, hits) })
			s.Assertf(err == nil, "a hit is lost: %v", err)
		})
	}
	p.Final("both count", func(tx *txmc.Tx) error {
		n, _ := hits.Get(tx, "/home")
		return txmc.Assertf(n == 2, "%d hits", n)
	})
}
