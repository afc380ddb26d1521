package mysql

import (
	"fmt"
	"slices"
	"strings"
)

// Statements whose locks are compared with a server's: conditions on an index, in all
// statements that scan it, and what INSERT does with duplicates and foreign keys.

// lockTables are tables with rows, and what another transaction has done to them before.
type lockTables struct {
	name         string
	schema, rows []string
	primary      map[string]int // tables, and how many columns their primary keys have
	done         [][]string     // each: statements of a committed transaction, behind which nothing is purged
	cases        [][]string     // statements of a transaction
}

// lockKeys is a table with one index that conditions use.
type lockKeys struct {
	name, index string
	schema      string
	columns     []string // that the index begins with
	null        bool     // the last of them may be
	key         string   // sets a column of the index
	primary     int
	rows        string
	done        []string
}

var lockIndexes = []lockKeys{
	{"primary", "PRIMARY", "CREATE TABLE t (a INT PRIMARY KEY, d INT NOT NULL)", []string{"a"}, false, "a", 1,
		"INSERT INTO t VALUES (10, 1), (20, 2), (30, 3), (40, 4)", []string{"DELETE FROM t WHERE a IN (20, 40)"}},
	{"primary of two", "PRIMARY", "CREATE TABLE t (a INT, b INT, d INT NOT NULL, PRIMARY KEY (a, b))", []string{"a", "b"}, false, "b", 2,
		"INSERT INTO t VALUES (10, 10, 1), (20, 10, 2), (20, 20, 3), (20, 30, 4), (40, 20, 5)", []string{"DELETE FROM t WHERE a = 20 AND b = 20", "DELETE FROM t WHERE a = 40"}},
	{"unique", "k", "CREATE TABLE t (a INT PRIMARY KEY, c INT NULL, d INT NOT NULL, UNIQUE KEY k (c))", []string{"c"}, true, "c", 1,
		"INSERT INTO t VALUES (1, 10, 1), (2, 30, 2), (3, 20, 3), (4, NULL, 4), (5, NULL, 5), (6, 40, 6)", []string{"DELETE FROM t WHERE a IN (3, 6)", "UPDATE t SET c = c + 5 WHERE a = 2"}},
	{"unique without nulls", "k", "CREATE TABLE t (a INT PRIMARY KEY, c INT NOT NULL, d INT NOT NULL, UNIQUE KEY k (c))", []string{"c"}, false, "c", 1,
		"INSERT INTO t VALUES (1, 10, 1), (2, 30, 2), (3, 20, 3), (6, 40, 6)", []string{"DELETE FROM t WHERE a IN (3, 6)"}},
	{"unique of two", "k", "CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, c INT NULL, d INT NOT NULL, UNIQUE KEY k (b, c))", []string{"b", "c"}, true, "c", 1,
		"INSERT INTO t VALUES (1, 10, 10, 1), (2, 20, 10, 2), (3, 20, 20, 3), (4, 20, NULL, 4), (5, 40, 20, 5), (6, 20, 30, 6)", []string{"DELETE FROM t WHERE a IN (3, 5)"}},
	{"not unique", "k", "CREATE TABLE t (a INT PRIMARY KEY, b INT NULL, d INT NOT NULL, KEY k (b))", []string{"b"}, true, "b", 1,
		"INSERT INTO t VALUES (1, 10, 1), (2, 20, 2), (3, 20, 3), (4, NULL, 4), (5, 40, 5), (6, 30, 6)", []string{"DELETE FROM t WHERE a IN (2, 5)", "UPDATE t SET b = 20 WHERE a = 6"}},
	{"not unique of two", "k", "CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, c INT NULL, d INT NOT NULL, KEY k (b, c))", []string{"b", "c"}, true, "c", 1,
		"INSERT INTO t VALUES (1, 10, 10, 1), (2, 20, 10, 2), (3, 20, 20, 3), (4, 20, NULL, 4), (5, 40, 20, 5), (6, 20, 20, 6)", []string{"DELETE FROM t WHERE a IN (3, 5)"}},
	{"no index", "PRIMARY", "CREATE TABLE t (a INT PRIMARY KEY, b INT NULL, d INT NOT NULL)", []string{"b"}, true, "b", 1,
		"INSERT INTO t VALUES (1, 10, 1), (2, 20, 2), (3, 20, 3), (4, NULL, 4)", []string{"DELETE FROM t WHERE a = 2"}},
}

