// Random SQL programs: MySQL's statements of all kinds.

package mysql_test

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/dpor/sqltest/brute"
	txmysql "github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
)

var (
	programs   = flag.Int("programs", 12, "random SQL programs to explore at all levels")
	randomSeed = flag.Uint64("seed", 1, "seed of random SQL programs")
)

// language is that of random programs.
var language = brute.Language{Refused: refused, Kinds: map[string]string{
	"get":     "SELECT id, v FROM %[1]s WHERE id = %[2]d",
	"range":   "SELECT id, v FROM %[1]s WHERE id >= %[2]d ORDER BY id",
	"count":   "SELECT count(*), coalesce(sum(v), 0) FROM %[1]s",
	"unique":  "SELECT id, v FROM p WHERE u = %[3]d",
	"lock":    "SELECT id, v FROM %[1]s WHERE id = %[2]d FOR UPDATE",
	"set":     "UPDATE %[1]s SET v = %[4]d WHERE id = %[2]d",
	"last":    "UPDATE %[1]s SET v = %[4]d WHERE id = %[2]d", // the value read last, and one
	"add":     "UPDATE %[1]s SET v = v + 1 WHERE id = %[2]d",
	"raise":   "UPDATE %[1]s SET v = v + 10 WHERE v >= %[4]d",
	"rename":  "UPDATE p SET u = %[3]d WHERE id = %[2]d",
	"delete":  "DELETE FROM %[1]s WHERE id = %[2]d",
	"clear":   "DELETE FROM %[1]s WHERE v >= %[4]d",
	"insert":  "INSERT INTO %[1]s VALUES (%[2]d, %[3]d, %[4]d)",
	"nothing": "INSERT IGNORE INTO p VALUES (%[2]d, %[3]d, %[4]d)",
	"upsert":  "INSERT INTO p VALUES (%[2]d, %[3]d, %[4]d) ON DUPLICATE KEY UPDATE v = v + VALUES(v)",
	"replace": "REPLACE INTO p VALUES (%[2]d, %[3]d, %[4]d)",
	"share":   "SELECT id, v FROM %[1]s WHERE v >= %[4]d LOCK IN SHARE MODE",
}, Often: []string{"get", "get", "range", "unique", "set", "last", "last", "add", "insert", "insert", "delete"}}

// refused is how a client notes the error of a constraint.
func refused(err error) string {
	if e := (*mysql.MySQLError)(nil); errors.As(err, &e) && string(e.SQLState[:2]) == "23" {
		return fmt.Sprint("e", e.Number)
	}
	return ""
}

// suite is the random programs on MySQL.
func suite() *brute.Suite {
	return &brute.Suite{Language: language, Seed: *randomSeed,
		Declare: func(q *program.Program) func(*program.Session) *sql.DB {
			return txmysql.New(q, txmysql.Schema(brute.Schema), txmysql.Seed(brute.Seed)).Open
		},
		Evaluate: func(e *brute.Evaluator, s statement) string { return (&evaluator{e}).run(s) },
	}
}

// At all levels the outcomes of random programs are those of the definition.
func TestRandomPrograms(t *testing.T) { suite().ByDefinition(t, *programs) }
