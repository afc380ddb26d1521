package kernels

import (
	"context"
	"fmt"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

// Updates is sessions of transactions with three updates each, of rows of their own by their keys: no
// two sessions meet.
func Updates(sessions, txns int) func(p *txmc.Program) {
	return apart(sessions, txns, func(i, j int) string { return fmt.Sprintf("UPDATE a SET n = 1 WHERE id = %d", 1+3*i+j) })
}

// Inserts is the same with inserts, under keys of their own.
func Inserts(sessions, txns int) func(p *txmc.Program) {
	return apart(sessions, txns, func(i, j int) string { return fmt.Sprintf("INSERT INTO a VALUES (%d, 0) RETURNING id", 1000*i+100+j) })
}

// Numbers is the same with inserts under numbers of a sequence.
func Numbers(sessions, txns int) func(p *txmc.Program) {
	return apart(sessions, txns, func(i, j int) string { return "INSERT INTO a (n) VALUES (0) RETURNING id" })
}

func apart(sessions, txns int, statement func(i, j int) string) func(p *txmc.Program) {
	return func(p *txmc.Program) {
		const each = 3
		db := pg.New(p, pg.Schema("CREATE TABLE a (id serial PRIMARY KEY, n int)"),
			pg.Seed(fmt.Sprintf("INSERT INTO a (n) SELECT 0 FROM generate_series(1, %d)", each*sessions)))
		for i := range sessions {
			p.Session(fmt.Sprint("s", i), func(s *txmc.Session) {
				for t := range txns {
					tx, err := db.Open(s).BeginTx(context.Background(), nil)
					s.Assert(err == nil, err)
					for j := range each {
						_, err := tx.Exec(statement(i, each*t+j))
						s.Assert(err == nil, err)
					}
					s.Assert(tx.Commit() == nil)
				}
			})
		}
	}
}
