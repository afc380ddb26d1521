// Random SQL programs: PostgreSQL's statements of all kinds.

package pg_test

import (
	"database/sql"
	"errors"
	"flag"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor/sqltest/brute"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

var (
	programs   = deadlinetest.Flag("programs", 200, 8, "random SQL programs to explore at all levels")
	serials    = deadlinetest.Flag("serials", 25, 3, "random SQL programs to compare with all serial orders")
	long       = flag.Bool("long", false, "go through all conditions and examples, and not through some of them")
	randomSeed = flag.Uint64("seed", 1, "seed of random SQL programs")
)

// some goes through a map in the order of its keys: all of it with -long, every n-th of its entries
// when tests run in full, and else fewer.
func some[T any](m map[string]T, n int) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for i, name := range slices.Sorted(maps.Keys(m)) {
			if (*long || i%deadlinetest.Of(n, 4*n) == 0) && !yield(name, m[name]) {
				return
			}
		}
	}
}

// language is that of random programs.
var language = brute.Language{Refused: refused, Kinds: map[string]string{
	"get":     "SELECT id, v FROM %[1]s WHERE id = %[2]d",
	"range":   "SELECT id, v FROM %[1]s WHERE id >= %[2]d ORDER BY id",
	"count":   "SELECT count(*), coalesce(sum(v), 0) FROM %[1]s",
	"unique":  "SELECT id, v FROM p WHERE u = %[3]d",
	"lock":    "SELECT id, v FROM %[1]s WHERE id = %[2]d FOR UPDATE",
	"share":   "SELECT id, v FROM %[1]s WHERE id = %[2]d FOR SHARE",
	"join":    "SELECT c.id, p.v FROM c JOIN p ON p.id = c.p ORDER BY c.id",
	"set":     "UPDATE %[1]s SET v = %[4]d WHERE id = %[2]d",
	"last":    "UPDATE %[1]s SET v = %[4]d WHERE id = %[2]d", // the value read last, and one
	"add":     "UPDATE %[1]s SET v = v + 1 WHERE id = %[2]d",
	"bump":    "UPDATE %[1]s SET v = v + 1 WHERE id = %[2]d RETURNING id, v",
	"least":   "UPDATE %[1]s SET v = v + 1 WHERE id = %[2]d AND v <= %[4]d",
	"old":     "UPDATE %[1]s SET v = v + 1 WHERE id = %[2]d RETURNING id, (SELECT o.v FROM %[1]s o WHERE o.id = %[1]s.id)",
	"raise":   "UPDATE %[1]s SET v = v + 10 WHERE v >= %[4]d",
	"rename":  "UPDATE p SET u = %[3]d WHERE id = %[2]d",
	"move":    "UPDATE p SET id = %[3]d WHERE id = %[2]d",
	"adopt":   "UPDATE c SET p = %[3]d WHERE id = %[2]d",
	"delete":  "DELETE FROM %[1]s WHERE id = %[2]d",
	"clear":   "DELETE FROM %[1]s WHERE v >= %[4]d",
	"insert":  "INSERT INTO %[1]s VALUES (%[2]d, %[3]d, %[4]d)",
	"absent":  "INSERT INTO p SELECT %[2]d, %[3]d, %[4]d WHERE NOT EXISTS (SELECT 1 FROM p WHERE id = %[2]d)",
	"copy":    "INSERT INTO c SELECT %[3]d, id, v FROM p WHERE id = %[2]d",
	"next":    "INSERT INTO c SELECT coalesce(max(id), 0) + 1, %[3]d, %[4]d FROM c",
	"nothing": "INSERT INTO p VALUES (%[2]d, %[3]d, %[4]d) ON CONFLICT DO NOTHING",
	"upsert":  "INSERT INTO p VALUES (%[2]d, %[3]d, %[4]d) ON CONFLICT (id) DO UPDATE SET v = p.v + excluded.v",
	"merge":   "INSERT INTO p VALUES (%[2]d, %[3]d, %[4]d) ON CONFLICT (u) DO UPDATE SET v = p.v + excluded.v",
}, Often: []string{"get", "get", "range", "set", "last", "last", "add", "least", "insert", "unique", "delete"}}

// refused is how a client notes the error of a constraint.
func refused(err error) string {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) && e.Code[:2] == "23" {
		return e.Code + e.ConstraintName
	}
	return ""
}

// suite is the random programs on PostgreSQL.
func suite() *brute.Suite {
	return &brute.Suite{Language: language, Seed: *randomSeed,
		Declare: func(q *program.Program) func(*program.Session) *sql.DB {
			return pg.New(q, pg.Schema(brute.Schema), pg.Seed(brute.Seed)).Open
		},
		Evaluate: func(e *brute.Evaluator, s statement) string { return (&evaluator{e}).run(s) },
	}
}

// At all levels the outcomes of random programs are those of the definition.
func TestRandomPrograms(t *testing.T) {
	t.Parallel()
	suite().ByDefinition(t, programs.N())
}
