// Statements of real applications are answered as a PostgreSQL server answered them. They
// go through database/sql, pgx and the wire protocol. The rows are variables of a Memory.
// Each session has an instance of its own.

package storage_test

import (
	"database/sql"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/txmc/txmc/dpor/sqltest/corpus"
	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/storage"
	"github.com/txmc/txmc/program/rows"
)

var corpusDir = flag.String("corpus", "", "directory of recorded statements (default: sql-corpus in the directory shared beside the module, if it is there)")

func TestCorpus(t *testing.T) {
	t.Parallel()
	corpus.Test(t, *corpusDir, front(98.5))
}

// Statements of the kinds that the applications have few of: enumerations, domains, ranges, generated columns,
// partitions, exclusion constraints, views with triggers, row security, MERGE, WITH that writes, window functions,
// full text, cursors, deferred constraints, savepoints.
func TestFeaturesOfAServer(t *testing.T) {
	t.Parallel()
	corpus.Test(t, filepath.Join("testdata", "corpus"), front(100))
}

// front sends statements to PostgreSQL in the process. So many percent of its answers are a server's.
func front(least float64) corpus.Front {
	return corpus.Front{Dialect: "postgres", Least: least,
		Open: func(t *testing.T, dir string) func(string) *sql.Conn { return newSessions(t, dir).open },
		Code: func(err error) string {
			if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
				return e.Code
			}
			return ""
		},
		Value: func(v any, typ string) any { return corpus.Recorded(v, typ, "BYTEA") },
		Exceptions: map[string]string{
			"dex-sql 221": "a Memory has no serializable snapshots: 23505, where the server tells a dependency between two transactions (40001)",
		},
	}
}

// sessions are an application's, on one store.
type sessions struct {
	t      *testing.T
	start  *engine.Snapshot
	heap   storage.Heap
	store  *storage.Store
	memory *rows.Memory
}

// newSessions runs the schema and the seed of an application.
func newSessions(t *testing.T, dir string) *sessions {
	e, err := server()
	if err != nil {
		t.Skipf("PostgreSQL's package is not to be had: %v", err)
	}
	s := &sessions{t: t, store: storage.NewStore(), memory: rows.NewMemory()}
	x, err := e.Instance()
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	c, err := pgx.ConnectConfig(t.Context(), configure(t, x))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"schema.sql", "seed.sql"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.PgConn().Exec(t.Context(), string(text)).ReadAll(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	c.Close(t.Context())
	first := s.store.NewSession("seed", s.memory.Log())
	initial, err := first.Adopt(x)
	if err != nil {
		t.Fatal(err)
	}
	s.memory.Fill(initial)
	s.heap = first.Heap()
	if s.start, err = x.Snapshot(); err != nil {
		t.Fatal(err)
	}
	return s
}

// open opens the connection of a session.
func (s *sessions) open(name string) *sql.Conn {
	e, _ := server()
	x, err := e.InstanceFrom(s.start)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { x.Close() })
	kept := s.store.NewSession("session "+name, s.memory.Log())
	kept.On(s.heap)
	x.Hook(kept)
	x.SetTime(time.Now())
	db := stdlib.OpenDB(*configure(s.t, x))
	s.t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return conn
}
