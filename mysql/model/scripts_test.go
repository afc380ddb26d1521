package model_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

const (
	pairs      = "CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, KEY kb (b))"
	counters   = "CREATE TABLE l (a INT PRIMARY KEY, b INT NOT NULL)"
	countsUp   = "CREATE TRIGGER t1 AFTER UPDATE ON t FOR EACH ROW UPDATE l SET b = b + 1 WHERE a = 1"
	countsDown = "CREATE TRIGGER t2 AFTER DELETE ON t FOR EACH ROW UPDATE l SET b = b - 1 WHERE a = 1"
	pairs12    = "INSERT INTO t VALUES (1, 10), (2, 20)"
	triples    = "CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, c INT NOT NULL, KEY kbc (b, c))"
	parents    = "CREATE TABLE p (a INT PRIMARY KEY, b INT)"
	cascade    = "CREATE TABLE q (a INT PRIMARY KEY, p INT, KEY (p), FOREIGN KEY (p) REFERENCES p (a) ON DELETE CASCADE)"
	atOnce     = "SET innodb_lock_wait_timeout = 0"
)

// known is a program with all its outcomes, as a MariaDB has them but for the victims of
// deadlocks.
type known struct {
	name string
	p    mariadb.Script
	want []string
}

var scripts = []known{
	{"a row that is not there locks the gap", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT * FROM t WHERE a = 5 FOR UPDATE", mariadb.Commit}, {"INSERT INTO t VALUES (6, 60)"}}},
		[]string{"s0[[] C] s1[1] t[1,10 2,20 6,60]"}},
	{"and two of them are a deadlock", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT * FROM t WHERE a = 5 FOR UPDATE", "INSERT INTO t VALUES (5, 1)", mariadb.Commit},
			{mariadb.Begin, "SELECT * FROM t WHERE a = 5 FOR UPDATE", "INSERT INTO t VALUES (5, 2)", mariadb.Commit}}},
		[]string{"s0[[] !1213] s1[[] 1 C] t[1,10 2,20 5,2]", "s0[[] 1 C] s1[[] !1213] t[1,10 2,20 5,1]", "s0[[] 1 C] s1[[5,1] !1062] t[1,10 2,20 5,1]",
			"s0[[5,2] !1062] s1[[] 1 C] t[1,10 2,20 5,2]"}},
	{"rows that are scanned are locked, also when they are not wanted", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT * FROM t WHERE b >= 10 AND a = 2 FOR UPDATE", "SELECT * FROM t WHERE a + 0 = 7 FOR UPDATE", mariadb.Commit},
			{"SELECT a FROM t WHERE a = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[2,20] [] C] s1[[1]] t[1,10 2,20]", "s0[[2,20] [] C] s1[!1205] t[1,10 2,20]"}},
	{"LIMIT and SKIP LOCKED take from a queue", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT a FROM t ORDER BY a LIMIT 1 FOR UPDATE SKIP LOCKED", mariadb.Commit},
			{mariadb.Begin, "SELECT a FROM t ORDER BY a LIMIT 1 FOR UPDATE SKIP LOCKED", mariadb.Commit}}},
		[]string{"s0[[1] C] s1[[1] C] t[1,10 2,20]", "s0[[1] C] s1[[2] C] t[1,10 2,20]", "s0[[2] C] s1[[1] C] t[1,10 2,20]"}},
	{"also past rows that have a partner", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs, "CREATE TABLE w (k INT PRIMARY KEY, n INT NOT NULL, KEY (n))"}, Rows: []string{"INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)", "INSERT INTO w VALUES (1, 10)"}, Tables: []string{"t", "w"},
		Sessions: [][]string{{mariadb.Begin, "SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM w WHERE w.n = t.b) ORDER BY a LIMIT 1 FOR UPDATE SKIP LOCKED", mariadb.Commit},
			{mariadb.Begin, "SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM w WHERE w.n = t.b) ORDER BY a LIMIT 1 FOR UPDATE SKIP LOCKED", mariadb.Commit}}},
		[]string{"s0[[2] C] s1[[2] C] t[1,10 2,20 3,30]w[1,10]", "s0[[2] C] s1[[3] C] t[1,10 2,20 3,30]w[1,10]", "s0[[3] C] s1[[2] C] t[1,10 2,20 3,30]w[1,10]"}},
	{"by LEFT JOIN", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs, "CREATE TABLE w (k INT PRIMARY KEY, n INT NOT NULL, KEY (n))"}, Rows: []string{"INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)", "INSERT INTO w VALUES (1, 10)"}, Tables: []string{"t", "w"},
		Sessions: [][]string{{mariadb.Begin, "SELECT a FROM t LEFT JOIN w ON w.n = t.b WHERE w.k IS NULL AND b > 5 ORDER BY b LIMIT 1 FOR UPDATE SKIP LOCKED", mariadb.Commit},
			{mariadb.Begin, "SELECT a FROM t LEFT JOIN w ON w.n = t.b WHERE w.k IS NULL AND b > 5 ORDER BY b LIMIT 1 FOR UPDATE SKIP LOCKED", mariadb.Commit}}},
		[]string{"s0[[2] C] s1[[2] C] t[1,10 2,20 3,30]w[1,10]", "s0[[2] C] s1[[3] C] t[1,10 2,20 3,30]w[1,10]", "s0[[3] C] s1[[2] C] t[1,10 2,20 3,30]w[1,10]"}},
	{"and of those that have one", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs, "CREATE TABLE w (k INT PRIMARY KEY, n INT NOT NULL, KEY (n))"}, Rows: []string{"INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)", "INSERT INTO w VALUES (1, 20), (2, 30)"}, Tables: []string{"t", "w"},
		Sessions: [][]string{{mariadb.Begin, "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM w WHERE w.n = t.b) ORDER BY a LIMIT 1 FOR UPDATE SKIP LOCKED", mariadb.Commit},
			{mariadb.Begin, "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM w WHERE w.n = t.b) ORDER BY a LIMIT 1 FOR UPDATE SKIP LOCKED", mariadb.Commit}}},
		[]string{"s0[[2] C] s1[[2] C] t[1,10 2,20 3,30]w[1,20 2,30]", "s0[[2] C] s1[[3] C] t[1,10 2,20 3,30]w[1,20 2,30]", "s0[[3] C] s1[[2] C] t[1,10 2,20 3,30]w[1,20 2,30]"}},
	{"an UPDATE that fails for a key keeps its locks", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, UNIQUE KEY kb (b))"}, Rows: []string{pairs12}, Tables: []string{"t"}, Settings: []string{atOnce}, GoesOn: true,
		Sessions: [][]string{{mariadb.Begin, "UPDATE t SET b = 20 WHERE a = 1", "SELECT 1", mariadb.Commit}, {mariadb.Begin, "SELECT a FROM t WHERE a = 1 FOR UPDATE", mariadb.Commit}}},
		[]string{"s0[!1062 [1] C] s1[!1205 C] t[1,10 2,20]", "s0[!1062 [1] C] s1[[1] C] t[1,10 2,20]", "s0[!1205 [1] C] s1[[1] C] t[1,10 2,20]"}},
	{"numbers of AUTO_INCREMENT are shared, and not given back", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{"CREATE TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b INT UNIQUE)"}, Rows: []string{"INSERT INTO t (b) VALUES (7)"}, Tables: []string{"t"},
		Sessions: [][]string{{"INSERT INTO t (b) VALUES (7)"}, {"INSERT INTO t (b) VALUES (8)"}}},
		[]string{"s0[!1062] s1[1] t[1,7 2,8]", "s0[!1062] s1[1] t[1,7 3,8]"}},
	{"a trigger takes its numbers one by one, and others may take some meanwhile", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{pairs, "CREATE TABLE l (a INT AUTO_INCREMENT PRIMARY KEY, b INT)", "CREATE TRIGGER tl AFTER UPDATE ON t FOR EACH ROW INSERT INTO l (b) VALUES (NEW.b)"},
		Rows:   []string{"DELETE FROM l", "ALTER TABLE l AUTO_INCREMENT = 1", pairs12, "INSERT INTO t VALUES (3, 30)"}, Tables: []string{"t", "l"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t SET b = 21 WHERE a = 2", "UPDATE t SET b = 31 WHERE a = 3", mariadb.Commit}, {"UPDATE t SET b = b + 5 WHERE a IN (1, 2)"}}},
		[]string{"s0[1 1 C] s1[2] t[1,15 2,21 3,31]l[1,15 2,25 3,21 4,31]", "s0[1 1 C] s1[2] t[1,15 2,26 3,31]l[1,21 2,15 3,31 4,26]", "s0[1 1 C] s1[2] t[1,15 2,26 3,31]l[1,21 2,31 3,15 4,26]"}},
	{"SET TRANSACTION is for one transaction", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", mariadb.Begin, "SELECT b FROM t WHERE a = 1", "SELECT b FROM t WHERE a = 1", mariadb.Commit,
			mariadb.Begin, "SELECT b FROM t WHERE a = 2", "SELECT b FROM t WHERE a = 2", mariadb.Commit}, {"UPDATE t SET b = b + 1"}}},
		[]string{"s0[0 [10] [10] C [20] [20] C] s1[2] t[1,11 2,21]", "s0[0 [10] [10] C [20] [21] C] s1[2] t[1,11 2,21]",
			"s0[0 [10] [10] C [21] [21] C] s1[2] t[1,11 2,21]", "s0[0 [11] [11] C [21] [21] C] s1[2] t[1,11 2,21]"}},
	{"rows that go away cascade", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{"CREATE TABLE p (a INT PRIMARY KEY, b INT)", "CREATE TABLE q (a INT PRIMARY KEY, p INT, KEY (p), FOREIGN KEY (p) REFERENCES p (a) ON DELETE CASCADE)"},
		Rows:   []string{"INSERT INTO p VALUES (1, 1)", "INSERT INTO q VALUES (1, 1)"}, Tables: []string{"q", "p"},
		Sessions: [][]string{{"DELETE FROM p WHERE a = 1"}, {"INSERT INTO q VALUES (2, 1)"}}},
		[]string{"s0[1] s1[!1452] q[]p[]", "s0[1] s1[1] q[]p[]"}},
	{"a table without a primary key", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{"CREATE TABLE h (x INT, y INT)"}, Rows: []string{"INSERT INTO h VALUES (1, 1), (1, 1)"}, Tables: []string{"h"},
		Sessions: [][]string{{"UPDATE h SET y = y + 1"}, {"INSERT INTO h VALUES (2, 5)"}}},
		[]string{"s0[2] s1[1] h[1,2 1,2 2,5]", "s0[3] s1[1] h[1,2 1,2 2,6]"}},
	{"an UPDATE means the row that it has found, not one that looked the same before it waited for it", mariadb.Script{Level: statement.ReadCommitted,
		Schema: []string{"CREATE TABLE h (x INT, y INT)"}, Rows: []string{"INSERT INTO h VALUES (1, 3)"}, Tables: []string{"h"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE h SET x = 2", mariadb.Commit}, {mariadb.Begin, "INSERT INTO h VALUES (1, 3)", "UPDATE h SET y = y + 1 WHERE y >= 3", mariadb.Commit}}},
		[]string{"s0[1 C] s1[1 2 C] h[1,4 2,4]", "s0[2 C] s1[1 2 C] h[2,4 2,4]"}},
	{"a statement that fails undoes all its rows", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{"INSERT INTO t VALUES (3, 30), (1, 10)"}, {mariadb.Begin, "INSERT INTO t VALUES (5, 50)", "INSERT INTO t VALUES (4, 40), (2, 20)", mariadb.Commit}}},
		[]string{"s0[!1062] s1[1 !1062] t[1,10 2,20]"}},
	{"a DELETE of all rows that fails is over", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{"CREATE TABLE p (a INT PRIMARY KEY, b INT)", "CREATE TABLE q (a INT PRIMARY KEY, p INT, KEY (p), FOREIGN KEY (p) REFERENCES p (a))"},
		Rows:   []string{"INSERT INTO p VALUES (1, 0), (2, 0)", "INSERT INTO q VALUES (1, 2)"}, Tables: []string{"q", "p"},
		Sessions: [][]string{{"DELETE FROM p"}, {"INSERT INTO p VALUES (3, 0)"}}},
		[]string{"s0[!1451] s1[1] q[1,2]p[1,0 2,0 3,0]"}},
	{"a LIMIT of all columns ends a scan by an index", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{"SELECT * FROM t FORCE INDEX (kb) WHERE b > 5 ORDER BY b DESC LIMIT 1"}}},
		[]string{"s0[[2,20]] t[1,10 2,20]"}},
	{"and so it does by several ranges", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT * FROM t FORCE INDEX (kb) WHERE b IN (10, 20) ORDER BY b DESC, a DESC LIMIT 1 FOR UPDATE", mariadb.Commit}, {"SELECT a FROM t WHERE a = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[2,20] C] s1[[1]] t[1,10 2,20]"}},
	{"beginnings of texts do not order them", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9), KEY kb (b(1)))"}, Rows: []string{"INSERT INTO t VALUES (1, 'ab'), (2, 'aa')"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT * FROM t FORCE INDEX (kb) WHERE b >= 'a' ORDER BY b LIMIT 1 FOR UPDATE", mariadb.Commit}, {"SELECT a FROM t WHERE a = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[2,aa] C] s1[!1205] t[1,ab 2,aa]", "s0[[2,aa] C] s1[[1]] t[1,ab 2,aa]"}},
	{"and decide nothing, so that a row behind a range is locked", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9), KEY kb (b(1)))"}, Rows: []string{"INSERT INTO t VALUES (1, 'ab'), (2, 'ba')"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT * FROM t FORCE INDEX (kb) WHERE b < 'ac' FOR UPDATE", mariadb.Commit}, {"SELECT a FROM t WHERE a = 2 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[1,ab] C] s1[!1205] t[1,ab 2,ba]", "s0[[1,ab] C] s1[[2]] t[1,ab 2,ba]"}},
	{"between a statement in autocommit and its commit others run", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs}, Tables: []string{"t"},
		Sessions: [][]string{{"INSERT INTO t SELECT 1, 10 FROM dual WHERE NOT EXISTS (SELECT 1 FROM t)"}, {"INSERT INTO t SELECT 2, 20 FROM dual WHERE NOT EXISTS (SELECT 1 FROM t)"}}},
		[]string{"s0[0] s1[1] t[2,20]", "s0[1] s1[0] t[1,10]", "s0[1] s1[1] t[1,10 2,20]"}},
	{"where its locks are skipped, and", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{"SELECT b FROM t WHERE a = 1 FOR UPDATE"}, {mariadb.Begin, "SELECT b FROM t WHERE a = 1 FOR UPDATE SKIP LOCKED", mariadb.Commit}}},
		[]string{"s0[[10]] s1[[10] C] t[1,10 2,20]", "s0[[10]] s1[[] C] t[1,10 2,20]"}},
	{"waited for, which is how two who insert what is deleted become a deadlock", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT)"}, Rows: []string{"INSERT INTO t VALUES (1, 0)"}, Tables: []string{"t"},
		Sessions: [][]string{{"DELETE FROM t"}, {"INSERT INTO t VALUES (1, 0)"}, {"INSERT INTO t VALUES (1, 0)"}}},
		[]string{"s0[1] s1[!1062] s2[!1062] t[]", "s0[1] s1[!1062] s2[1] t[1,0]", "s0[1] s1[!1213] s2[1] t[1,0]", "s0[1] s1[1] s2[!1062] t[1,0]", "s0[1] s1[1] s2[!1213] t[1,0]"}},
	{"WITH CONSISTENT SNAPSHOT makes the view at once", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{"START TRANSACTION WITH CONSISTENT SNAPSHOT", "SELECT b FROM t WHERE a = 1 FOR UPDATE", "SELECT b FROM t WHERE a = 2", mariadb.Commit}, {"UPDATE t SET b = b + 1"}}},
		[]string{"s0[0 [10] [20] C] s1[2] t[1,11 2,21]", "s0[0 [11] [20] C] s1[2] t[1,11 2,21]", "s0[0 [11] [21] C] s1[2] t[1,11 2,21]"}},
	{"which READ COMMITTED has not", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{"START TRANSACTION WITH CONSISTENT SNAPSHOT", "SELECT b FROM t WHERE a = 1 FOR UPDATE", "SELECT b FROM t WHERE a = 2", mariadb.Commit}, {"UPDATE t SET b = b + 1"}}},
		[]string{"s0[0 [10] [20] C] s1[2] t[1,11 2,21]", "s0[0 [11] [21] C] s1[2] t[1,11 2,21]"}},
	{"SELECT INTO a variable locks", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT b INTO @b FROM t WHERE a = 1 FOR UPDATE", "UPDATE t SET b = @b + 1 WHERE a = 1", mariadb.Commit},
			{mariadb.Begin, "SELECT b FROM t WHERE a = 1 FOR UPDATE INTO @b", "UPDATE t SET b = @b + 1 WHERE a = 1", mariadb.Commit}}},
		[]string{"s0[[] 1 C] s1[[] 1 C] t[1,12 2,20]"}},
	{"an UPDATE of two tables locks the rows that it joins", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT)", "CREATE TABLE u (a INT PRIMARY KEY, n INT, t INT)"}, Rows: []string{"INSERT INTO t VALUES (1, 1), (2, 2)", "INSERT INTO u VALUES (1, 0, 1), (2, 0, 2)"}, Tables: []string{"t", "u"},
		Sessions: [][]string{{"UPDATE u JOIN t ON t.a = u.t SET u.n = t.b WHERE u.a = 1"}, {mariadb.Begin, "UPDATE t SET b = b + 10 WHERE a = 1", "SELECT n FROM u WHERE a = 1 FOR UPDATE", mariadb.Commit}}},
		[]string{"s0[!1213] s1[1 [0] C] t[1,11 2,2]u[1,0,1 2,0,2]", "s0[1] s1[1 !1213] t[1,1 2,2]u[1,1,1 2,0,2]", "s0[1] s1[1 [0] C] t[1,11 2,2]u[1,11,1 2,0,2]", "s0[1] s1[1 [1] C] t[1,11 2,2]u[1,1,1 2,0,2]"}},
	{"a DELETE from two tables", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT)", "CREATE TABLE u (a INT PRIMARY KEY, n INT, t INT)"}, Rows: []string{"INSERT INTO t VALUES (1, 1), (2, 2)", "INSERT INTO u VALUES (1, 0, 1), (2, 0, 2)"}, Tables: []string{"t", "u"},
		Sessions: [][]string{{"DELETE u, t FROM u JOIN t ON t.a = u.t WHERE u.a = 1"}, {mariadb.Begin, "INSERT INTO u VALUES (3, 0, 1)", "SELECT b FROM t WHERE a = 1 FOR UPDATE", mariadb.Commit}}},
		[]string{"s0[2] s1[1 [1] C] t[2,2]u[2,0,2 3,0,1]", "s0[2] s1[1 [] C] t[2,2]u[2,0,2 3,0,1]"}},
	{"a DELETE that comes upon a row twice deletes it once", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT)", "CREATE TABLE u (a INT PRIMARY KEY, t INT)"}, Rows: []string{"INSERT INTO t VALUES (1, 1), (2, 2)", "INSERT INTO u VALUES (1, 1), (2, 1)"}, Tables: []string{"t", "u"},
		Sessions: [][]string{{"DELETE t FROM t JOIN u ON u.t = t.a"}, {"INSERT INTO t VALUES (1, 5)"}}},
		[]string{"s0[1] s1[!1062] t[2,2]u[1,1 2,1]", "s0[1] s1[1] t[1,5 2,2]u[1,1 2,1]"}},
	{"a DELETE that comes upon a row twice deletes it once, also where it comes upon it first", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT)", "CREATE TABLE u (a INT PRIMARY KEY, t INT, KEY (t))"}, Rows: []string{"INSERT INTO t VALUES (1, 1), (2, 2)", "INSERT INTO u VALUES (1, 1), (2, 1)"}, Tables: []string{"t", "u"},
		Sessions: [][]string{{"DELETE t FROM t STRAIGHT_JOIN u ON u.t = t.a"}, {"INSERT INTO t VALUES (1, 5)"}}},
		[]string{"s0[1] s1[!1062] t[2,2]u[1,1 2,1]", "s0[1] s1[1] t[1,5 2,2]u[1,1 2,1]"}},
	{"UPDATE with ORDER BY and LIMIT locks no more than it takes", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t SET b = b + 100 ORDER BY a LIMIT 1", mariadb.Commit}, {mariadb.Begin, "UPDATE t SET b = b + 7 WHERE a = 2", "DELETE FROM t ORDER BY a LIMIT 1", mariadb.Commit}}},
		[]string{"s0[1 C] s1[1 1 C] t[2,127]", "s0[1 C] s1[1 1 C] t[2,27]"}},
	{"and all that it sorts", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT)"}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t SET b = b + 100 ORDER BY b DESC LIMIT 1", mariadb.Commit}, {mariadb.Begin, "UPDATE t SET b = b + 70 WHERE a = 1", mariadb.Commit}}},
		[]string{"s0[1 C] s1[1 C] t[1,180 2,20]", "s0[1 C] s1[1 C] t[1,80 2,120]"}},
	{"a descending scan of one value that finds no row locks the gap alone", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT * FROM t FORCE INDEX (kb) WHERE b = 25 ORDER BY a DESC FOR UPDATE", mariadb.Commit},
			{mariadb.Begin, "SELECT b FROM t WHERE a = 2 FOR UPDATE NOWAIT", "INSERT INTO t VALUES (3, 15)", mariadb.Commit}}},
		[]string{"s0[[] C] s1[[20] 1 C] t[1,10 2,20 3,15]"}},
	{"and one that finds a row the record before too", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT * FROM t FORCE INDEX (kb) WHERE b = 20 ORDER BY a DESC FOR UPDATE", mariadb.Commit},
			{mariadb.Begin, "SELECT b FROM t WHERE a = 1 FOR UPDATE NOWAIT", mariadb.Commit}}},
		[]string{"s0[[2,20] C] s1[!1205] t[1,10 2,20]", "s0[[2,20] C] s1[[10] C] t[1,10 2,20]"}},
	{"so that it comes upon no row that has changed since the view", mariadb.Script{Level: statement.SnapshotReads, Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT NULL, KEY kb (b))"}, Rows: []string{"INSERT INTO t VALUES (1, 10), (2, 10)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT COUNT(*) FROM t", "SELECT * FROM t FORCE INDEX (kb) WHERE b = 10 ORDER BY a DESC FOR UPDATE", mariadb.Commit},
			{"UPDATE t SET b = NULL"}}},
		[]string{"s0[[2] [2,10 1,10] C] s1[2] t[1,NULL 2,NULL]", "s0[[2] [] C] s1[2] t[1,NULL 2,NULL]"}},
	{"texts are in the order of their collation", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{"CREATE TABLE t (a VARCHAR(20) PRIMARY KEY, b INT)"}, Rows: []string{"INSERT INTO t VALUES ('b', 1), ('d', 2)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT a FROM t WHERE a BETWEEN 'B' AND 'c' FOR UPDATE", mariadb.Commit}, {"INSERT INTO t VALUES ('E', 3)"}, {"INSERT INTO t VALUES ('C', 4)"}}},
		[]string{"s0[[b C] C] s1[1] s2[1] t[b,1 C,4 d,2 E,3]", "s0[[b] C] s1[1] s2[1] t[b,1 C,4 d,2 E,3]"}},
	{"a row that is found by its whole primary key stays locked, wanted or not", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT * FROM t WHERE a = 1 AND b > 15 FOR UPDATE", mariadb.Commit}, {"SELECT a FROM t WHERE a = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[] C] s1[!1205] t[1,10 2,20]", "s0[[] C] s1[[1]] t[1,10 2,20]"}},
	{"one that is found by a range does not", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT * FROM t FORCE INDEX (PRIMARY) WHERE a <= 1 AND b > 15 FOR UPDATE", mariadb.Commit}, {"SELECT a FROM t WHERE a = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[] C] s1[[1]] t[1,10 2,20]"}},
	{"nor one that is found by the beginning of its primary key", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b))"}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT * FROM t WHERE a = 1 AND b + 0 = 15 FOR UPDATE", mariadb.Commit}, {"SELECT a FROM t WHERE a = 1 AND b = 10 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[] C] s1[[1]] t[1,10 2,20]"}},
	{"ORDER BY of what has one value does not turn a scan round", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{triples}, Rows: []string{"INSERT INTO t VALUES (1, 10, 1), (2, 10, 2)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT a FROM t FORCE INDEX (kbc) WHERE b = 10 AND c >= 1 ORDER BY b DESC LIMIT 1 FOR UPDATE", mariadb.Commit}, {"SELECT a FROM t WHERE a = 2 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[1] C] s1[[2]] t[1,10,1 2,10,2]"}},
	{"of what has several it does", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{triples}, Rows: []string{"INSERT INTO t VALUES (1, 10, 1), (2, 10, 2)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT a FROM t FORCE INDEX (kbc) WHERE b = 10 AND c >= 1 ORDER BY b DESC, c DESC LIMIT 1 FOR UPDATE", mariadb.Commit}, {"SELECT a FROM t WHERE a = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[2] C] s1[[1]] t[1,10,1 2,10,2]"}},
	{"a range begins behind what a further column leaves out", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{"CREATE TABLE t (a INT, b INT, d INT, PRIMARY KEY (a, b))"}, Rows: []string{"INSERT INTO t VALUES (1, 10, 0), (1, 20, 0)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT b FROM t FORCE INDEX (PRIMARY) WHERE a >= 1 AND b = 20 FOR UPDATE", mariadb.Commit}, {"SELECT b FROM t WHERE a = 1 AND b = 10 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[20] C] s1[[10]] t[1,10,0 1,20,0]"}},
	{"and ends before it", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{triples}, Rows: []string{"INSERT INTO t VALUES (1, 10, 1), (2, 20, 2), (3, 20, 5), (4, 20, 6)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT c FROM t FORCE INDEX (kbc) WHERE b <= 20 AND c <= 2 FOR UPDATE", mariadb.Commit}, {"SELECT a FROM t WHERE a = 4 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[1 2] C] s1[[4]] t[1,10,1 2,20,2 3,20,5 4,20,6]"}},
	{"a descending scan of several values locks the record before one that is not there", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{triples}, Rows: []string{"INSERT INTO t VALUES (1, 10, 1), (2, 20, 2)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT c FROM t FORCE INDEX (kbc) WHERE b IN (15, 25) ORDER BY b DESC FOR UPDATE", mariadb.Commit}, {"SELECT c FROM t FORCE INDEX (kbc) WHERE b = 20 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[] C] s1[!1205] t[1,10,1 2,20,2]", "s0[[] C] s1[[2]] t[1,10,1 2,20,2]"}},
	{"a unique index without nulls comes before one with them", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, c INT NULL, d INT NOT NULL, UNIQUE KEY uc (c), UNIQUE KEY ud (d))"}, Rows: []string{"INSERT INTO t VALUES (1, 1, 1), (2, 2, 2)"}, Tables: []string{"t"},
		Sessions: [][]string{{"INSERT INTO t VALUES (3, 1, 2) ON DUPLICATE KEY UPDATE c = 9"}}},
		[]string{"s0[2] t[1,1,1 2,9,2]"}},
	{"a row that a statement has inserted and undone leaves no lock", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"}, Settings: []string{atOnce}, GoesOn: true,
		Sessions: [][]string{{mariadb.Begin, "INSERT INTO t VALUES (5, 1), (5, 2)", mariadb.Commit}, {"INSERT INTO t VALUES (6, 0)"}}},
		[]string{"s0[!1062 C] s1[1] t[1,10 2,20 6,0]"}},
	{"an UPDATE of two tables locks what it reads at READ COMMITTED too", mariadb.Script{Level: statement.ReadCommitted,
		Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT)", "CREATE TABLE u (a INT PRIMARY KEY, n INT, t INT)"}, Rows: []string{"INSERT INTO t VALUES (1, 1), (2, 2)", "INSERT INTO u VALUES (1, 0, 1), (2, 0, 2)"}, Tables: []string{"t", "u"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE u JOIN t ON t.a = u.t SET u.n = t.b WHERE u.a = 1", mariadb.Commit}, {"SELECT b FROM t WHERE a = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[1 C] s1[!1205] t[1,1 2,2]u[1,1,1 2,0,2]", "s0[1 C] s1[[1]] t[1,1 2,2]u[1,1,1 2,0,2]"}},
	{"and so does a DELETE with a subquery", mariadb.Script{Level: statement.ReadCommitted,
		Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT)", "CREATE TABLE u (a INT PRIMARY KEY, n INT, t INT)"}, Rows: []string{"INSERT INTO t VALUES (1, 1), (2, 2)", "INSERT INTO u VALUES (1, 0, 1), (2, 0, 2)"}, Tables: []string{"t", "u"},
		Sessions: [][]string{{mariadb.Begin, "DELETE FROM u WHERE a = 1 AND EXISTS (SELECT 1 FROM t WHERE a = 1)", mariadb.Commit}, {"SELECT b FROM t WHERE a = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[1 C] s1[!1205] t[1,1 2,2]u[2,0,2]", "s0[1 C] s1[[1]] t[1,1 2,2]u[2,0,2]"}},
	{"an UPDATE of one table does not lock what a subquery reads", mariadb.Script{Level: statement.ReadCommitted,
		Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT)", "CREATE TABLE u (a INT PRIMARY KEY, n INT, t INT)"}, Rows: []string{"INSERT INTO t VALUES (1, 1), (2, 2)", "INSERT INTO u VALUES (1, 0, 1), (2, 0, 2)"}, Tables: []string{"t", "u"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE u SET n = (SELECT b FROM t WHERE a = 1) WHERE a = 1", mariadb.Commit}, {"SELECT b FROM t WHERE a = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[1 C] s1[[1]] t[1,1 2,2]u[1,1,1 2,0,2]"}},
	{"what cascades does not lock the gap before", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{parents, cascade}, Rows: []string{"INSERT INTO p VALUES (1, 1), (2, 2), (3, 3)", "INSERT INTO q VALUES (1, 1), (3, 3)"}, Tables: []string{"q", "p"}, Settings: []string{atOnce},
		Sessions: [][]string{{mariadb.Begin, "DELETE FROM p WHERE a = 3", mariadb.Commit}, {"INSERT INTO q VALUES (2, 2)"}}},
		[]string{"s0[1 C] s1[1] q[1,1 2,2]p[1,1 2,2]"}},
	{"but the one behind", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{parents, cascade}, Rows: []string{"INSERT INTO p VALUES (1, 1), (2, 2), (3, 3)", "INSERT INTO q VALUES (1, 1)"}, Tables: []string{"q", "p"}, Settings: []string{atOnce}, GoesOn: true,
		Sessions: [][]string{{mariadb.Begin, "DELETE FROM p WHERE a = 1", mariadb.Commit}, {"INSERT INTO q VALUES (2, 2)"}}},
		[]string{"s0[1 C] s1[!1205] q[]p[2,2 3,3]", "s0[1 C] s1[1] q[2,2]p[2,2 3,3]"}},
	{"a trigger's UPDATE waits for the row that it writes", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs, counters, countsUp, countsDown}, Rows: []string{pairs12, "INSERT INTO l VALUES (1, 0)"}, Tables: []string{"t", "l"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t SET b = 11 WHERE a = 1", mariadb.Commit}, {mariadb.Begin, "DELETE FROM t WHERE a = 2", "SELECT b FROM l", mariadb.Commit}}},
		[]string{"s0[1 C] s1[1 [-1] C] t[1,11]l[1,0]", "s0[1 C] s1[1 [0] C] t[1,11]l[1,0]"}},
	{"and so at REPEATABLE READ", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs, counters, countsUp, countsDown}, Rows: []string{pairs12, "INSERT INTO l VALUES (1, 0)"}, Tables: []string{"t", "l"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t SET b = 11 WHERE a = 1", mariadb.Commit}, {mariadb.Begin, "UPDATE t SET b = 21 WHERE a = 2", "SELECT b FROM l", mariadb.Commit}}},
		[]string{"s0[1 C] s1[1 [1] C] t[1,11 2,21]l[1,2]", "s0[1 C] s1[1 [2] C] t[1,11 2,21]l[1,2]"}},
	{"a trigger's DELETE waits for rows, and its INSERT … ON DUPLICATE KEY UPDATE for the one that is there", mariadb.Script{Level: statement.ReadCommitted,
		Schema: []string{pairs, counters, "CREATE TRIGGER t1 BEFORE UPDATE ON t FOR EACH ROW DELETE FROM l WHERE a = NEW.b", "CREATE TRIGGER t2 AFTER UPDATE ON t FOR EACH ROW INSERT INTO l VALUES (7, 1) ON DUPLICATE KEY UPDATE b = b + 1"},
		Rows:   []string{pairs12, "INSERT INTO l VALUES (1, 0), (7, 0)"}, Tables: []string{"t", "l"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t SET b = 1 WHERE a = 1", "SELECT b FROM l ORDER BY a", mariadb.Commit}, {mariadb.Begin, "UPDATE t SET b = 8 WHERE a = 2", mariadb.Commit}}},
		[]string{"s0[1 [1] C] s1[1 C] t[1,1 2,8]l[7,2]", "s0[1 [2] C] s1[1 C] t[1,1 2,8]l[7,2]"}},
	{"a trigger's UPDATE locks the row that NEW names, and no other", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{pairs, counters, "CREATE TRIGGER t1 AFTER UPDATE ON t FOR EACH ROW UPDATE l SET b = b + NEW.b WHERE a = NEW.a"}, Rows: []string{pairs12, "INSERT INTO l VALUES (1, 0), (2, 0)"}, Tables: []string{"t", "l"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t SET b = 11 WHERE a = 1", mariadb.Commit}, {"SELECT b FROM l WHERE a = 2 FOR UPDATE NOWAIT"}}},
		[]string{"s0[1 C] s1[[0]] t[1,11 2,20]l[1,11 2,0]"}},
	{"and its DELETE the range of an index, with the gap behind", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{pairs, "CREATE TABLE l (a INT PRIMARY KEY, b INT NOT NULL, c INT NOT NULL, KEY lbc (b, c))", "CREATE TRIGGER t1 AFTER DELETE ON t FOR EACH ROW DELETE FROM l WHERE b = OLD.a AND c >= OLD.b"},
		Rows:   []string{pairs12, "INSERT INTO l VALUES (1, 1, 5), (2, 1, 15), (3, 2, 1), (4, 3, 1)"}, Tables: []string{"t", "l"}, Settings: []string{atOnce},
		Sessions: [][]string{{mariadb.Begin, "DELETE FROM t WHERE a = 1", mariadb.Commit}, {"UPDATE l SET b = b WHERE a = 1", "UPDATE l SET b = b WHERE a = 4", "INSERT INTO l VALUES (5, 1, 20)"}}},
		[]string{"s0[!1205] s1[0 0 1] t[1,10 2,20]l[1,1,5 2,1,15 3,2,1 4,3,1 5,1,20]", "s0[1 C] s1[0 0 !1205] t[2,20]l[1,1,5 3,2,1 4,3,1]", "s0[1 C] s1[0 0 1] t[2,20]l[1,1,5 3,2,1 4,3,1 5,1,20]", "s0[1 C] s1[0 0 1] t[2,20]l[1,1,5 3,2,1 4,3,1]"}},
	{"an error in a trigger that ends the transaction", mariadb.Script{Level: statement.SnapshotReads, Schema: []string{pairs, "CREATE TABLE s (a INT AUTO_INCREMENT PRIMARY KEY, b INT NOT NULL)", "CREATE TRIGGER t1 BEFORE INSERT ON s FOR EACH ROW UPDATE t SET b = b - 1 WHERE a = NEW.b"},
		Rows: []string{pairs12, "DELETE FROM s", "ALTER TABLE s AUTO_INCREMENT = 1"}, Tables: []string{"t", "s"},
		Sessions: [][]string{{"UPDATE t SET b = 5 WHERE a = 1"}, {mariadb.Begin, "SELECT b FROM t WHERE a = 1", "INSERT INTO s (b) VALUES (1), (2)", mariadb.Commit}}},
		[]string{"s0[1] s1[[10] !1020] t[1,5 2,20]s[]", "s0[1] s1[[10] 2 C] t[1,5 2,19]s[1,1 2,2]", "s0[1] s1[[5] 2 C] t[1,4 2,19]s[1,1 2,2]"}},
	{"an UPDATE of two tables", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs, counters}, Rows: []string{pairs12, "INSERT INTO l VALUES (1, 0), (2, 0)"}, Tables: []string{"t", "l"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t JOIN l ON l.a = t.a SET l.b = l.b + 1, t.b = t.b + 1 WHERE t.a < 3", mariadb.Commit}, {"UPDATE l SET b = 7 WHERE a = 1"}}},
		[]string{"s0[4 C] s1[1] t[1,11 2,21]l[1,7 2,1]", "s0[4 C] s1[1] t[1,11 2,21]l[1,8 2,1]"}},
	{"what the index says is known before the row is locked", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, c INT NULL, KEY kb (b))"}, Rows: []string{"INSERT INTO t VALUES (1, 10, 0), (2, 10, 0)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT c FROM t FORCE INDEX (kb) WHERE b = 10 AND a % 2 = 0 FOR UPDATE", mariadb.Commit}, {"SELECT a FROM t WHERE a = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[0] C] s1[[1]] t[1,10,0 2,10,0]"}},
	{"but not to an UPDATE", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, c INT NULL, KEY kb (b))"}, Rows: []string{"INSERT INTO t VALUES (1, 10, 0), (2, 10, 0)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t FORCE INDEX (kb) SET c = 1 WHERE b = 10 AND a % 2 = 0", mariadb.Commit}, {"SELECT a FROM t WHERE a = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[1 C] s1[!1205] t[1,10,0 2,10,1]", "s0[1 C] s1[[1]] t[1,10,0 2,10,1]"}},
	{"nor to a scan backwards", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, c INT NULL, KEY kb (b))"}, Rows: []string{"INSERT INTO t VALUES (1, 10, 0), (2, 10, 0)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT c FROM t FORCE INDEX (kb) WHERE b = 10 AND a % 2 = 0 ORDER BY a DESC FOR UPDATE", mariadb.Commit}, {"SELECT a FROM t WHERE a = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[0] C] s1[!1205] t[1,10,0 2,10,0]", "s0[[0] C] s1[[1]] t[1,10,0 2,10,0]"}},
	{"a range of an index goes on with the primary key", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, c INT NULL, KEY kb (b))"}, Rows: []string{"INSERT INTO t VALUES (1, 10, 0), (3, 10, 0), (5, 10, 0)"}, Tables: []string{"t"}, Settings: []string{atOnce}, GoesOn: true,
		Sessions: [][]string{{mariadb.Begin, "UPDATE t FORCE INDEX (kb) SET c = 1 WHERE b = 10 AND a > 3", mariadb.Commit}, {"INSERT INTO t VALUES (2, 10, 0)"}}},
		[]string{"s0[1 C] s1[1] t[1,10,0 2,10,0 3,10,0 5,10,1]"}},
	{"what excludes values of a unique column is no range", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, c INT NULL, KEY kb (b))"}, Rows: []string{"INSERT INTO t VALUES (1, 10, 0), (2, 20, 0)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t FORCE INDEX (kb) SET c = 1 WHERE b = 10 AND a <> 1", mariadb.Commit}, {"SELECT c FROM t FORCE INDEX (kb) WHERE b = 20 FOR UPDATE NOWAIT"}}},
		[]string{"s0[0 C] s1[[0]] t[1,10,0 2,20,0]"}},
	{"ranges that differ behind a column of several values are one, in the order of the index", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{triples}, Rows: []string{"INSERT INTO t VALUES (1, 10, 7), (2, 20, 5), (3, 30, 5), (4, 40, 7)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT a FROM t FORCE INDEX (kbc) WHERE b > 5 AND c IN (5, 7) ORDER BY b LIMIT 2 FOR UPDATE", mariadb.Commit}, {"SELECT a FROM t WHERE a = 3 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[1 2] C] s1[[3]] t[1,10,7 2,20,5 3,30,5 4,40,7]"}},
	{"an UPDATE goes down the primary key", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t SET b = b + 100 ORDER BY a DESC LIMIT 1", mariadb.Commit}, {"SELECT b FROM t WHERE a = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[1 C] s1[[10]] t[1,10 2,120]"}},
	{"MAX looks at one row", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{"CREATE TABLE t (a INT, b INT, d INT, PRIMARY KEY (a, b))"}, Rows: []string{"INSERT INTO t VALUES (1, 1, 0), (1, 2, 0), (2, 1, 0)"}, Tables: []string{"t"},
		Sessions: [][]string{{mariadb.Begin, "SELECT MAX(b) FROM t WHERE a = 1 FOR UPDATE", mariadb.Commit}, {"SELECT d FROM t WHERE a = 1 AND b = 1 FOR UPDATE NOWAIT"}}},
		[]string{"s0[[2] C] s1[[0]] t[1,1,0 1,2,0 2,1,0]"}},
	{"and is there when there is none", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs}, Tables: []string{"t"},
		Sessions: [][]string{{"SELECT MAX(a) FROM t", "INSERT INTO t SELECT COALESCE(MAX(a), 0) + 1, 5 FROM t"}}},
		[]string{"s0[[NULL] 1] t[1,5]"}},
	{"INSERT … SELECT … FOR UPDATE locks for itself", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs, "CREATE TABLE w (a INT PRIMARY KEY, b INT)"}, Rows: []string{pairs12}, Tables: []string{"t", "w"},
		Sessions: [][]string{{mariadb.Begin, "INSERT INTO w SELECT a, b FROM t WHERE a = 1 FOR UPDATE", mariadb.Commit}, {"SELECT a FROM t WHERE a = 1 LOCK IN SHARE MODE NOWAIT"}}},
		[]string{"s0[1 C] s1[!1205] t[1,10 2,20]w[1,10]", "s0[1 C] s1[[1]] t[1,10 2,20]w[1,10]"}},
	{"an UPDATE of two tables writes both", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT)", "CREATE TABLE u (a INT PRIMARY KEY, n INT, t INT)"}, Rows: []string{"INSERT INTO t VALUES (1, 1), (2, 2)", "INSERT INTO u VALUES (1, 0, 1), (2, 0, 2)"}, Tables: []string{"t", "u"},
		Sessions: [][]string{{"UPDATE u JOIN t ON t.a = u.t SET u.n = t.b, t.b = t.b + 10 WHERE u.a <= 2"}, {"UPDATE t SET b = b + 100 WHERE a = 1"}}},
		[]string{"s0[4] s1[1] t[1,111 2,12]u[1,1,1 2,2,2]", "s0[4] s1[1] t[1,111 2,12]u[1,101,1 2,2,2]"}},
	{"INSERT IGNORE leaves out what references nothing", mariadb.Script{Level: statement.RepeatableRead, Schema: []string{parents, cascade}, Rows: []string{"INSERT INTO p VALUES (1, 1)"}, Tables: []string{"q", "p"},
		Sessions: [][]string{{"INSERT IGNORE INTO q VALUES (1, 9), (2, 1)"}}},
		[]string{"s0[1] q[2,1]p[1,1]"}},
}

// Each program has these outcomes and no others.
func TestScripts(t *testing.T) {
	for _, x := range slices.Concat(scripts, firing) {
		t.Run(x.name, func(t *testing.T) {
			got := sqltest.ScriptOutcomes(t, &x.p, modelLevels[x.p.Level], func(q *program.Program) { script(q, &x.p) })
			if list := slices.Sorted(maps.Keys(got)); !slices.Equal(list, slices.Sorted(slices.Values(x.want))) {
				t.Errorf("got %q", list)
			}
		})
	}
}

// A MariaDB has them.
func TestScriptsOnServer(t *testing.T) {
	server := scratchtest.Start(t, scratch.MariaDB, map[string]string{
		"innodb-flush-log-at-trx-commit": "0", "innodb-doublewrite": "0", "innodb-lock-wait-timeout": "10000"})
	r, err := mariadb.Connect(t.Context(), server.DSN(""), 3)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i, x := range slices.Concat(scripts, firing) {
		t.Run(x.name, func(t *testing.T) { compareScript(t, r, uint64(i), x.p.Explicit()) })
	}
}
