// Package identifiers stores messages under identifiers that libraries make. The
// generators of these libraries live as long as the process; in each run of a session
// they begin anew.
//
// Levels:
//
//	ExplorePost: holds at all
package identifiers

import (
	"context"
	"database/sql"
	"fmt"

	older "github.com/gofrs/uuid"
	gofrs "github.com/gofrs/uuid/v5"
	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

const schema = `CREATE TABLE message (id text PRIMARY KEY, reply bool NOT NULL);`

// identifiers makes one of each kind, two of those that are in ascending order.
func identifiers() []string {
	return []string{
		uuid.Must(uuid.NewUUID()).String(), uuid.NewString(), uuid.Must(uuid.NewV6()).String(),
		uuid.Must(uuid.NewV7()).String(), uuid.Must(uuid.NewV7()).String(),
		gofrs.Must(gofrs.NewV1()).String(), gofrs.Must(gofrs.NewV4()).String(), gofrs.Must(gofrs.NewV6()).String(),
		gofrs.Must(gofrs.NewV7()).String(), gofrs.Must(gofrs.NewV7()).String(), older.Must(older.NewV1()).String(), older.Must(older.NewV1()).String(),
		ksuid.New().String(), ksuid.New().String(), ulid.Make().String(), ulid.Make().String(), xid.New().String(), xid.New().String(),
	}
}

// Post stores a message under several identifiers.
func Post(ctx context.Context, db *sql.DB) error {
	for _, id := range identifiers() {
		if _, err := db.ExecContext(ctx, "INSERT INTO message VALUES ($1, false)", id); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	return nil
}

// ExplorePost: two sessions post.
func ExplorePost(p *txmc.Program) {
	db := pg.New(p, pg.Schema(schema))
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			err := Post(context.Background(), db.Open(s))
			s.Assert(err == nil, err)
		})
	}
}
