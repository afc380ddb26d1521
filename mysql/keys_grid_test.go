package mysql

import (
	"fmt"
	"strings"
)

// keyGrid has foreign keys on columns of all types that can have them: parents that are there and
// that are not, and what is done to rows that refer to one that goes away.

// keyTypes are types with values: one that a parent has, values that are equal to it or not, and
// another that a parent has.
var keyTypes = []struct {
	typ    string
	values []string
}{
	{"CHAR(4)", []string{"'a'", "'A'", "'a '", "'á'", "'ab'", "'b'"}},
	{"VARCHAR(8)", []string{"'Ann'", "'ANN'", "'Ann  '", "'Änn'", "'Anna'", "'Bob'"}},
	{"VARCHAR(8) COLLATE utf8mb4_bin", []string{"'Ann'", "'ANN'", "'Ann  '", "'Änn'", "'Anna'", "'Bob'"}},
	{"VARCHAR(8) COLLATE utf8mb4_unicode_ci", []string{"'élan'", "'ELAN'", "'elan '", "'elans'", "''", "'Bob'"}},
	{"VARCHAR(8) CHARACTER SET latin1", []string{"'x'", "'X'", "'x '", "'é'", "'xx'", "'y'"}},
	{"BINARY(4)", []string{"'a'", "'A'", "'a '", "x'6100'", "'ab'", "'b'"}},
	{"VARBINARY(4)", []string{"'a'", "'A'", "'a '", "x'6100'", "'ab'", "'b'"}},
	{"DECIMAL(8,2)", []string{"1.5", "1.50", "1.504", "-1.5", "15", "2"}},
	{"DATE", []string{"'2026-01-02'", "'20260102'", "'2026-01-02 00:00:00'", "'2026-01-03'", "'2025-01-02'", "'2026-02-01'"}},
	{"DATETIME", []string{"'2026-01-02 03:04:05'", "'20260102030405'", "'2026-01-02 03:04:06'", "'2026-01-02'", "'2026-01-02 03:04'", "'2027-01-01'"}},
	{"DATETIME(3)", []string{"'2026-01-02 03:04:05.5'", "'2026-01-02 03:04:05.500'", "'2026-01-02 03:04:05.501'", "'2026-01-02 03:04:05'", "'2026-01-02'", "'2027-01-01'"}},
	{"TIME", []string{"'10:11:12'", "'101112'", "'10:11:13'", "'-10:11:12'", "'10:11'", "'0:0:1'"}},
	{"ENUM('red', 'blue', 'green')", []string{"'red'", "'RED'", "1", "'green'", "3", "'blue'"}},
	{"YEAR", []string{"2026", "'2026'", "26", "1999", "2027", "2030"}},
	{"TINYINT UNSIGNED", []string{"200", "'200'", "199.6", "255", "0", "7"}},
	{"BIGINT", []string{"-5", "'-5'", "-5.4", "5", "9223372036854775806", "7"}},
}

func keyGrid(from, to int) (schema, statements []string) {
	actions := []string{"", " ON DELETE CASCADE ON UPDATE CASCADE", " ON DELETE SET NULL ON UPDATE SET NULL"}
	for i, k := range keyTypes[from:to] {
		schema = append(schema, fmt.Sprintf("CREATE TABLE p%d (id INT PRIMARY KEY, k %s, UNIQUE (k))", i, k.typ))
		for a, action := range actions {
			schema = append(schema, fmt.Sprintf("CREATE TABLE c%d%c (id INT PRIMARY KEY, k %s, FOREIGN KEY (k) REFERENCES p%d (k)%s)", i, 'a'+a, k.typ, i, action))
		}
		statements = append(statements, fmt.Sprintf("INSERT INTO p%d VALUES (1, %s), (2, %s), (3, NULL)", i, k.values[5], k.values[0]))
		for a := range actions {
			c := fmt.Sprintf("c%d%c", i, 'a'+a)
			for n, v := range append([]string{"NULL"}, k.values...) {
				statements = append(statements, fmt.Sprintf("INSERT INTO %s VALUES (%d, %s)", c, n, v))
			}
			statements = append(statements, fmt.Sprintf("UPDATE %s SET k = %s WHERE id = 0", c, k.values[3]), fmt.Sprintf("UPDATE %s SET k = %s WHERE id = 0", c, k.values[5]),
				fmt.Sprintf("SELECT id, HEX(k) FROM %s", c))
			if a == 0 {
				statements = append(statements, fmt.Sprintf("DELETE FROM p%d WHERE id = 1", i), fmt.Sprintf("DELETE FROM p%d WHERE id = 2", i), fmt.Sprintf("UPDATE p%d SET k = %s WHERE id = 2", i, k.values[4]),
					fmt.Sprintf("DELETE FROM p%d WHERE id = 3", i), fmt.Sprintf("DELETE FROM %s", c))
				continue
			}
		}
		statements = append(statements, fmt.Sprintf("UPDATE p%d SET k = %s WHERE id = 2", i, k.values[4]))
		statements = append(statements, keyRows(i)...)
		statements = append(statements, fmt.Sprintf("DELETE FROM p%d WHERE id = 1", i))
		statements = append(statements, keyRows(i)...)
	}
	return schema, statements
}

