// Package fgatuples makes somebody the owner of a document by OpenFGA's storage for
// PostgreSQL, with its own migrations, connection pool and identifiers.
//
// Claim looks whether the document has an owner and then writes a tuple: two users
// may both become owners, as reading and writing are transactions of their own.
// Writing the same tuple twice is OpenFGA's own business: its changelog has one
// entry, at every level.
//
// Levels:
//
//	ExploreClaim: breaks at all
//	ExploreGrant: holds at all
//	ExploreGrantAgain: breaks at rc; holds at ra, cc, pc, si, ser
package fgatuples

import (
	"context"
	"database/sql"
	"errors"

	openfgav1 "github.com/openfga/api/proto/openfga/v1"
	"github.com/openfga/openfga/assets"
	"github.com/openfga/openfga/pkg/storage"
	"github.com/openfga/openfga/pkg/storage/postgres"
	"github.com/openfga/openfga/pkg/storage/sqlcommon"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

const store = "01KDVDNA005H8B9N2V81GKXPF9" // all tuples are in it

// errOwned says that a document has an owner.
var errOwned = errors.New("the document has an owner")

func owner(user string) storage.Writes {
	return storage.Writes{&openfgav1.TupleKey{Object: "document:plan", Relation: "owner", User: "user:" + user}}
}

// Claim makes a user the owner of the document if it has none.
func Claim(ctx context.Context, s storage.OpenFGADatastore, user string) error {
	owners, _, err := s.ReadPage(ctx, store, storage.ReadFilter{Object: "document:plan", Relation: "owner"},
		storage.ReadPageOptions{Pagination: storage.NewPaginationOptions(1, "")})
	if err != nil {
		return err
	}
	if len(owners) > 0 {
		return errOwned
	}
	return s.Write(ctx, store, nil, owner(user))
}

// Grant makes a user an owner of the document, and says whether it was one.
func Grant(ctx context.Context, s storage.OpenFGADatastore, user string) (was bool, err error) {
	err = s.Write(ctx, store, nil, owner(user))
	was = errors.Is(err, storage.ErrInvalidWriteInput) || errors.Is(err, storage.ErrTransactionalWriteFailed)
	if was {
		err = nil
	}
	return was, err
}

// explore lets two clients of a service work on a database of their own.
func explore(p *txmc.Program, work func(*txmc.Session, storage.OpenFGADatastore, string) error) *pg.DB {
	db := pg.New(p, pg.SchemaFS(assets.EmbedMigrations, assets.PostgresMigrationDir+"/*.sql"))
	for _, user := range []string{"ann", "bob"} {
		p.Session(user, func(s *txmc.Session) {
			tuples, err := postgres.New(db.DSN(s), sqlcommon.NewConfig())
			if err == nil {
				defer tuples.Close()
				err = work(s, tuples, user)
			}
			s.Assert(err == nil, err)
		})
	}
	return db
}

// entries are the tuples and the changes that there are in the end.
func entries(db *pg.DB, most int) {
	db.Final("entries", func(ctx context.Context, db *sql.DB) error {
		var tuples, changes int
		if err := db.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM tuple), (SELECT count(*) FROM changelog)").Scan(&tuples, &changes); err != nil {
			return err
		}
		return txmc.Assertf(tuples <= most && changes == tuples, "%d tuples, %d changes", tuples, changes)
	})
}

// ExploreClaim: two users want to be the owner.
func ExploreClaim(p *txmc.Program) {
	entries(explore(p, func(s *txmc.Session, tuples storage.OpenFGADatastore, user string) error {
		err := Claim(context.Background(), tuples, user)
		s.Observe("claimed", err == nil)
		if errors.Is(err, errOwned) {
			return nil
		}
		return err
	}), 1)
}

// ExploreGrant: the same user becomes an owner twice.
func ExploreGrant(p *txmc.Program) {
	entries(explore(p, func(s *txmc.Session, tuples storage.OpenFGADatastore, _ string) error {
		was, err := Grant(context.Background(), tuples, "zoe")
		s.Observe("was", was)
		return err
	}), 1)
}

// ExploreGrantAgain: likewise, where a tuple that is there is no error. At read committed
// the second attempt need not see it either.
func ExploreGrantAgain(p *txmc.Program) {
	entries(explore(p, func(s *txmc.Session, tuples storage.OpenFGADatastore, _ string) error {
		err := tuples.Write(context.Background(), store, nil, owner("zoe"), storage.WithOnDuplicateInsert(storage.OnDuplicateInsertIgnore))
		if errors.Is(err, storage.ErrTransactionalWriteFailed) { // the client is to try again
			err = tuples.Write(context.Background(), store, nil, owner("zoe"), storage.WithOnDuplicateInsert(storage.OnDuplicateInsertIgnore))
		}
		return err
	}), 1)
}
