package mysql

import (
	"strings"
	"testing"
)

// TestProducts: what locks a transaction has behind its statements in MySQL 8.4, in MariaDB 10.11, or which error the
// last one has. docs/mysql.md names the source of each.
func TestProducts(t *testing.T) {
	t.Parallel()
	const schema = "CREATE TABLE t (a INT PRIMARY KEY, e VARCHAR(8) NOT NULL, n INT NOT NULL, c INT, UNIQUE KEY e (e), KEY n (n), CHECK (n < 1000));" +
		"CREATE TABLE p (a INT, b INT, PRIMARY KEY (a, b));" +
		"CREATE TABLE d (a INT PRIMARY KEY, j JSON, g INT AS (a + 1) STORED);" +
		"INSERT INTO t VALUES (3, 'c', 30, 1), (5, 'm', 50, 1), (9, 'p', 90, 2), (20, 'z', 90, 3);" +
		"INSERT INTO p VALUES (1, 1), (1, 5), (2, 1), (3, 3)"
	for _, test := range []struct{ what, level, statements, mysql, mariadb string }{
		{"range closed at a record", "innodb-rr", "SELECT * FROM t WHERE a >= 3 AND a <= 5 FOR UPDATE",
			"t IX, t.PRIMARY(3) X-, t.PRIMARY(5) XX", "t IX, t.PRIMARY(3) X-, t.PRIMARY(5) XX, t.PRIMARY(9) XX"},
		{"range closed between records", "innodb-rr", "SELECT * FROM t WHERE a > 3 AND a <= 7 FOR UPDATE",
			"t IX, t.PRIMARY(5) XX, t.PRIMARY(9) -X", "t IX, t.PRIMARY(5) XX, t.PRIMARY(9) XX"},
		{"range open at a record", "innodb-rr", "UPDATE t SET c = 9 WHERE a < 9",
			"t IX, t.PRIMARY(3) XX, t.PRIMARY(5) XX, t.PRIMARY(9) -X", "t IX, t.PRIMARY(3) XX, t.PRIMARY(5) XX, t.PRIMARY(9) XX"},
		{"range of nothing", "innodb-rr", "SELECT * FROM t WHERE a > 10 AND a < 15 LOCK IN SHARE MODE",
			"t IS, t.PRIMARY(20) -S", "t IS, t.PRIMARY(20) SS"},
		{"range without an end", "innodb-rr", "SELECT * FROM t WHERE a > 9 FOR UPDATE",
			"t IX, t.PRIMARY(20) XX, t.PRIMARY(end) -X", "t IX, t.PRIMARY(20) XX, t.PRIMARY(end) -X"},
		{"range to the last record", "innodb-rr", "SELECT * FROM t WHERE a > 5 AND a <= 20 FOR UPDATE",
			"t IX, t.PRIMARY(20) XX, t.PRIMARY(9) XX, t.PRIMARY(end) -X", "t IX, t.PRIMARY(20) XX, t.PRIMARY(9) XX, t.PRIMARY(end) -X"},
		{"range backwards", "innodb-rr", "SELECT * FROM t WHERE a >= 5 AND a < 9 ORDER BY a DESC FOR UPDATE",
			"t IX, t.PRIMARY(3) XX, t.PRIMARY(5) XX, t.PRIMARY(9) -X", "t IX, t.PRIMARY(3) XX, t.PRIMARY(5) XX, t.PRIMARY(9) -X"},
		{"range behind a column", "innodb-rr", "SELECT * FROM p WHERE a = 1 AND b >= 1 FOR UPDATE",
			"p IX, p.PRIMARY(1,1) X-, p.PRIMARY(1,5) XX, p.PRIMARY(2,1) -X", "p IX, p.PRIMARY(1,1) X-, p.PRIMARY(1,5) XX, p.PRIMARY(2,1) XX"},
		{"range of another index", "innodb-rr", "SELECT * FROM t FORCE INDEX (n) WHERE n >= 30 AND n < 50 FOR UPDATE",
			"t IX, t.PRIMARY(3) X-, t.n(30,3) XX, t.n(50,5) XX", "t IX, t.PRIMARY(3) X-, t.n(30,3) XX, t.n(50,5) XX"},
		{"unique key", "innodb-rr", "SELECT * FROM t WHERE e = 'm' FOR UPDATE", "t IX, t.PRIMARY(5) X-, t.e(m,5) X-", "t IX, t.PRIMARY(5) X-, t.e(m,5) XX"},
		{"unique key that is not there", "innodb-rr", "SELECT * FROM t WHERE e = 'k' FOR UPDATE", "t IX, t.e(m,5) -X", "t IX, t.e(m,5) -X"},
		{"unwanted by another index", "innodb-rc", "SELECT * FROM t FORCE INDEX (n) WHERE n = 90 AND c = 2 FOR UPDATE",
			"t IX, t.PRIMARY(9) X-, t.n(90,9) X-", "t IX, t.PRIMARY(20) X-, t.PRIMARY(9) X-, t.n(90,20) X-, t.n(90,9) X-"},
		{"a deleted duplicate", "innodb-rr", "INSERT INTO t VALUES (6, 'q', 1, 1)", "t IX, t.e(q,6) -S, t.e(q,7) SS, t.e(z,20) -S", "t IX, t.e(q,6) -S, t.e(q,7) SS, t.e(z,20) SS"},
		{"a deleted duplicate that would be updated", "innodb-rr", "INSERT INTO t VALUES (6, 'q', 1, 1) ON DUPLICATE KEY UPDATE c = 2",
			"t IX, t.e(q,6) -X, t.e(q,7) XX, t.e(z,20) XX", "t IX, t.e(q,6) -X, t.e(q,7) XX, t.e(z,20) XX"},
		{"NOWAIT", "innodb-rr", "SELECT * FROM t WHERE a = 20 FOR UPDATE NOWAIT", "error 3572", "error 1205"},
		{"CHECK", "innodb-rr", "INSERT INTO t VALUES (4, 'd', 1000, 1)", "error 3819", "error 4025"},
		{"JSON", "innodb-rr", "INSERT INTO d (a, j) VALUES (1, '{')", "error 3140", "error 4025"},
		{"a value of a generated column", "innodb-rr", "INSERT INTO d (a, g) VALUES (1, 5)", "error 3105", "error 1906"},
	} {
		for product, want := range map[string]string{"mysql:8.4": test.mysql, "mysql": test.mysql, "mariadb:10.11": test.mariadb, "mariadb:11.8": test.mariadb} {
			b, err := newModelled(newConfig([]Option{Schema(schema), Version(product)}), test.level)
			if err != nil {
				t.Fatal(err)
			}
			m := newOnModel(t, b, 2)
			defer m.end()
			send := func(session int, q string) string {
				got, err := m.send(t.Context(), session, q)
				if err != nil {
					t.Fatal(test.what, product, err)
				}
				return got
			}
			if test.what == "NOWAIT" {
				send(1, "BEGIN")
				send(1, "UPDATE t SET c = 4 WHERE a = 20")
			}
			if strings.Contains(test.what, "deleted") {
				send(1, "INSERT INTO t VALUES (7, 'q', 70, 1)")
				send(1, "DELETE FROM t WHERE a = 7")
			}
			send(0, "BEGIN")
			got := send(0, test.statements)
			if !strings.HasPrefix(got, "error") {
				c, _, err := m.covered(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				got = c.String()
			}
			if got != want {
				t.Errorf("%s in %s\n got %s\nwant %s", test.what, product, got, want)
			}
		}
	}
	if _, err := newModelled(newConfig([]Option{Version("mysql:5.6")}), "innodb-rr"); err == nil {
		t.Error("MySQL 5.6 is known")
	}
}
