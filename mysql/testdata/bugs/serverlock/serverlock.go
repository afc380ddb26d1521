// Package serverlock is about SELECT ... FOR UPDATE of a row that is not there.
//
// InnoDB locks the gap, which two transactions can do at the same time. Each then waits for the other one to insert into
// it: a deadlock.
//
// Kind: gap locks and deadlock
//
// Reported: grafana/grafana#85303, mlrun/mlrun#6098
//
// Fix: INSERT IGNORE, and who has inserted holds the lock
package serverlock

import (
	"context"
	"database/sql"
	"errors"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/mysql"
	bug "github.com/txmc/txmc/mysql/testdata/bugs/serverlock/bug"
	fix "github.com/txmc/txmc/mysql/testdata/bugs/serverlock/fix"
)

func ExploreBug(p *txmc.Program) {
	servers(p, bug.ErrHeld, func(db *sql.DB) error { return bug.New(db).Acquire(context.Background(), "hello") })
}
func ExploreFix(p *txmc.Program) {
	servers(p, fix.ErrHeld, func(db *sql.DB) error { return fix.New(db).Acquire(context.Background(), "hello") })
}

func servers(p *txmc.Program, held error, acquire func(*sql.DB) error) {
	db := mysql.New(p, mysql.Schema(bug.Schema))
	for _, w := range []string{"s1", "s2"} {
		p.Session(w, func(s *txmc.Session) {
			err := acquire(db.Open(s))
			s.Assert(err == nil || errors.Is(err, held), err)
		})
	}
}
