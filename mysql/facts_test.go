package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/dpor/sqltest/corpus"
	"github.com/txmc/txmc/mysql/engine"
	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/mysql/wire"
	"github.com/txmc/txmc/program/rows"
)

// connect returns a connection to a database with a schema, whose rows are variables of a
// Memory.
func connect(t testing.TB, schema string, found bool) *sql.Conn {
	t.Helper()
	b := &base{engine: engine.New("app")}
	memory := rows.NewMemory()
	run := storage.NewRun("seed", 0, memory.Log())
	at := b.pool(run, 0)
	defer at.end()
	if err := (script{Script: rows.Script{Name: "schema", Text: schema}}).run(at); err != nil {
		t.Fatal(err)
	}
	hub := wire.NewHub(b.engine, engine.NewRun(run, 0, true), &scripted{})
	c := driverConfig(hub.Dial)
	c.ClientFoundRows = found
	connector, err := driver.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close(); hub.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// answer is what a statement answers: rows, or "affected n id m", or "error n".
func answer(ctx context.Context, c *sql.Conn, statement string) string {
	if !strings.HasPrefix(statement, "SELECT") {
		r, err := c.ExecContext(ctx, statement)
		if err != nil {
			return failure(err)
		}
		n, _ := r.RowsAffected() // the driver knows both always
		id, _ := r.LastInsertId()
		return fmt.Sprint("affected ", n, " id ", id)
	}
	rows, err := c.QueryContext(ctx, statement)
	if err != nil {
		return failure(err)
	}
	a, err := corpus.Read(rows, recorded)
	if err != nil {
		return failure(err)
	}
	return fmt.Sprint(a.Rows)
}

func failure(err error) string {
	if e := (*driver.MySQLError)(nil); errors.As(err, &e) {
		return fmt.Sprintf("error %d %s", e.Number, e.SQLState)
	}
	return err.Error()
}

const facts = `
CREATE TABLE t (
	id   INT AUTO_INCREMENT PRIMARY KEY,
	n    INT UNSIGNED NOT NULL,
	name VARCHAR(5) NOT NULL UNIQUE,
	kind ENUM ('a', 'b'),
	at   DATETIME,
	CHECK (n < 100)
);
CREATE TABLE child (id INT PRIMARY KEY, t INT NOT NULL, FOREIGN KEY (t) REFERENCES t (id));
INSERT INTO t (n, name) VALUES (1, 'one'), (2, 'two');
INSERT INTO child VALUES (1, 1);`

// What go-mysql-server answers otherwise is put right; the answers are a MariaDB's.
func TestFacts(t *testing.T) {
	c := connect(t, facts, false)
	for _, f := range []struct{ statement, want string }{
		{"INSERT INTO t (n, name) VALUES (3, 'three')", "affected 1 id 3"},
		{"SELECT LAST_INSERT_ID()", "[[3]]"},
		{"INSERT INTO t (n, name) VALUES (4, 'ONE')", "error 1062 23000"}, // one, by the collation
		{"UPDATE t SET name = 'ONE' WHERE id = 1", "affected 1 id 0"},
		{"SELECT name FROM t WHERE name = 'one'", "[[ONE]]"},
		{"UPDATE t SET n = 1 WHERE id = 1", "affected 0 id 0"},
		{"UPDATE t SET n = n - 5 WHERE id = 1", "error 1690 22003"},
		{"UPDATE t SET n = 100 WHERE id = 1", "error 4025 23000"},
		{"INSERT INTO t (n, name) VALUES (-1, 'minus')", "error 1264 22003"},
		{"INSERT INTO t (n, name) VALUES (1, 'too long')", "error 1406 22001"},
		{"INSERT INTO t (n) VALUES (1)", "error 1364 HY000"},
		{"INSERT INTO t (n, name) VALUES (1, NULL)", "error 1048 23000"},
		{"INSERT INTO t (n, name, kind) VALUES (1, 'kind', 'c')", "error 1265 01000"},
		{"INSERT INTO t (n, name, at) VALUES (1, 'at', 'never')", "error 1292 22007"},
		{"INSERT INTO child VALUES (2, 9)", "error 1452 23000"},
		{"DELETE FROM t WHERE id = 1", "error 1451 23000"},
		{"SELECT nothing FROM t", "error 1054 42S22"},
		{"SELECT * FROM nowhere", "error 1146 42S02"},
		{"SELECT nothing()", "error 1305 42000"},
		{"SELECT FROM", "error 1064 42000"},
		{"SELECT AVG(n) FROM t", "[[2.0000]]"},
		{"SELECT n - 5 FROM t WHERE id = 1", "error 1690 22003"},
		{"UPDATE t SET n = -1 WHERE id = 1", "error 1264 22003"},
		{"UPDATE t SET n = '' WHERE id = 1", "error 1366 22007"},
		{"INSERT INTO t (n, name) VALUES ('7x', 'x')", "error 1265 01000"},
		{"INSERT INTO t (id, n, name) VALUES (1, 5, 'x') ON DUPLICATE KEY UPDATE n = n + VALUES(n)", "affected 2 id 1"},
		{"INSERT IGNORE INTO t (id, n, name) VALUES (1, 5, 'x')", "affected 0 id 0"},
		{"CREATE TABLE later (a INT)", "error 1235 42000"},
		{"SELECT GET_LOCK('a', 1)", "error 1235 42000"},
		{"SELECT SLEEP(1000)", "[[0]]"},
		{"SELECT COUNT(*) FROM t FOR SHARE", "[[3]]"},
	} {
		if got := answer(t.Context(), c, f.statement); got != f.want {
			t.Errorf("%s: got %s, want %s", f.statement, got, f.want)
		}
	}
}

// With CLIENT_FOUND_ROWS the rows that are found count as affected.
func TestFoundRows(t *testing.T) {
	c := connect(t, facts, true)
	if got := answer(t.Context(), c, "UPDATE t SET n = 1 WHERE id = 1"); got != "affected 1 id 0" {
		t.Error(got)
	}
}

// A statement that fails undoes what it has done, and the transaction goes on; a savepoint
// undoes more.
func TestStatementRollback(t *testing.T) {
	c := connect(t, facts, false)
	for _, f := range []struct{ statement, want string }{
		{"BEGIN", "affected 0 id 0"},
		{"INSERT INTO t (n, name) VALUES (7, 'seven')", "affected 1 id 3"},
		{"INSERT INTO t (n, name) VALUES (8, 'eight'), (9, 'one')", "error 1062 23000"},
		{"SELECT n FROM t ORDER BY n", "[[1] [2] [7]]"},
		{"SAVEPOINT s", "affected 0 id 0"},
		{"DELETE FROM t WHERE n > 1", "affected 2 id 0"},
		{"ROLLBACK TO s", "affected 0 id 0"},
		{"UPDATE t SET n = n + 1 WHERE n > 1 ORDER BY n DESC", "affected 2 id 0"},
		{"COMMIT", "affected 0 id 0"},
		{"ROLLBACK", "affected 0 id 0"},
		{"SELECT n FROM t ORDER BY n", "[[1] [3] [8]]"},
	} {
		if got := answer(t.Context(), c, f.statement); got != f.want {
			t.Errorf("%s: got %s, want %s", f.statement, got, f.want)
		}
	}
}

// The errors of a schema name the file and the line.
func TestScriptError(t *testing.T) {
	c := newConfig(nil)
	_, _, here, _ := runtime.Caller(0)
	Schema(`CREATE TABLE a (id INT PRIMARY KEY);

/* one
more */ CREATE TABLE a (id INT);`)(c)
	_, err := newBase(c)
	var e *ScriptError
	if !errors.As(err, &e) || e.Line != here+4 || e.Name != "facts_test.go" || e.Err.Number != 1050 {
		t.Error(err)
	}
	c = newConfig(nil)
	SchemaFS(fstest.MapFS{"1.sql": {Data: []byte("-- +goose Up\nCREATE TABLE a (id INT);\n-- +goose Down\nDROP TABLE a;\n")},
		"2.sql": {Data: []byte("\nCREATE TABLE a (id INT);")}}, "*.sql")(c)
	_, err = newBase(c)
	if !errors.As(err, &e) || e.Line != 2 || e.Name != "2.sql" || e.Err.Number != 1050 {
		t.Error(err)
	}
}

// Go code may make the schema and the rows.
func TestCodeMakesTheSchema(t *testing.T) {
	c := newConfig(nil)
	SchemaFunc(func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, "CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, n INT)")
		return err
	})(c)
	SeedFunc(func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, "INSERT INTO a (n) VALUES (?), (?)", 7, 8)
		return err
	})(c)
	b, err := newBase(c)
	if err != nil || fmt.Sprint(b.initial["a/2"]) != "{id:2 n:8}" {
		t.Error(b.initial, err)
	}
	c = newConfig(nil)
	SeedFunc(func(context.Context, *sql.DB) error { return errors.New("no rows") })(c)
	if _, err := newBase(c); err == nil || !strings.HasPrefix(err.Error(), "facts_test.go:") || !strings.HasSuffix(err.Error(), ": the seed: no rows") {
		t.Error(err)
	}
}

