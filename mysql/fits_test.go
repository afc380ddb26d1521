package mysql

import (
	"fmt"
	"strings"
	"testing"
)

// TestFits holds these against MariaDB's answers: a value that does not fit in ON
// DUPLICATE KEY UPDATE, with IGNORE and behind blanks, and the words of errors for the
// column's kind.
func TestFits(t *testing.T) {
	c := connect(t, "CREATE TABLE f (id INT PRIMARY KEY, n INT UNSIGNED, d DECIMAL(5,2), x DOUBLE); INSERT INTO f VALUES (1, 1, 1, 1), (2, 1, 1, 1), (3, 4, 2, 1)", false)
	for _, f := range []struct{ statement, want string }{
		{"INSERT INTO f (id) VALUES (1) ON DUPLICATE KEY UPDATE n = -1", "error 1264 22003"},
		{"INSERT INTO f (id) VALUES (1) ON DUPLICATE KEY UPDATE n = 'x'", "error 1366 22007"},
		{"INSERT IGNORE INTO f (id) VALUES (1) ON DUPLICATE KEY UPDATE n = -1", "affected 2 id 0"},
		{"SELECT n FROM f WHERE id = 1", "[[0]]"},
		{"UPDATE IGNORE f SET n = ' 7x' WHERE id = 1", "affected 1 id 0"},
		{"SELECT n FROM f WHERE id = 1", "[[7]]"},
		{"SELECT AVG(DISTINCT n), SUM(DISTINCT n) FROM f WHERE id > 1", "[[2.5000 5]]"},
		{"SELECT AVG(DISTINCT id DIV 2), SUM(DISTINCT id DIV 2) FROM f", "[[0.5000 1]]"},
		{"SELECT AVG(n) OVER (), SUM(n) OVER () FROM f WHERE id = 2", "[[1.0000 1]]"},
		{"SELECT AVG(n) OVER (ORDER BY id), SUM(n) OVER (ORDER BY id), SUM(d / 3) OVER (ORDER BY id) FROM f", "[[7.0000 7 0.333333] [4.0000 8 0.666666] [4.0000 12 1.333333]]"},
		{"SELECT SUM(d + 0.1) OVER (), SUM(NULLIF(n, n)) OVER (), AVG(NULLIF(n, n)) OVER () FROM f WHERE id < 3", "[[2.20 <nil> <nil>] [2.20 <nil> <nil>]]"},
		{"SELECT SUM(d), SUM(d) / 3 FROM f", "[[4.00 1.333333]]"},
		{"UPDATE IGNORE f SET d = 99999 WHERE id = 1", "affected 1 id 0"},
		{"SELECT d FROM f WHERE id = 1", "[[999.99]]"},
	} {
		if got := answer(t.Context(), c, f.statement); got != f.want {
			t.Errorf("%s: got %s, want %s", f.statement, got, f.want)
		}
	}
	for column, kind := range map[string]string{"n": "integer", "d": "decimal", "x": "double"} {
		_, err := c.ExecContext(t.Context(), "UPDATE f SET "+column+" = 'y' WHERE id = 1")
		if err == nil || !strings.Contains(err.Error(), "Incorrect "+kind+" value: 'y' for column") {
			t.Errorf("%s: %v", column, err)
		}
	}
}

// A REPLACE whose trigger the engine would not fire is refused, and changes nothing.
func TestReplacedWithTrigger(t *testing.T) {
	c := connect(t, "CREATE TABLE r (id INT PRIMARY KEY, v INT); CREATE TABLE gone (n INT); CREATE TRIGGER x AFTER DELETE ON r FOR EACH ROW INSERT INTO gone VALUES (OLD.id); INSERT INTO r VALUES (1, 1)", false)
	for _, f := range []struct{ statement, want string }{
		{"REPLACE INTO r VALUES (1, 1)", "error 1235 42000"},
		{"SELECT COUNT(*) FROM gone", "[[0]]"},
	} {
		if got := answer(t.Context(), c, f.statement); got != f.want {
			t.Errorf("%s: got %s, want %s", f.statement, got, f.want)
		}
	}
}

// What a server does and the engine does not is refused, and changes nothing.
func TestRefusedTogether(t *testing.T) {
	c := connect(t, "CREATE TABLE r (id INT PRIMARY KEY, v INT); CREATE TABLE s (id INT PRIMARY KEY); CREATE TABLE n (c INT); CREATE TRIGGER x BEFORE UPDATE ON r FOR EACH ROW INSERT INTO n VALUES (1); INSERT INTO r VALUES (1, 1), (2, 2); INSERT INTO s VALUES (1), (2)", false)
	for _, f := range []struct{ statement, want string }{
		{"SELECT (SELECT 1 FROM r WHERE id = 1 FOR UPDATE NOWAIT) FROM r FOR UPDATE SKIP LOCKED", "error 1235 42000"},
		{"UPDATE r JOIN s ON s.id = r.id SET r.v = 1", "error 1235 42000"}, // a server fires the trigger for the first row, too
		{"UPDATE r JOIN s ON s.id = r.id SET r.v = r.v + 1, s.id = s.id + 5", "affected 4 id 0"},
		{"UPDATE r SET v = 2 WHERE id = 1", "affected 0 id 0"},
		{"SELECT COUNT(*) FROM n", "[[3]]"},
	} {
		if got := answer(t.Context(), c, f.statement); got != f.want {
			t.Errorf("%s: got %s, want %s", f.statement, got, f.want)
		}
	}
}

// What a result says of its columns, as the driver tells it.
func TestColumns(t *testing.T) {
	c := connect(t, "CREATE TABLE k (id INT UNSIGNED NOT NULL PRIMARY KEY, d DECIMAL(7,3), b VARBINARY(5), s VARCHAR(5), at DATETIME(2))", false)
	rows, err := c.QueryContext(t.Context(), "SELECT id, d, b, s, at FROM k")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	list, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range list {
		nullable, _ := x.Nullable()
		_, scale, _ := x.DecimalSize()
		got = append(got, fmt.Sprint(x.DatabaseTypeName(), " ", nullable, " ", scale))
	}
	if s := strings.Join(got, ", "); s != "UNSIGNED INT false 0, DECIMAL true 3, VARBINARY true 0, VARCHAR true 0, DATETIME true 2" {
		t.Error(s)
	}
}
