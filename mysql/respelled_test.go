package mysql

import (
	"fmt"
	"strings"
	"testing"
)

const respelled = `
CREATE TABLE parent (id INT PRIMARY KEY, n INT);
CREATE TABLE t (id INT PRIMARY KEY, g VARCHAR(5), h INT, v INT, d DATE);
CREATE TABLE child (id INT PRIMARY KEY, p INT NOT NULL REFERENCES parent (id) ON DELETE CASCADE ON UPDATE CASCADE, r INT REFERENCES parent (id));
INSERT INTO parent VALUES (1, 1), (2, 2), (3, 3);
INSERT INTO child VALUES (1, 1, 3), (2, 2, NULL);
INSERT INTO t VALUES (1, 'a', 1, 10, '2024-01-02'), (2, 'a', 2, 20, '2024-02-03'), (3, 'b', 1, 30, '2025-01-01'), (4, 'B', NULL, 40, NULL);`

// What the parser does not know has the answers of a MariaDB 10.11.
func TestRespelled(t *testing.T) {
	for name, facts := range map[string][]struct{ statement, want string }{
		"user variables": {
			{"SELECT @x := v FROM t WHERE id = 2", "[[20]]"},
			{"SELECT @x", "[[20]]"},
			{"SELECT id, @none := @none + 1 FROM t WHERE id < 3 ORDER BY id", "[[1 <nil>] [2 <nil>]]"},
			{"SELECT id, v - @prev, @prev := v FROM t WHERE id < 3 ORDER BY id", "[[1 <nil> 10] [2 <nil> 20]]"},
			{"SELECT id, v - @prev, @prev := v FROM t WHERE id < 3 ORDER BY id", "[[1 -10 10] [2 10 20]]"},
			{"SELECT id, @u := id, @u + 1 FROM t ORDER BY id", "[[1 1 2] [2 2 3] [3 3 4] [4 4 5]]"},
			{"SELECT id, @s := @s + v AS total FROM t, (SELECT @s := 0) init ORDER BY id", "[[1 10] [2 30] [3 60] [4 100]]"},
			{"SELECT @a := @b := 7", "[[7]]"},
			{"SELECT @a, @b, @undefined", "[[7 7 <nil>]]"},
			{"SELECT COUNT(*) INTO @n FROM t", "[]"},
			{"SET @m := @n + 1, @i = 0", "affected 0 id 0"},
			{"SELECT @m", "[[5]]"},
			{"UPDATE t SET v = (@old := v) + 1 WHERE id = 1", "affected 1 id 0"},
			{"SELECT @old", "[[10]]"},
			{"UPDATE t SET h = (@i := @i + 1) ORDER BY id DESC", "affected 4 id 0"},
			{"SELECT id, h, v FROM t ORDER BY id", "[[1 4 11] [2 3 20] [3 2 30] [4 1 40]]"},
			{"INSERT INTO t (id, v) SELECT id + 20, @z := v FROM t WHERE id = 2", "affected 1 id 0"},
			{"SELECT id FROM t WHERE v = @z ORDER BY id", "[[2] [22]]"},
		},
		"ANY and ALL": {
			{"SELECT id FROM t WHERE v = ANY (SELECT v FROM t WHERE h = 1) ORDER BY id", "[[1] [3]]"},
			{"SELECT id FROM t WHERE v = SOME (SELECT v FROM t WHERE h = 1) ORDER BY id", "[[1] [3]]"},
			{"SELECT id FROM t WHERE v <> ALL (SELECT v FROM t WHERE h = 1) ORDER BY id", "[[2] [4]]"},
			{"SELECT id FROM t WHERE v > ALL (SELECT v FROM t WHERE h = 1) ORDER BY id", "[[4]]"},
			{"SELECT id FROM t WHERE v > ANY (SELECT v FROM t WHERE h = 1) ORDER BY id", "[[2] [3] [4]]"},
			{"SELECT id FROM t WHERE v <> ANY (SELECT 10) ORDER BY id", "[[2] [3] [4]]"},
			{"SELECT id FROM t WHERE v > ALL (SELECT v FROM t WHERE h = 99) ORDER BY id", "[[1] [2] [3] [4]]"},
			{"SELECT id FROM t WHERE v > ANY (SELECT v FROM t WHERE h = 99) ORDER BY id", "[]"},
			{"SELECT 1 > ALL (SELECT NULL), 2 > ALL (SELECT 1 UNION SELECT NULL), 2 > ANY (SELECT 1 UNION SELECT NULL), 0 > ALL (SELECT 1 UNION SELECT NULL)", "[[<nil> <nil> 1 0]]"},
			{"SELECT o.id FROM t o WHERE o.v >= ALL (SELECT i.v FROM t i WHERE i.g = o.g) ORDER BY o.id", "[[2] [4]]"},
			{"SELECT id FROM t WHERE g >= ALL (SELECT 'B  ') ORDER BY id", "[[3] [4]]"},
			{"SELECT id FROM t WHERE NOT (h > ALL (SELECT 1)) ORDER BY id", "[[1] [3]]"},
			{"UPDATE t SET h = 9 WHERE v > 10 * ALL (SELECT 1)", "error 1064 42000"},
			{"UPDATE t SET h = 9 WHERE v >= ALL (SELECT n * 10 FROM parent)", "affected 2 id 0"},
		},
		"ROLLUP": {
			{"SELECT g, SUM(v) FROM t GROUP BY g WITH ROLLUP", "[[a 30] [b 70] [<nil> 100]]"},
			{"SELECT h, g, COUNT(*) FROM t GROUP BY h, g WITH ROLLUP", "[[<nil> B 1] [<nil> <nil> 1] [1 a 1] [1 b 1] [1 <nil> 2] [2 a 1] [2 <nil> 1] [<nil> <nil> 4]]"},
			{"SELECT YEAR(d) AS y, MONTH(d), AVG(v) FROM t WHERE id < 4 GROUP BY y, MONTH(d) WITH ROLLUP",
				"[[2024 1 10.0000] [2024 2 20.0000] [2024 <nil> 15.0000] [2025 1 30.0000] [2025 <nil> 30.0000] [<nil> <nil> 20.0000]]"},
			{"SELECT YEAR(d), MONTH(d) FROM t WHERE id = 1 GROUP BY 1, 2 WITH ROLLUP", "[[2024 1] [2024 <nil>] [<nil> <nil>]]"},
			{"SELECT COALESCE(g, 'total'), SUM(v) FROM t GROUP BY g WITH ROLLUP HAVING SUM(v) > 50", "[[b 70] [total 100]]"},
			{"SELECT x.s FROM (SELECT SUM(v) AS s FROM t GROUP BY g WITH ROLLUP) x ORDER BY x.s DESC", "[[100] [70] [30]]"},
			{"SELECT g FROM t WHERE id = 9 GROUP BY g WITH ROLLUP", "[]"},
		},
		"foreign keys beside columns": {
			{"DELETE FROM parent WHERE id = 3", "error 1451 23000"},
			{"DELETE FROM parent WHERE id = 2", "affected 1 id 0"},
			{"UPDATE parent SET id = 7 WHERE id = 1", "affected 1 id 0"},
			{"SELECT * FROM child", "[[1 7 3]]"},
			{"INSERT INTO child VALUES (5, 99, NULL)", "error 1452 23000"},
			{"INSERT INTO child VALUES (5, 7, 99)", "error 1452 23000"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, respelled, false)
			for _, f := range facts {
				if got := answer(t.Context(), c, f.statement); got != f.want {
					t.Errorf("%s: got %s, want %s", f.statement, got, f.want)
				}
			}
		})
	}
}

