package model_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// Random programs that name tables in several places of a statement: with locking clauses in some
// of them, by views, in statements that write, in triggers, and at the ends of indexes.

var (
	referencePrograms = flag.Int("reference-programs", 3, "random programs with subqueries, views, triggers and ends of indexes, at each level on a real server")
	referenceSeed     = flag.Uint64("reference-seed", 1, "the first program's seed")
)

// referenceForms are statements. In them {K} and {L} are keys of w, {A} and {B} are keys of t, {N} is a
// key that no row has, and {c} and {C} are locking clauses.
var referenceForms = [][]string{{
	"SELECT n FROM c WHERE id = 'A'{C}", "SELECT id, n FROM c WHERE id >= 'b'{C}", "UPDATE c SET n = n - 150 WHERE id = 'A'", "UPDATE c SET id = 'B' WHERE n < -4", "INSERT INTO c VALUES ('Aa', (SELECT n - 300 FROM c x WHERE x.id = 'b'{c}))", "INSERT INTO c VALUES ('A', 1) ON DUPLICATE KEY UPDATE n = -n - 9",
	"DELETE FROM c WHERE id IN ('B', 'x')", "SELECT COUNT(*), SUM(n) FROM c WHERE id < 'c'{C}", "SELECT MIN(n), MAX(id) FROM c{C}", "UPDATE c JOIN w ON w.k = {K} SET c.n = w.n - 200 WHERE c.id = 'b'", "SELECT n - 150, -d FROM t, c WHERE a = {A} AND id = 'a'{C}",
}, {
	"SELECT (SELECT n FROM w WHERE k = {K}{c}) AS q, d FROM t WHERE a = {A}{C}", "SELECT d FROM t WHERE a = {A} AND d < (SELECT n FROM w WHERE k = {K}{c}){C}", "SELECT d FROM t WHERE a = {A} AND EXISTS (SELECT 1 FROM w WHERE k = {K}{c}){C}",
	"SELECT x.n FROM (SELECT n FROM w WHERE k = {K}{c}) x{C}", "SELECT x.s FROM (SELECT SUM(n) s FROM w{c}) x{C}", "SELECT x.n FROM (SELECT n FROM w WHERE k >= {K} ORDER BY k LIMIT 2{c}) x LIMIT 1",
	"WITH x AS (SELECT n FROM w WHERE k = {K}{c}) SELECT n FROM x{C}", "WITH x AS (SELECT n FROM w WHERE k = {K}{c}) SELECT p.n, q.n FROM x p, x q", "WITH t AS (SELECT n FROM w WHERE k = {K}{c}) SELECT n FROM t{C}",
	"WITH RECURSIVE x AS ((SELECT n, 1 AS i FROM w WHERE k = {K}{c}) UNION ALL SELECT n, i + 1 FROM x WHERE i < 3) SELECT n, i FROM x",
	"(SELECT n FROM w WHERE k = {K}{c}) UNION ALL (SELECT d FROM t WHERE a = {A}{C})", "SELECT n FROM w WHERE k = {K} UNION ALL SELECT d FROM t WHERE a = {A}{C}",
	"SELECT n FROM v WHERE k = {K}{C}", "SELECT m FROM vv WHERE o = {K}{C}", "SELECT a, m FROM vs WHERE a = {A}{C}", "SELECT s FROM vg{C}",
	"SELECT x.d, y.d FROM t x, t y WHERE x.a = {A} AND y.a = {B}{C}", "SELECT d FROM test.t WHERE test.t.a = {A}{C}",
}, {
	"SELECT MAX(b) FROM t{C}", "SELECT MIN(b) FROM t{C}", "SELECT MAX(a) + 1 FROM t{C}", "SELECT b, d FROM t ORDER BY b DESC LIMIT 1{C}", "SELECT (SELECT MAX(b) FROM t{c}) m, n FROM w WHERE k = {K}{C}", "SET @x = (SELECT MAX(b) FROM t)",
	"INSERT INTO t SELECT {N}, MAX(b) + 1, 0 FROM t", "INSERT INTO t SELECT MAX(a) + 1, 15, 0 FROM t", "INSERT INTO z SELECT {N}, MIN(b) FROM t{c}", "UPDATE z SET x = (SELECT MAX(b) FROM t) WHERE id = 1", "DELETE FROM t ORDER BY b DESC LIMIT 1", "UPDATE t SET d = 9 ORDER BY b LIMIT 1",
}, {
	"SET @x = (SELECT n FROM w WHERE k = {K}{c})", "SELECT n INTO @x FROM w WHERE k = {K}{C}", "DO (SELECT n FROM w WHERE k = {K})", "UPDATE w SET n = @x + 1 WHERE k = {K}",
}, {
	"INSERT INTO z VALUES ({N}, (SELECT n FROM w WHERE k = {K}{c}))", "INSERT INTO z SELECT {N}, n FROM w WHERE k = {K}{c}", "INSERT INTO z SELECT {N}, n FROM v WHERE k = {K}", "INSERT INTO z SELECT {N}, (SELECT d FROM t WHERE a = {A}{c}) FROM w WHERE k = {K}", "INSERT INTO z SELECT k + 40, n FROM w WHERE k = {K} UNION ALL SELECT a + 60, d FROM t WHERE a = {A}{c}",
	"INSERT INTO z SELECT {N}, x.n FROM (SELECT n FROM w WHERE k = {K}{c}) x", "INSERT INTO z VALUES (1, 2) ON DUPLICATE KEY UPDATE x = (SELECT n FROM w WHERE k = {K}{c})", "REPLACE INTO z SELECT 1, n FROM w WHERE k = {K}", "REPLACE INTO z VALUES (1, (SELECT n FROM w WHERE k = {K}))",
	"UPDATE z SET x = (SELECT n FROM w WHERE k = {K}{c}) WHERE id = 1", "UPDATE z, w SET x = n + 1 WHERE id = 1 AND k = {K}", "UPDATE z p JOIN w q ON q.k = {K} SET p.x = q.n WHERE p.id = 1", "UPDATE w SET n = n + (SELECT d FROM t WHERE a = {A}) WHERE k = {K}", "UPDATE z SET x = (SELECT y.x FROM z y WHERE y.id = 1) + 1 WHERE id = 1",
	"DELETE FROM z WHERE id = 1 AND EXISTS (SELECT 1 FROM w WHERE k = {K}{c})", "DELETE z FROM z JOIN w ON w.k = {K} WHERE z.id = 1", "DELETE FROM q USING z q JOIN w ON w.k = {K} WHERE q.id = 1",
	"UPDATE v SET n = n + 1 WHERE k = {K}", "UPDATE vv SET m = m - 30 WHERE o = {K}", "UPDATE v SET k = k + 20", "DELETE FROM vv WHERE o = {K}", "DELETE FROM v ORDER BY k LIMIT 1", "INSERT INTO v VALUES ({N}, 1)", "INSERT INTO vv (o, m) VALUES ({K}, 1)", "REPLACE INTO v VALUES ({K}, 4)",
}, {
	"INSERT INTO g VALUES (1, {K}) ON DUPLICATE KEY UPDATE k = k + 1", "INSERT INTO g VALUES ({N}, 3), (1, {K}) ON DUPLICATE KEY UPDATE k = VALUES(k)", "INSERT INTO g VALUES ({N}, {K})", "INSERT INTO g SELECT {N}, k FROM w WHERE k = {K}", "UPDATE g SET k = {K} WHERE id = 1", "UPDATE g JOIN z ON z.id = 1 SET g.k = g.k + 1 WHERE g.id = 1", "DELETE FROM g WHERE id = 1",
}}