// Statements that are prepared are parsed by the protocol's server: it understands what
// others do, and has the code of what it does not.
func TestPrepared(t *testing.T) {
	c := connect(t, facts, false)
	rows, err := c.QueryContext(t.Context(), "SELECT n, name FROM t WHERE id = ? FOR SHARE", 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := corpus.Read(rows, recorded)
	if got := fmt.Sprint(a.Rows, err); got != "[[1 one]] <nil>" {
		t.Error(got)
	}
	if _, ok := a.Rows[0][0].(int64); !ok {
		t.Errorf("a whole number is a %T", a.Rows[0][0])
	}
	if _, err := c.ExecContext(t.Context(), "SELEKT ?", 1); failure(err) != "error 1064 42000" {
		t.Error(err)
	}
	if _, err := c.ExecContext(t.Context(), "INSERT INTO t (n, name) VALUES (?, ?)", 5, nil); failure(err) != "error 1048 23000" {
		t.Error(err)
	}
}

const differing = `
CREATE TABLE p (id INT PRIMARY KEY, v VARCHAR(10), i INT, day DATE, KEY (v));
INSERT INTO p VALUES (1, 'ann', 1, '2024-01-31'), (2, 'bob ', 2, '2024-02-01'), (3, 'Cy', 4, NULL);`

// What is answered otherwise than by a server, without an error, is what docs/mysql.md says.
func TestKnownDifferences(t *testing.T) {
	c := connect(t, differing, false)
	for _, f := range []struct{ statement, got, server string }{
		{"SELECT id FROM p WHERE v IN (SELECT 'x' UNION SELECT 'bob')", "[]", "[[2]]"},
		{"SELECT id FROM p WHERE i = (SELECT i FROM p WHERE id < 3) ORDER BY id", "[[1] [2]]", "error 1242 21000"},
		{"SELECT id FROM p WHERE i < 9223372036854775807 * 2", "[]", "error 1690 22003"},
		{"SELECT CAST(20240102 AS DATE)", "[[<nil>]]", "[[2024-01-02]]"},
		{"SELECT id FROM p WHERE v LIKE BINARY 'A%'", "[[1]]", "[]"},
		{"SELECT JSON_CONTAINS('{}', '1', '$.a'), JSON_KEYS('{\"long\": 1, \"a\": 2}')", "[[<nil> [\"a\", \"long\"]]]", "[[0 [\"long\", \"a\"]]], in MariaDB"},
		{"SELECT PI()", "[[3.141592653589793]]", "[[3.141593]]"},
		{"UPDATE p SET i = i WHERE v IN (1, 2)", "affected 0 id 0", "error 1292 22007"},
		{"UPDATE p, (SELECT 1 AS n) x SET p.v = 'ANN' WHERE p.id = x.n", "affected 0 id 0", "affected 1 id 0"},
		{"SELECT TIME(CAST('2024-01-01 10:00:00.123' AS DATETIME(3)))", "[[10:00:00.123000]]", "[[10:00:00.123]]"},
		{"SELECT COUNT(*) FROM information_schema.views", "[[0]]", "the number of views"},
	} {
		if got := answer(t.Context(), c, f.statement); got != f.got {
			t.Errorf("%s: got %s, want %s (a server: %s): correct docs/mysql.md too", f.statement, got, f.got, f.server)
		}
	}
}

// What a server pads, EXPLAIN, and the number of LAST_INSERT_ID of an argument.
func TestPutRight(t *testing.T) {
	c := connect(t, differing, false)
	for _, f := range []struct{ statement, want string }{
		{"SELECT id FROM p WHERE v IN ('bob', 'bob ', 'bob  ')", "[[2]]"},
		{"SELECT id FROM p FORCE INDEX (v) WHERE v = 'ann ' OR v > 'bob'", "[[1] [3]]"},
		{"UPDATE p SET i = LAST_INSERT_ID(i + 40) WHERE v = 'bob'", "affected 1 id 42"},
		{"SELECT LAST_INSERT_ID()", "[[42]]"},
		{"UPDATE p SET i = 2 WHERE id = 2", "affected 1 id 0"},
		{"SELECT JSON_VALUE('{\"t\": true, \"l\": [1]}', '$.t'), JSON_VALUE('{\"t\": true, \"l\": [1]}', '$.l')", "[[true <nil>]]"},
		{"SELECT STDDEV(i), VARIANCE(i) FROM p", "[[1.247219128924647 1.5555555555555554]]"},
		{"SELECT TIME_TO_SEC('01:00:01'), SEC_TO_TIME(-3661), MAKEDATE(2024, 60), MAKEDATE(2024, 0), UTC_DATE() = CURDATE()", "[[3601 -01:01:01 2024-02-29 <nil> 1]]"},
		{"SELECT GREATEST('a', 'B', 'b '), LEAST('a', 'B'), GREATEST(1, 2.5), LEAST('10', 9)", "[[B a 2.5 9]]"},
		{"SELECT ROUND(2.5e0), ROUND(3.5e0), ROUND(-2.5e0), ROUND(0.125e0, 2), ROUND(2.5), ROUND(15, -1)", "[[2 4 -2 0.12 3 20]]"},
		{"SELECT CASE WHEN id = 1 THEN day ELSE 'none' END FROM p WHERE id < 2", "[[2024-01-31]]"},
		{"SELECT DISTINCT v FROM (SELECT 'a' AS v UNION ALL SELECT 'a ' UNION ALL SELECT 'b') x", "[[a] [b]]"},
		{"INSERT INTO p (id, v) SELECT 1, CONCAT(v, '!') FROM p WHERE id = 3 ON DUPLICATE KEY UPDATE i = i + 1, v = VALUES(v)", "affected 2 id 0"},
		{"INSERT INTO p (id, i) SELECT id, id + 40 FROM p WHERE id < 3 ON DUPLICATE KEY UPDATE i = p.i + VALUES(i)", "affected 4 id 0"},
		{"INSERT INTO p (id, i) SELECT id, i FROM p WHERE id = 2 ON DUPLICATE KEY UPDATE i = VALUES(i) + 1", "affected 2 id 0"},
		{"SELECT id, v, i FROM p ORDER BY id", "[[1 Cy! 43] [2 bob  45] [3 Cy 4]]"},
		{"SELECT FLOOR(d), d FROM (SELECT CAST(2.5 AS DECIMAL(4,1)) AS d) x", "[[2 2.5]]"},
	} {
		if got := answer(t.Context(), c, f.statement); got != f.want {
			t.Errorf("%s: got %s, want %s", f.statement, got, f.want)
		}
	}
	if _, err := c.QueryContext(t.Context(), "EXPLAIN SELECT * FROM p"); err == nil || !strings.Contains(err.Error(), "EXPLAIN has no answer here") {
		t.Error(err)
	}
}

// Outside a strict SQL mode the nearest number that fits is taken.
func TestNearest(t *testing.T) {
	c := connect(t, "CREATE TABLE n (id INT PRIMARY KEY, t TINYINT, u INT UNSIGNED, d DECIMAL(4,1));", false)
	for _, f := range []struct{ statement, want string }{
		{"SET SESSION sql_mode = ''", "affected 0 id 0"},
		{"INSERT INTO n VALUES (1, 300, -1, 12345), (2, '-7x', 'x', '-1e9')", "affected 2 id 0"},
		{"SELECT t, u, d FROM n ORDER BY id", "[[127 0 999.9] [-7 0 -999.9]]"},
		{"UPDATE n SET u = -5, t = -200 WHERE id = 1", "affected 1 id 0"},
		{"SELECT t, u FROM n WHERE id = 1", "[[-128 0]]"},
	} {
		if got := answer(t.Context(), c, f.statement); got != f.want {
			t.Errorf("%s: got %s, want %s", f.statement, got, f.want)
		}
	}
}

// Numbers of AUTO_INCREMENT that triggers make are not those of the statement. The answers are a MariaDB's.
func TestNumbersOfTriggers(t *testing.T) {
	c := connect(t, `CREATE TABLE o (id INT AUTO_INCREMENT PRIMARY KEY, n INT);
CREATE TABLE a (id INT PRIMARY KEY, n INT);
CREATE TABLE log (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(20));
CREATE TRIGGER o_log AFTER INSERT ON o FOR EACH ROW INSERT INTO log (what) VALUES (NEW.id);
CREATE TRIGGER a_log AFTER UPDATE ON a FOR EACH ROW INSERT INTO log (what) VALUES (NEW.id);
CREATE TRIGGER a_new BEFORE INSERT ON a FOR EACH ROW INSERT INTO log (what) VALUES (NEW.id);
INSERT INTO log (what) VALUES ('first'), ('second'), ('third');
INSERT INTO a VALUES (1, 1)`, false)
	for _, f := range []struct{ statement, want string }{
		{"INSERT INTO o (n) VALUES (5), (6)", "affected 2 id 1"},
		{"SELECT LAST_INSERT_ID()", "[[1]]"},
		{"INSERT INTO a VALUES (2, 2)", "affected 1 id 0"},
		{"UPDATE a SET n = 7", "affected 2 id 0"},
		{"SELECT LAST_INSERT_ID()", "[[1]]"},
		{"INSERT INTO o (n) VALUES (7)", "affected 1 id 3"},
		{"SELECT LAST_INSERT_ID()", "[[3]]"},
		{"INSERT INTO o VALUES (10, 7)", "affected 1 id 10"},
		{"SELECT LAST_INSERT_ID()", "[[3]]"},
		{"UPDATE a SET n = LAST_INSERT_ID(40) WHERE id = 1", "affected 1 id 40"},
		{"SELECT LAST_INSERT_ID()", "[[40]]"},
		{"REPLACE INTO o (n) VALUES (8)", "affected 1 id 11"},
		{"SELECT LAST_INSERT_ID()", "[[11]]"},
		{"SELECT id, n FROM o ORDER BY id", "[[1 5] [2 6] [3 7] [10 7] [11 8]]"},
		{"SELECT COUNT(*), MAX(id) FROM log", "[[13 13]]"},
	} {
		if got := answer(t.Context(), c, f.statement); got != f.want {
			t.Errorf("%s: got %s, want %s", f.statement, got, f.want)
		}
	}
}