func keyRows(i int) (list []string) {
	for _, t := range []string{"p%d", "c%db", "c%dc"} {
		list = append(list, fmt.Sprintf("SELECT id, HEX(k), COUNT(*) OVER () FROM "+t, i))
	}
	return list
}

// compositeKeys are foreign keys of several columns, with NULLs and to the same table.
func compositeKeys() (schema, statements []string) {
	schema = []string{
		"CREATE TABLE p (org VARCHAR(5), no INT, tag BINARY(2), PRIMARY KEY (org, no), UNIQUE (tag, org))",
		"CREATE TABLE c (id INT PRIMARY KEY, org VARCHAR(5), no INT, tag BINARY(2), FOREIGN KEY (org, no) REFERENCES p (org, no) ON DELETE CASCADE ON UPDATE CASCADE, FOREIGN KEY (tag, org) REFERENCES p (tag, org))",
		"CREATE TABLE tree (name VARCHAR(5) PRIMARY KEY, up VARCHAR(5), FOREIGN KEY (up) REFERENCES tree (name) ON DELETE CASCADE)",
		"CREATE TABLE top (k VARCHAR(5) PRIMARY KEY)", "CREATE TABLE mid (k VARCHAR(5) PRIMARY KEY, FOREIGN KEY (k) REFERENCES top (k) ON DELETE CASCADE)",
		"CREATE TABLE low (id INT PRIMARY KEY, k VARCHAR(5), FOREIGN KEY (k) REFERENCES mid (k) ON DELETE SET NULL)",
	}
	for _, row := range []string{"'a', 1, 'x'", "'a', 2, 'y'", "'b', 1, 'x'"} {
		statements = append(statements, "INSERT INTO p VALUES ("+row+")")
	}
	n := 0
	for _, org := range []string{"'a'", "'b'", "'c'", "NULL"} {
		for _, no := range []string{"1", "2", "NULL"} {
			for _, tag := range []string{"NULL", "'x'", "'y'"} {
				n++
				statements = append(statements, fmt.Sprintf("INSERT INTO c VALUES (%d, %s, %s, %s)", n, org, no, tag))
			}
		}
	}
	for _, s := range strings.Split(`SELECT id, org, no, HEX(tag) FROM c
DELETE FROM p WHERE org = 'b' AND no = 1
UPDATE p SET no = 3 WHERE org = 'a' AND no = 2
UPDATE c SET tag = NULL
UPDATE p SET org = 'z' WHERE org = 'A' AND no = 1
DELETE FROM p WHERE org = 'b' AND no = 1
SELECT id, org, no, HEX(tag) FROM c
SELECT org, no, HEX(tag) FROM p
INSERT INTO tree VALUES ('r', NULL), ('s', 'R'), ('t', 'S'), ('u', 'u')
INSERT INTO tree VALUES ('v', 'w')
UPDATE tree SET name = 'q' WHERE name = 's'
DELETE FROM tree WHERE name = 'R'
SELECT * FROM tree
INSERT INTO top VALUES ('a'), ('b')
INSERT INTO mid VALUES ('A'), ('c')
INSERT INTO mid VALUES ('A'), ('B ')
INSERT INTO low VALUES (1, 'a'), (2, 'á'), (3, 'b')
DELETE FROM top WHERE k = 'b'
INSERT INTO low VALUES (4, 'b')
SELECT * FROM mid
SELECT * FROM low`, "\n") {
		statements = append(statements, s)
	}
	return schema, statements
}