// referenceLooks are statements that meet the locks of the others.
var referenceLooks = []string{"UPDATE w SET n = n + 7 WHERE k = {K}", "UPDATE t SET d = d + 7 WHERE a = {A}", "UPDATE t SET b = b + 11 WHERE a = {A}", "INSERT INTO t VALUES ({N}, 35, 1)", "INSERT INTO t VALUES ({N}, 5, 1)", "INSERT INTO w VALUES (6, 1)", "DELETE FROM w WHERE k = {K}", "SELECT n FROM w WHERE k = {K} FOR UPDATE", "SELECT d FROM t WHERE a = {A} LOCK IN SHARE MODE", "UPDATE z SET x = x + 1 WHERE id = 1"}

// referenceBodies are what a trigger on g does.
var referenceBodies = []string{
	"BEGIN DECLARE q INT; SELECT n INTO q FROM w WHERE k = {r}.k; UPDATE z SET x = q + 1 WHERE id = 1; END", "BEGIN DECLARE q INT; SELECT n INTO q FROM w WHERE k = {K}; UPDATE w SET n = q + 1 WHERE k = {K}; END", "BEGIN DECLARE q INT; SET q = (SELECT n FROM w WHERE k = {K}); UPDATE z SET x = q WHERE id = 1; END",
	"BEGIN DECLARE q INT; SELECT n INTO q FROM w WHERE k = {K} FOR UPDATE; UPDATE z SET x = q + 1 WHERE id = 1; END", "BEGIN IF (SELECT n FROM w WHERE k = {K}) > 15 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'; END IF; END", "BEGIN IF EXISTS (SELECT 1 FROM w WHERE k = 6) THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'; END IF; END",
	"UPDATE z SET x = (SELECT n FROM v WHERE k = {K}) WHERE id = 1", "INSERT INTO z SELECT {r}.id + 100, n FROM w WHERE k = {K}", "DELETE FROM z WHERE id = 1 AND EXISTS (SELECT 1 FROM w WHERE k = {K})",
}

