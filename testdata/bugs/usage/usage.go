// Package usage is about upserts in the order of a Go map.
//
// Two replicas flush their counters, each in an order of its own: each holds the row that the other one waits for.
//
// Kind: deadlock
//
// Reported: TykTechnologies/tyk-pump#1058, nicolastakashi/prom-analytics-proxy#596
//
// Fix: rows are locked in the order of their names
package usage

import (
	"context"
	"database/sql"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
	bug "github.com/txmc/txmc/testdata/bugs/usage/bug"
	fix "github.com/txmc/txmc/testdata/bugs/usage/fix"
)

func ExploreBug(p *txmc.Program) {
	replicas(p, func(db *sql.DB, m map[string]int) error { return bug.New(db).Flush(context.Background(), m) })
}
func ExploreFix(p *txmc.Program) {
	replicas(p, func(db *sql.DB, m map[string]int) error { return fix.New(db).Flush(context.Background(), m) })
}

func replicas(p *txmc.Program, flush func(*sql.DB, map[string]int) error) {
	db := pg.New(p, pg.Schema(bug.Schema))
	for _, who := range []string{"r1", "r2"} {
		p.Session(who, func(s *txmc.Session) {
			err := flush(db.Open(s), map[string]int{"cpu": 1, "mem": 2, "disk": 3})
			s.Assert(err == nil, err)
		})
	}
}
