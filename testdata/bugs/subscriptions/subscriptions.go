// Package subscriptions is about ON CONFLICT DO NOTHING with a SELECT of the row that was there.
//
// The INSERT waits for another one that has not committed, and then does nothing. The SELECT of the same statement has a
// snapshot from before: it does not see the row either, and the statement returns none.
//
// Kind: snapshot older than the lock
//
// Reported: lawrenceli0228/animego#159, rudderlabs/rudder-server#4241
//
// Fix: DO UPDATE returns the row in its latest version
package subscriptions

import (
	"context"
	"database/sql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
	bug "github.com/txmc/txmc/testdata/bugs/subscriptions/bug"
	fix "github.com/txmc/txmc/testdata/bugs/subscriptions/fix"
)

func ExploreBug(p *txmc.Program) {
	tabs(p, func(db *sql.DB) (string, error) { return bug.New(db).Subscribe(context.Background(), 1, 7, "plan") })
}
func ExploreFix(p *txmc.Program) {
	tabs(p, func(db *sql.DB) (string, error) { return fix.New(db).Subscribe(context.Background(), 1, 7, "plan") })
}

func tabs(p *txmc.Program, sub func(*sql.DB) (string, error)) {
	db := pg.New(p, pg.Schema(bug.Schema))
	p.Sessions(2, "tab", func(s *txmc.Session, i int) {
		st, err := sub(db.Open(s))
		s.Assert(err == nil, err)
		s.Assertf(st == "plan", "status %q", st)
	})
}