// referenceScript is a random program.
func referenceScript(seed uint64, level string) *mariadb.Script {
	r := rand.New(rand.NewPCG(seed, 5))
	p := &mariadb.Script{Level: level, Settings: []string{"SET @x = 3"}, Tables: []string{"c", "g", "t", "w", "z"},
		Schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, d INT NOT NULL, KEY k (b))", "CREATE TABLE w (k INT PRIMARY KEY, n INT NOT NULL)", "CREATE TABLE z (id INT PRIMARY KEY, x INT)", "CREATE TABLE g (id INT PRIMARY KEY, k INT NOT NULL)", "CREATE TABLE c (id VARCHAR(10) PRIMARY KEY, n INT NOT NULL)",
			"CREATE OR REPLACE VIEW v AS SELECT k, n FROM w WHERE k > 0", "CREATE OR REPLACE VIEW vv (m, o) AS SELECT n, k FROM v", "CREATE OR REPLACE VIEW vs AS SELECT a, b, (SELECT n FROM w WHERE k = 5) m FROM t", "CREATE OR REPLACE VIEW vg AS SELECT SUM(n) s FROM w"},
		Rows: []string{"INSERT INTO t VALUES (1, 10, 5), (3, 20, 8), (5, 30, 2)", "INSERT INTO w VALUES (5, 20), (8, 10)", "INSERT INTO z VALUES (1, 1)", "INSERT INTO g VALUES (1, 8)", "INSERT INTO c VALUES ('a', 1), ('b', -5)"}}
	kinds := [][]string{referenceForms[r.IntN(len(referenceForms))], referenceForms[r.IntN(len(referenceForms)-1)], referenceLooks}
	if &kinds[0][0] == &referenceForms[len(referenceForms)-1][0] {
		event, row := [...]string{"AFTER INSERT", "BEFORE UPDATE", "AFTER DELETE"}[r.IntN(3)], "NEW"
		if event == "AFTER DELETE" {
			row = "OLD"
		}
		body := strings.ReplaceAll(referenceBodies[r.IntN(len(referenceBodies))], "{r}", row)
		p.Schema = append(p.Schema, "CREATE TRIGGER fired "+event+" ON g FOR EACH ROW "+filled(r, body, 90))
		if event == "AFTER INSERT" {
			p.Rows[3] = "INSERT INTO g SELECT 1, 8 FROM dual WHERE 1 = 0"
		}
	}
	for i := range 2 {
		var s []string
		for range 2 {
			list := kinds[r.IntN(len(kinds))]
			s = append(s, filled(r, list[r.IntN(len(list))], 11+i*10+len(s)))
		}
		if r.IntN(4) > 0 {
			s = slices.Concat([]string{mariadb.Begin}, s, []string{mariadb.Commit})
		}
		p.Sessions = append(p.Sessions, s)
	}
	return p
}

// filled is a statement with its places filled. It has no clauses that do not go together.
func filled(r *rand.Rand, text string, free int) string {
	for {
		if s := oneFilled(r, text, free); !strings.Contains(s, "NOWAIT") || !strings.Contains(s, "SKIP LOCKED") {
			return s
		}
	}
}

func oneFilled(r *rand.Rand, text string, free int) string {
	clauses := []string{"", "", " FOR UPDATE", " LOCK IN SHARE MODE", " FOR UPDATE SKIP LOCKED", " LOCK IN SHARE MODE NOWAIT"}
	keys := []string{"5", "8", "6"}
	a, b := r.IntN(3)*2+1, r.IntN(3)*2+1
	for place, with := range map[string]string{"{N}": fmt.Sprint(free), "{A}": fmt.Sprint(a), "{B}": fmt.Sprint(b)} {
		text = strings.ReplaceAll(text, place, with)
	}
	for _, place := range []string{"{K}", "{c}", "{C}"} {
		of := clauses
		if place == "{K}" {
			of = keys
		}
		text = strings.ReplaceAll(text, place, of[r.IntN(len(of))])
	}
	return text
}

// TestReferencesOnServer compares random programs with a MariaDB server that it starts, where one is
// installed.
func TestReferencesOnServer(t *testing.T) {
	server := scratchtest.Start(t, scratch.MariaDB, map[string]string{
		"innodb-flush-log-at-trx-commit": "0", "innodb-doublewrite": "0", "innodb-lock-wait-timeout": "10000"})
	r, err := mariadb.Connect(t.Context(), server.DSN(""), 2)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, level := range mariadb.Levels {
		t.Run(level, func(t *testing.T) {
			equal := 0
			for seed := *referenceSeed; seed < *referenceSeed+uint64(*referencePrograms); seed++ {
				if compareScript(t, r, seed, referenceScript(seed, level)) {
					equal++
				}
			}
			t.Logf("%d programs, the outcomes of %d are equal, of the others but for the victims of deadlocks", *referencePrograms, equal)
		})
	}
}
