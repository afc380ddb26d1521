// Package pgxsessions counts a visitor's pages in the visitor's session data, which
// pgxstore keeps: the store of github.com/alexedwards/scs for pgx.
//
// Two requests of one visitor load the data, change it and store it: one of the two
// is lost, whatever the level, as loading and storing are transactions of their own.
//
// Levels:
//
//	ExploreVisit: breaks at all
package pgxsessions

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/alexedwards/scs/pgxstore"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

const schema = `
CREATE TABLE sessions (
	token TEXT PRIMARY KEY,
	data BYTEA NOT NULL,
	expiry TIMESTAMPTZ NOT NULL
);
CREATE INDEX sessions_expiry_idx ON sessions (expiry);`

// Visit counts a page.
func Visit(store *pgxstore.PostgresStore, token string) error {
	data, _, err := store.Find(token)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(string(data)) // none yet
	return store.Commit(token, []byte(strconv.Itoa(n+1)), time.Now().Add(24*time.Hour))
}

// ExploreVisit: two pages at the same time.
func ExploreVisit(p *txmc.Program) {
	db := pg.New(p, pg.Schema(schema))
	for _, page := range []string{"news", "weather"} {
		p.Session(page, func(s *txmc.Session) {
			host, port := db.Address(s)
			pool, err := pgxpool.New(context.Background(), fmt.Sprintf("postgres://shop:secret@%s:%d/visits", host, port))
			if err != nil {
				s.Assert(false, err)
				return
			}
			defer pool.Close()
			err = Visit(pgxstore.NewWithCleanupInterval(pool, 0), "token")
			s.Assert(err == nil, err)
		})
	}
	db.Final("both pages are counted", func(ctx context.Context, db *sql.DB) error {
		var data string
		if err := db.QueryRowContext(ctx, "SELECT convert_from(data, 'UTF8') FROM sessions WHERE token = 'token'").Scan(&data); err != nil {
			return err
		}
		return txmc.Assertf(data == "2", "%s pages", data)
	})
}
