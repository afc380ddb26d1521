// Package correct takes orders, and is right at every level.
//
// An order is one document under a key of its own: its lines and their total are
// written together, once, and never changed. The transaction of an order whose
// payment is declined is rolled back. Whoever reads orders therefore finds each of
// them whole or not at all, and never one that was declined.
//
// Read committed promises just that much: only committed values are read. The
// program needs no more, so it holds at the weakest level, and with that at all of
// them.
//
// Levels:
//
//	ExploreOrders: holds at rc, ra, cc, pc, si, ser
package correct

import "github.com/txmc/txmc"

// Line is a position of an order.
type Line struct {
	Item  string
	Cents int
}

// Order is what a customer has ordered.
type Order struct {
	Lines []Line
	Total int
	Paid  bool
}

func newOrder(paid bool, lines ...Line) Order {
	o := Order{Lines: lines, Paid: paid}
	for _, l := range lines {
		o.Total += l.Cents
	}
	return o
}

func place(s *txmc.Session, key string, o Order) {
	tx := s.Begin("place " + key)
	defer tx.Rollback()
	tx.Write(key, o)
	if !o.Paid {
		return
	}
	tx.Commit()
}

// ExploreOrders: a shop takes two orders, one of which is declined, while the
// mailer looks for orders to confirm and the books are added up.
func ExploreOrders(p *txmc.Program) {
	p.Session("shop", func(s *txmc.Session) {
		place(s, "order/1", newOrder(true, Line{"teapot", 1900}, Line{"cup", 600}))
		place(s, "order/2", newOrder(false, Line{"kettle", 4500}))
	})
	for _, reader := range []string{"mailer", "books"} {
		p.Session(reader, func(s *txmc.Session) {
			s.Txn("read orders", func(tx *txmc.Tx) error {
				for _, key := range []string{"order/1", "order/2"} {
					o, ok := tx.Read(key).(Order)
					if !ok {
						continue // not placed yet
					}
					s.Assertf(o.Paid, "%s was declined", key)
					s.Assertf(o.Total == newOrder(true, o.Lines...).Total, "the lines of %s do not add up to %d", key, o.Total)
				}
				return nil
			})
		})
	}
}
