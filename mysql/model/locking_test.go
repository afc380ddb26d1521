package model_test

import (
	"flag"
	"testing"

	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

var (
	lockingStatements = flag.Int("locking", 2, "statements whose locks are compared with a real server, at each level")
	lockingFrom       = flag.Int("locking-from", 10, "the first of them")
)

// subqueryFirst has a subquery that a server evaluates before the scan.
const subqueryFirst = "SELECT a FROM t FORCE INDEX (PRIMARY) WHERE a IN (1, 3) AND a <= (SELECT 1 FROM w WHERE k = 5) FOR UPDATE"

// locking are statements whose locks are looked at by others: which rows they keep from
// being changed, and which gaps from being filled.
var locking = []string{
	// LIMIT ends the scan where the index has the order, and not where rows are sorted.
	"SELECT a FROM t FORCE INDEX (PRIMARY) WHERE a >= 1 ORDER BY a LIMIT 1 FOR UPDATE",
	"SELECT a FROM t FORCE INDEX (PRIMARY) WHERE a >= 1 ORDER BY d LIMIT 1 FOR UPDATE",
	"SELECT a FROM t FORCE INDEX (PRIMARY) WHERE a >= 1 ORDER BY a LIMIT 1 OFFSET 1 FOR UPDATE",
	"SELECT a FROM t FORCE INDEX (PRIMARY) WHERE a >= 1 AND d > 5 ORDER BY a LIMIT 1 FOR UPDATE",
	"SELECT a, d FROM t FORCE INDEX (kb) WHERE b >= 10 ORDER BY b, a LIMIT 1 FOR UPDATE",
	"SELECT a, d FROM t FORCE INDEX (kb) WHERE b >= 10 ORDER BY b DESC LIMIT 1 FOR UPDATE SKIP LOCKED",
	"SELECT a, d FROM t FORCE INDEX (PRIMARY) WHERE a >= 1 ORDER BY a LIMIT 1 FOR UPDATE SKIP LOCKED",
	"SELECT a, d FROM t FORCE INDEX (PRIMARY) WHERE a >= 1 ORDER BY a DESC LIMIT 2 LOCK IN SHARE MODE SKIP LOCKED",
	// The rows of one value of a secondary index are in the order of the primary key.
	"SELECT a FROM t FORCE INDEX (kb) WHERE b = 20 ORDER BY a LIMIT 1 FOR UPDATE",
	"SELECT a FROM t FORCE INDEX (kb) WHERE b = 20 ORDER BY a LIMIT 1 FOR UPDATE SKIP LOCKED",
	"SELECT a, d FROM t FORCE INDEX (kb) WHERE b = 20 ORDER BY a DESC LIMIT 1 FOR UPDATE",
	"SELECT a, d FROM t FORCE INDEX (kb) WHERE b = 10 ORDER BY b DESC, a DESC LIMIT 1 FOR UPDATE",
	"SELECT a, d FROM t FORCE INDEX (kb) WHERE b = 20 ORDER BY b DESC LIMIT 1 FOR UPDATE",
	"SELECT a, d FROM t FORCE INDEX (kb) WHERE b >= 10 ORDER BY b DESC, a DESC LIMIT 2 LOCK IN SHARE MODE",
	"SELECT a, d FROM t FORCE INDEX (kb) WHERE b > 10 ORDER BY b, a LIMIT 1 FOR UPDATE",
	"UPDATE t FORCE INDEX (kb) SET d = 9 WHERE b = 20 ORDER BY a LIMIT 1",
	"DELETE FROM t WHERE b = 20 ORDER BY a DESC LIMIT 1",
	// Aggregates and DISTINCT lock what they scan.
	"SELECT COUNT(*) FROM t FORCE INDEX (kb) WHERE b = 20 FOR UPDATE",
	"SELECT MAX(d) FROM t FORCE INDEX (PRIMARY) WHERE a <= 3 FOR UPDATE",
	"SELECT DISTINCT b FROM t FORCE INDEX (kb) WHERE b >= 20 LOCK IN SHARE MODE",
	// A join locks the rows of both tables that it comes upon.
	"SELECT t.a, w.k FROM t FORCE INDEX (PRIMARY) STRAIGHT_JOIN w FORCE INDEX (PRIMARY) ON w.k = t.d WHERE t.a = 1 FOR UPDATE",
	"SELECT t.a, w.k FROM w FORCE INDEX (PRIMARY) STRAIGHT_JOIN t FORCE INDEX (kb) ON t.b = w.n WHERE w.k = 5 FOR UPDATE",
	"SELECT t.a, w.k FROM t FORCE INDEX (PRIMARY) LEFT JOIN w FORCE INDEX (PRIMARY) ON w.k = t.d WHERE t.a <= 3 FOR UPDATE",
	// Subqueries lock only with a clause of their own, but in statements that change rows.
	subqueryFirst,
	"UPDATE t FORCE INDEX (PRIMARY) SET d = 9 WHERE a = (SELECT 1 FROM w WHERE k = 5)",
	"DELETE FROM t WHERE a = 1 AND EXISTS (SELECT 1 FROM w WHERE k = 6)",
	// IN and OR are several ranges.
	"SELECT a FROM t FORCE INDEX (PRIMARY) WHERE a IN (1, 4) FOR UPDATE",
	"SELECT a, d FROM t FORCE INDEX (kb) WHERE b = 10 OR b = 20 FOR UPDATE",
	"SELECT a, d FROM t FORCE INDEX (kb) WHERE b > 10 AND b < 20 FOR UPDATE",
	// INSERT … SELECT locks what it reads, shared.
	"INSERT INTO w (k, n) SELECT a + 100, b FROM t FORCE INDEX (PRIMARY) WHERE a <= 3",
	"INSERT INTO w (k, n) SELECT a + 100, b FROM t FORCE INDEX (kb) WHERE b = 10",
}

// lockingUnique are statements that find rows by the whole key of a unique secondary index.
var lockingUnique = []string{
	"SELECT a, d FROM t FORCE INDEX (uc) WHERE c = 20 FOR UPDATE",
	"INSERT INTO w (k, n) SELECT a + 100, d FROM t FORCE INDEX (uc) WHERE c = 20",
	"SELECT a FROM t FORCE INDEX (uc) WHERE c = 20 LOCK IN SHARE MODE",
	"SELECT a, d FROM t FORCE INDEX (uc) WHERE c = 25 FOR UPDATE",
	"SELECT a, d FROM t FORCE INDEX (uc) WHERE c IN (10, 30) FOR UPDATE",
	"SELECT t.a, w.k FROM w FORCE INDEX (PRIMARY) STRAIGHT_JOIN t FORCE INDEX (uc) ON t.c = w.n WHERE w.k = 5 FOR UPDATE",
	"UPDATE t FORCE INDEX (uc) SET d = 9 WHERE c = 20",
	"UPDATE t FORCE INDEX (uc) SET c = 22 WHERE c = 20",
	"DELETE FROM t WHERE c = 20",
}

// looksUnique are statements that meet the locks of these.
var looksUnique = []string{
	"INSERT INTO t VALUES (2, 15, 1)",
	"INSERT INTO t VALUES (2, 25, 1)",
	"INSERT INTO t VALUES (2, 5, 1)",
	"UPDATE t FORCE INDEX (PRIMARY) SET c = 17 WHERE a = 1",
	"UPDATE t FORCE INDEX (PRIMARY) SET d = d + 10 WHERE a = 3",
}

// looks are statements that meet the locks of others.
var looks = []string{
	"INSERT INTO t VALUES (2, 15, 1, 1)",
	"UPDATE t FORCE INDEX (PRIMARY) SET d = d + 10 WHERE a = 3",
	"UPDATE t FORCE INDEX (PRIMARY) SET d = d + 10 WHERE a = 1",
	"UPDATE t FORCE INDEX (PRIMARY) SET d = d + 10 WHERE a = 5",
	"UPDATE w SET n = n + 1 WHERE k = 5",
	"INSERT INTO w VALUES (6, 1)",
}

// TestLockingOnServer compares the locks of statements with those of a MariaDB server that
// it starts, where one is installed. Each statement meets each of those that look.
func TestLockingOnServer(t *testing.T) {
	server := scratchtest.Start(t, scratch.MariaDB, map[string]string{
		"innodb-flush-log-at-trx-commit": "0", "innodb-doublewrite": "0", "innodb-lock-wait-timeout": "10000"})
	r, err := mariadb.Connect(t.Context(), server.DSN(""), 2)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, level := range mariadb.Levels {
		t.Run(level, func(t *testing.T) {
			for i := range min(*lockingStatements, len(locking)) {
				n := (*lockingFrom + i) % len(locking)
				if level == statement.SnapshotReads && locking[n] == subqueryFirst {
					continue // a server fails with 1020 here: docs/mysql.md, Different
				}
				for _, look := range looks {
					compareScript(t, r, uint64(n), lockingScript(level, locking[n], look))
				}
			}
			for i := range min(*lockingStatements/2, len(lockingUnique)) {
				for _, look := range looksUnique {
					compareScript(t, r, uint64(i), lockingUniqueScript(level, lockingUnique[i], look))
				}
			}
		})
	}
}

// lockingScript is a program in which a statement's locks are held for a while: another
// one looks at them before, between and behind two of the first session's.
func lockingScript(level, s, look string) *mariadb.Script {
	return &mariadb.Script{Level: level, Tables: []string{"t", "w"},
		Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, c INT NULL, d INT NOT NULL, KEY kb (b))", "CREATE TABLE w (k INT PRIMARY KEY, n INT NOT NULL)"},
		Rows:   []string{"INSERT INTO t VALUES (1, 10, 1, 5), (3, 20, 1, 8), (5, 20, NULL, 2)", "INSERT INTO w VALUES (5, 20), (8, 10)"},
		Sessions: [][]string{{mariadb.Begin, s, "SELECT COUNT(*) FROM t FORCE INDEX (PRIMARY) WHERE a + d > 0", mariadb.Commit},
			{mariadb.Begin, look, mariadb.Commit}}}
}

func lockingUniqueScript(level, s, look string) *mariadb.Script {
	p := lockingScript(level, s, look)
	p.Schema[0] = "CREATE TABLE t (a INT PRIMARY KEY, c INT NULL, d INT NOT NULL, UNIQUE KEY uc (c))"
	p.Rows[0] = "INSERT INTO t VALUES (1, 10, 5), (3, 20, 8), (5, NULL, 2), (7, 30, 1)"
	return p
}
