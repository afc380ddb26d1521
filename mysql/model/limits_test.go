package model_test

import (
	"flag"
	"testing"

	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

var withLimits = flag.Bool("limits", false, "run programs with time limits on a real server too: each schedule takes seconds")

const (
	numbered = "CREATE TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b INT NOT NULL, UNIQUE KEY (b))"
	padded   = "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(5), n INT, KEY b (b))"
	source   = "CREATE TABLE u (x INT PRIMARY KEY, y INT NULL)"
)

// limited are programs whose waits have a time limit of a second. A session sleeps for
// longer, so that others meet it. None meets it whose blocker does not sleep.
var limited = []mariadb.Script{
	{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"}, GoesOn: true,
		Settings: []string{"SET innodb_lock_wait_timeout = 1"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t SET b = 11 WHERE a = 1", "SELECT SLEEP(1.2)", mariadb.Commit},
			{mariadb.Begin, "INSERT INTO t VALUES (3, 30)", "UPDATE t SET b = b + 5", mariadb.Commit}}},
	{Level: statement.ReadCommitted, Schema: []string{numbered, source}, Rows: []string{"INSERT INTO u (x) VALUES (1), (2)", "INSERT INTO t (b) VALUES (2)"}, Tables: []string{"t", "u"}, GoesOn: true,
		Settings: []string{"SET SESSION innodb_lock_wait_timeout = 1"},
		Sessions: [][]string{{mariadb.Begin, "DELETE FROM t WHERE b = 2", "SELECT SLEEP(1.2)", mariadb.Commit},
			{"INSERT INTO t (b) SELECT x FROM u", "INSERT INTO t (b) VALUES (9)"}}},
	{Level: statement.RepeatableRead, Schema: []string{numbered, source}, Rows: []string{"INSERT INTO u (x) VALUES (1), (2)", "INSERT INTO t (b) VALUES (5)"}, Tables: []string{"t", "u"}, GoesOn: true,
		Settings: []string{"SET SESSION innodb_lock_wait_timeout = 1"},
		Sessions: [][]string{{mariadb.Begin, "SELECT x FROM u WHERE x = 2 FOR UPDATE", "SELECT SLEEP(1.2)", mariadb.Commit},
			{"INSERT INTO t (b) SELECT x FROM u"}, {"INSERT INTO t (b) VALUES (9)"}}},
}

// unlimited are programs of which the server has all outcomes at once.
var unlimited = []mariadb.Script{
	// A wait of no time is no wait.
	{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"}, GoesOn: true,
		Settings: []string{"SET innodb_lock_wait_timeout = 0"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t SET b = 11 WHERE a = 1", mariadb.Commit},
			{mariadb.Begin, "INSERT INTO t VALUES (3, 30)", "UPDATE t SET b = b + 5", mariadb.Commit}}},
	// A bulk insert that waits keeps the numbers to itself: a deadlock.
	{Level: statement.RepeatableRead, Schema: []string{numbered, source}, Rows: []string{"INSERT INTO u (x) VALUES (1), (2)"}, Tables: []string{"t", "u"},
		Sessions: [][]string{{mariadb.Begin, "DELETE FROM u WHERE x = 2", "INSERT INTO t (b) VALUES (9)", mariadb.Commit},
			{"INSERT INTO t (b) SELECT x FROM u"}}},
	{Level: statement.RepeatableRead, Schema: []string{numbered, source}, Rows: []string{"INSERT INTO u (x) VALUES (1), (2)"}, Tables: []string{"t", "u"}, GoesOn: true,
		Sessions: [][]string{{mariadb.Begin, "DELETE FROM u WHERE x = 2", "INSERT INTO t (b) VALUES (9)", "INSERT INTO t (b) VALUES (8)", mariadb.Commit},
			{"INSERT INTO t (b) SELECT x FROM u"}}},
	// One that knows how many rows it has locks nothing, and has all its numbers.
	{Level: statement.RepeatableRead, Schema: []string{numbered}, Rows: []string{"INSERT INTO t (b) VALUES (5)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "DELETE FROM t WHERE b = 5", "INSERT INTO t (b) VALUES (9)", mariadb.Commit},
			{"INSERT INTO t (b) VALUES (1), (5), (7)"}}},
	// A bulk insert into a table gives its lock back when it ends, not when its transaction does.
	{Level: statement.RepeatableRead, Schema: []string{numbered, source}, Rows: []string{"INSERT INTO u (x) VALUES (1), (2), (3)"}, Tables: []string{"t", "u"},
		Sessions: [][]string{{mariadb.Begin, "INSERT INTO t (b) SELECT x FROM u WHERE x < 3", "SELECT COUNT(*) FROM t", mariadb.Commit},
			{"INSERT INTO t (b) SELECT x FROM u WHERE x > 2", "INSERT INTO t (b) VALUES (9)"}}},
	// Spaces at the end of a text are not looked at by ranges of an index, nor by their locks.
	{Level: statement.RepeatableRead, Schema: []string{padded}, Rows: []string{"INSERT INTO t VALUES (1, 'ann', 0), (2, 'bob', 0)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t FORCE INDEX (b) SET n = n + 1 WHERE b = 'bob '", "SELECT a, n FROM t FORCE INDEX (b) WHERE b >= 'ann '", mariadb.Commit},
			{"UPDATE t FORCE INDEX (b) SET n = n * 2 + 1 WHERE b IN ('bob', 'bob  ', 'ann ')", "INSERT INTO t VALUES (3, 'ann', 5)"}}},
	// Numbers that nobody has are lost.
	numbers("INSERT INTO t (b) SELECT x FROM u WHERE x < 3", "INSERT INTO t (b) VALUES (9)"),
	numbers("INSERT INTO t (b) SELECT x FROM u", "INSERT INTO t (b) VALUES (9)", "INSERT INTO t (b) SELECT x + 10 FROM u", "INSERT INTO t (b) VALUES (19)"),
	numbers("INSERT INTO t (b) VALUES (1), (2)", "INSERT INTO t (a, b) VALUES (10, 3), (NULL, 4)", "INSERT INTO t (b) VALUES (5)"),
	numbers("INSERT INTO t (a, b) VALUES (NULL, 3), (10, 4), (NULL, 5)", "INSERT INTO t (b) VALUES (6)"),
	numbers("INSERT INTO t (a, b) VALUES (NULL, 3), (2, 4), (NULL, 5)", "INSERT INTO t (b) VALUES (6)"),
	numbers("INSERT INTO t (b) VALUES (1)", "INSERT INTO t (b) VALUES (2), (1), (3)", "INSERT INTO t (b) VALUES (4)"),
	numbers("INSERT INTO t (b) VALUES (1)", "INSERT IGNORE INTO t (b) VALUES (1), (2)", "INSERT INTO t (b) VALUES (4)"),
	numbers("INSERT INTO t (b) VALUES (1)", "INSERT INTO t (b) VALUES (1), (2) ON DUPLICATE KEY UPDATE b = b + 10", "INSERT INTO t (b) VALUES (4)"),
	numbers("INSERT INTO t (b) VALUES (1)", "REPLACE INTO t (b) VALUES (1), (2)", "REPLACE INTO t (b) SELECT x FROM u", "INSERT INTO t (b) VALUES (4)"),
	numbers("INSERT INTO t (b) VALUES (1)", "INSERT INTO t (b) SELECT x FROM u", "INSERT INTO t (b) VALUES (4)"),
	numbers("INSERT INTO t (a, b) SELECT x + 5, x FROM u", "INSERT INTO t (b) VALUES (4)"),
}

// numbers is a program of one session.
func numbers(statements ...string) mariadb.Script {
	return mariadb.Script{Level: statement.RepeatableRead, Schema: []string{numbered, source}, Rows: []string{"INSERT INTO u (x) VALUES (1), (2), (3)"}, Tables: []string{"t", "u"},
		Sessions: [][]string{statements}}
}

// TestLimitsOnServer compares time limits of waits, AUTO-INC locks and the numbers of
// AUTO_INCREMENT with a MariaDB server that it starts, where one is installed.
func TestLimitsOnServer(t *testing.T) {
	server := scratchtest.Start(t, scratch.MariaDB, map[string]string{
		"innodb-flush-log-at-trx-commit": "0", "innodb-doublewrite": "0", "innodb-lock-wait-timeout": "10000"})
	r, err := mariadb.Connect(t.Context(), server.DSN(""), 3)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	list := unlimited
	if *withLimits {
		list = append(list, limited...)
	}
	for i := range list {
		compareScript(t, r, uint64(i), list[i].Explicit())
	}
}