// conditions are conditions on a column: values that are there, between others, before the
// first and behind the last.
func conditions(column string, null bool) (list []string) {
	for _, v := range []int{5, 10, 20, 25, 40, 99} {
		for _, op := range []string{"=", "<", "<=", ">", ">="} {
			list = append(list, fmt.Sprintf("%s %s %d", column, op, v))
		}
	}
	for _, with := range []string{"%s BETWEEN 10 AND 20", "%s BETWEEN 15 AND 35", "%s BETWEEN 25 AND 27", "%s > 10 AND %s < 20", "%s > 10 AND %s <= 30", "%s >= 20 AND %s < 99", "%s IN (10, 40)", "%s IN (20, 25)", "(%s = 10 OR %s = 30)", "(%s < 10 OR %s > 30)"} {
		list = append(list, strings.ReplaceAll(with, "%s", column))
	}
	if null {
		list = append(list, column+" IS NULL", column+" IS NOT NULL", "("+column+" = 10 OR "+column+" IS NULL)")
	}
	return list
}

// all are the conditions on the index.
func (k *lockKeys) all() (list []string) {
	list = conditions(k.columns[0], k.null && len(k.columns) == 1)
	if len(k.columns) > 1 {
		for _, with := range []string{" = 20 AND ", " = 40 AND ", " = 25 AND "} {
			for _, c := range conditions(k.columns[1], k.null) {
				if !strings.Contains(c, " OR ") {
					list = append(list, k.columns[0]+with+c)
				}
			}
		}
		list = append(list, k.columns[0]+" IN (10, 20) AND "+k.columns[1]+" = 10", k.columns[0]+" >= 20 AND "+k.columns[1]+" = 20")
	}
	return list
}

// statements are the statements that scan the index by a condition.
func (k *lockKeys) statements(where string) (list []string) {
	x, last := "FORCE INDEX ("+k.index+") WHERE "+where, k.columns[len(k.columns)-1]
	if k.index == "PRIMARY" && k.columns[0] != "a" {
		x = "WHERE " + where
	}
	selects := []string{"SELECT * FROM t " + x, "SELECT " + last + " FROM t " + x, "SELECT * FROM t " + x + " AND d > 2"}
	for _, s := range selects {
		list = append(list, s+" FOR UPDATE", s+" LOCK IN SHARE MODE", s)
	}
	if where != "" && k.index != "PRIMARY" || k.columns[0] == "a" {
		for _, c := range []string{" ORDER BY " + k.columns[0], " ORDER BY " + k.columns[0] + " DESC"} {
			list = append(list, selects[0]+c+" LIMIT 1 FOR UPDATE", selects[0]+c+" FOR UPDATE", selects[1]+c+" LOCK IN SHARE MODE")
		}
	}
	list = append(list, "UPDATE t "+strings.Replace(x, "WHERE", "SET d = d + 1 WHERE", 1), "UPDATE t "+strings.Replace(x, "WHERE", "SET d = d WHERE", 1),
		"UPDATE t "+strings.Replace(x, "WHERE", "SET d = 2 WHERE d = 1 AND", 1),
		"UPDATE t "+strings.Replace(x, "WHERE", "SET "+k.key+" = "+k.key+" + 1 WHERE", 1), "UPDATE t "+strings.Replace(x, "WHERE", "SET a = a + 100 WHERE", 1),
		"UPDATE t "+strings.Replace(x, "WHERE", "SET "+k.key+" = 10 WHERE", 1), "DELETE FROM t WHERE "+where)
	return list
}

// before are statements of the same transaction before.
func (k *lockKeys) before() [][]string {
	list := [][]string{nil, {"UPDATE t FORCE INDEX (" + k.index + ") SET d = d + 10 WHERE " + k.columns[0] + " = 20"}, {"DELETE FROM t WHERE " + k.columns[0] + " = 10"}, {"SELECT * FROM t FORCE INDEX (" + k.index + ") WHERE " + k.columns[0] + " = 20 LOCK IN SHARE MODE"}}
	return list
}

// scans are the tables whose indexes are scanned.
func scans() (list []*lockTables) {
	for i := range lockIndexes {
		k := &lockIndexes[i]
		p := &lockTables{name: k.name, schema: []string{k.schema}, rows: []string{k.rows}, primary: map[string]int{"t": k.primary}, done: [][]string{nil, k.done}}
		for n, where := range k.all() {
			for m, s := range k.statements(where) {
				p.cases = append(p.cases, append(slices.Clone(k.before()[(n+m)%4]), s))
			}
		}
		list = append(list, p)
		if i == 0 || i == 5 {
			empty := *p
			empty.name, empty.rows, empty.done, empty.cases = "empty "+k.name, nil, [][]string{nil}, nil
			for n := range len(p.cases) / 20 {
				empty.cases = append(empty.cases, p.cases[n*20+n%20])
			}
			list = append(list, &empty)
		}
	}
	return list
}