// The columns of a result have the names that they are written with, and so has an error the
// statement.
func TestRespelledNames(t *testing.T) {
	c := connect(t, respelled, false)
	rows, err := c.QueryContext(t.Context(), "SELECT @x := v, v > ALL (SELECT 1), ? AS arg FROM t WHERE id = @y := 1", 5)
	if err != nil {
		t.Fatal(err)
	}
	names, err := rows.Columns()
	if got := strings.Join(names, "|"); err != nil || got != "@x := v|v > ALL  (SELECT 1)|arg" {
		t.Error(got, err)
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.ExecContext(t.Context(), "SELECT @x := v FRM t"); err == nil || !strings.HasSuffix(err.Error(), "SELECT @x := v FRM t") {
		t.Error(err)
	}
}

// What would be done silently, and is not explored, says what to do.
func TestRefused(t *testing.T) {
	c := connect(t, respelled, false)
	for statement, says := range map[string]string{
		"LOCK TABLES t WRITE":               "SELECT … FOR UPDATE",
		"FLUSH TABLES WITH READ LOCK":       "SELECT … FOR SHARE",
		"KILL 5":                            "close the connection",
		"CALL p()":                          "from Go",
		"SET GLOBAL max_connections = 5":    "SET SESSION",
		"SET @@global.max_connections = 5":  "SET SESSION",
		"CREATE TEMPORARY TABLE x (id INT)": "derived table",
		"CREATE PROCEDURE p() SELECT 1":     "from Go",
		"CREATE EVENT e ON SCHEDULE EVERY 1 HOUR DO DELETE FROM t": "a session",
		"SELECT GET_LOCK('a', 1)":                                  "lock a row by SELECT … FOR UPDATE",
		"SELECT v FROM t INTO OUTFILE '/nowhere/x'":                "write the file in Go",
		"LOAD DATA INFILE 'x' INTO TABLE t":                        "send INSERT",
		"PREPARE s FROM 'UPDATE t SET v = 1'":                      "which the driver prepares",
		"EXECUTE s":                                                "which the driver prepares",
		"COMMIT RELEASE":                                           "close the connection",
		"CREATE FUNCTION f() RETURNS INT RETURN 1":                 "into the statements",
		"SELECT v FROM t WHERE MATCH (g) AGAINST ('a')":            "LIKE",
		"UPDATE t SET v = 1 WHERE MATCH (g) AGAINST (1)":           "LIKE",
		"DO GET_LOCK('a', 1)":                                      "lock a row by SELECT … FOR UPDATE",
		"SELECT IS_USED_LOCK('a')":                                 "use IS_FREE_LOCK",
	} {
		if _, err := c.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "is not explored") && !strings.Contains(err.Error(), "are not explored") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	for _, statement := range []string{"DO SLEEP(1), 2", "SET TRANSACTION READ WRITE", "SET tx_isolation = 'READ-COMMITTED'", "COMMIT", "UNLOCK TABLES", "SET SESSION max_error_count = 5", "SET @a = 1"} {
		if got := answer(t.Context(), c, statement); got != "affected 0 id 0" {
			t.Errorf("%s: %s", statement, got)
		}
	}
}

// What a session says in old words, or with little, counts.
func TestSaid(t *testing.T) {
	c := connect(t, "CREATE TABLE doc (id INT PRIMARY KEY, body TEXT, FULLTEXT KEY fb (body)); CREATE FULLTEXT INDEX two ON doc (body); ALTER TABLE doc ADD FULLTEXT INDEX (body), ADD n INT; "+
		"ALTER TABLE doc ADD FULLTEXT INDEX (body); INSERT INTO doc VALUES (1, 'a', 1), (2, 'b', 2); CREATE TABLE word (id INT PRIMARY KEY, doc INT); INSERT INTO word VALUES (5, 1), (6, 1)", false)
	for _, f := range []struct{ statement, want string }{
		{"SET SESSION tx_isolation = 'SERIALIZABLE'", "affected 0 id 0"},
		{"SELECT @@tx_isolation, @@session.tx_isolation, @@transaction_isolation", "[[SERIALIZABLE SERIALIZABLE SERIALIZABLE]]"},
		{"SELECT SYSDATE(6) = NOW(6)", "[[1]]"},
		{"SELECT body INTO @b FROM doc", "error 1172 42000"},
		{"DELETE doc, word FROM doc JOIN word ON doc = doc.id", "affected 3 id 0"},
	} {
		if got := answer(t.Context(), c, f.statement); got != f.want {
			t.Errorf("%s: got %s, want %s", f.statement, got, f.want)
		}
	}
}

// A dump's LOCK TABLES is taken in a seed; a procedure is not.
func TestScriptsOfDumps(t *testing.T) {
	c := newConfig(nil)
	Schema("CREATE TABLE a (id INT PRIMARY KEY);")(c)
	Seed("LOCK TABLES a WRITE;\nINSERT INTO a VALUES (1);\nUNLOCK TABLES;")(c)
	b, err := newBase(c)
	if err != nil || fmt.Sprint(b.initial["a/1"]) != "{id:1}" {
		t.Error(b.initial, err)
	}
	c = newConfig(nil)
	Schema("CREATE PROCEDURE p() SELECT 1;")(c)
	if _, err := newBase(c); err == nil || !strings.Contains(err.Error(), "stored procedures are not explored") {
		t.Error(err)
	}
}
