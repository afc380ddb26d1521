package mysql

import (
	"fmt"
	"regexp"
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
	{"not unique of nulls", "k", "CREATE TABLE t (a INT PRIMARY KEY, b INT NULL, c INT NULL, d INT NOT NULL, KEY k (b, c))", []string{"b", "c"}, true, "c", 1,
		"INSERT INTO t VALUES (1, 10, 10, 1), (2, NULL, 10, 2), (3, NULL, 20, 3), (4, NULL, NULL, 4), (5, 20, NULL, 5), (6, 20, 20, 6)", []string{"DELETE FROM t WHERE a IN (3, 5)"}},
	{"texts", "k", "CREATE TABLE t (a INT PRIMARY KEY, w VARCHAR(8) NULL, d INT NOT NULL, KEY k (w))", []string{"w"}, true, "w", 1,
		"INSERT INTO t VALUES (1, 'ab', 1), (2, 'abm', 2), (3, 'abm', 3), (4, NULL, 4), (5, 'bdx', 5), (6, 'bb', 6)", []string{"DELETE FROM t WHERE a IN (2, 5)", "UPDATE t SET w = 'abz' WHERE a = 6"}},
	{"prefix", "k", "CREATE TABLE t (a INT PRIMARY KEY, w VARCHAR(8) NULL, d INT NOT NULL, KEY k (w(2)))", []string{"w"}, true, "w", 1,
		"INSERT INTO t VALUES (1, 'ab', 1), (2, 'abm', 2), (3, 'abm', 3), (4, NULL, 4), (5, 'bd', 5), (6, 'bb', 6)", []string{"DELETE FROM t WHERE a IN (2, 5)", "UPDATE t SET w = 'abz' WHERE a = 6"}},
	{"prefix of two", "k", "CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, w VARCHAR(8) NULL, d INT NOT NULL, KEY k (b, w(2)))", []string{"b", "w"}, true, "w", 1,
		"INSERT INTO t VALUES (1, 10, 'ab', 1), (2, 20, 'ab', 2), (3, 20, 'abm', 3), (4, 20, NULL, 4), (5, 40, 'abm', 5), (6, 20, 'bb', 6)", []string{"DELETE FROM t WHERE a IN (3, 5)"}},
	{"unique prefix", "k", "CREATE TABLE t (a INT PRIMARY KEY, w VARCHAR(8) NULL, d INT NOT NULL, UNIQUE KEY k (w(2)))", []string{"w"}, true, "w", 1,
		"INSERT INTO t VALUES (1, 'ab', 1), (2, 'bb', 2), (3, 'acm', 3), (4, NULL, 4), (5, NULL, 5), (6, 'bd', 6)", []string{"DELETE FROM t WHERE a IN (3, 6)", "UPDATE t SET w = 'bcx' WHERE a = 2"}},
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
				if !strings.Contains(c, " OR ") && !strings.Contains(c, " IN ") { // whose plans costs decide
					list = append(list, k.columns[0]+with+c)
				}
			}
		}
		list = append(list, k.columns[0]+" IN (10, 20) AND "+k.columns[1]+" = 10")
		list = append(list, k.columns[0]+" >= 20 AND "+k.columns[1]+" = 20", k.columns[0]+" BETWEEN 10 AND 20 AND "+k.columns[1]+" > 10", k.columns[0]+" = 20 AND "+k.columns[1]+" % 20 = 0")
		list = slices.DeleteFunc(list, func(c string) bool { return strings.Contains(c, "w %") })
	}
	if k.columns[0] == "w" {
		for _, pattern := range []string{"ab%", "b%", "ab", "bdx", "zz%", "a_", "%m", "ab%m", "ac%"} {
			list = append(list, "w LIKE '"+pattern+"'")
		}
	}
	if strings.HasSuffix(k.name, "of nulls") {
		for _, c := range []string{"", " AND c = 10", " AND c > 10", " AND c <= 20", " AND c IS NULL", " AND c = 15", " AND c IS NOT NULL", " AND a > 2"} {
			list = append(list, "b IS NULL"+c)
		}
	}
	if k.index != "PRIMARY" {
		for _, c := range []string{" = 20 AND a <> 2", " >= 10 AND a > 2", " IN (10, 20) AND a % 2 = 1", " > 10 AND (a = 2 OR a = 6)", " = 20 AND (a <> 2 OR d = 9)", " < 40 AND a > 1 AND d <> 3", " = 10 AND a > 1"} {
			list = append(list, k.columns[0]+c)
		}
	}
	return list
}

// statements are the statements that scan the index by a condition.
func (k *lockKeys) statements(where string) (list []string) {
	x, last := "FORCE INDEX ("+k.index+") WHERE "+where, k.columns[len(k.columns)-1]
	if k.index == "PRIMARY" && k.columns[0] != "a" {
		x = "WHERE " + where
	}
	some := last
	if last == "w" { // a shorter text is not looked up: docs/mysql.md, Different
		some += ", d"
	}
	selects := []string{"SELECT * FROM t " + x, "SELECT " + some + " FROM t " + x, "SELECT * FROM t " + x + " AND d > 2"}
	for _, s := range selects {
		list = append(list, s+" FOR UPDATE", s+" LOCK IN SHARE MODE", s)
	}
	if k.index != "PRIMARY" || k.columns[0] == "a" {
		for _, c := range []string{" ORDER BY " + k.columns[0], " ORDER BY " + k.columns[0] + " DESC"} {
			list = append(list, selects[0]+c+" LIMIT 1 FOR UPDATE", selects[0]+c+" FOR UPDATE", selects[1]+c+" LOCK IN SHARE MODE")
		}
		if k.name == "not unique" {
			list = append(list, selects[0]+" ORDER BY "+last+" DESC, a DESC LIMIT 1 FOR UPDATE", selects[0]+" ORDER BY "+last+", a LIMIT 1 FOR UPDATE")
		}
	}
	if whole := regexp.MustCompile(`^\w+ >=? (5|10)$|^b = 20 AND c >=? (5|10)$|^a = 20 AND b >=? (5|10)$`); whole.MatchString(where) && last != "w" { // some row is found, or the neighbours are locked: docs/mysql.md, Different
		list = append(list, "SELECT MAX("+last+") FROM t "+x+" FOR UPDATE", "SELECT MIN("+last+") FROM t "+x+" LOCK IN SHARE MODE")
	}
	if strings.HasSuffix(where, "IS NULL") && k.index != "PRIMARY" {
		set := strings.Replace(x, "WHERE", "SET d = d + 1 WHERE", 1)
		list = append(list, "UPDATE t "+set+" ORDER BY "+last+" LIMIT 1", "UPDATE t "+set+" ORDER BY "+last+" DESC LIMIT 1", "UPDATE t "+set+" ORDER BY a LIMIT 1")
	}
	list = append(list, "UPDATE t "+strings.Replace(x, "WHERE", "SET d = d + 1 WHERE", 1), "UPDATE t "+strings.Replace(x, "WHERE", "SET d = d WHERE", 1),
		"UPDATE t "+strings.Replace(x, "WHERE", "SET d = 2 WHERE d = 1 AND", 1),
		"UPDATE t "+strings.Replace(x, "WHERE", "SET "+k.key+" = "+k.key+" + 1 WHERE", 1), "UPDATE t "+strings.Replace(x, "WHERE", "SET a = a + 100 WHERE", 1),
		"UPDATE t "+strings.Replace(x, "WHERE", "SET "+k.key+" = 10 WHERE", 1), "DELETE FROM t WHERE "+where)
	return list
}

var (
	textOfColumn = regexp.MustCompile(`\bw (=|[<>]=?|BETWEEN) \d+( AND \d+)?|\bw IN \(\d+, \d+\)`)
	wholeNumber  = regexp.MustCompile(`\d+`)
	texts        = map[string]string{"5": "aa", "10": "ab", "15": "aba", "20": "abm", "25": "b", "27": "ba", "30": "bb", "35": "bcx", "40": "bd", "99": "zz"}
)

// withTexts is a statement with texts in the place of numbers, in their order, for the column w.
func withTexts(s string) string {
	s = strings.ReplaceAll(s, "w + 1", "CONCAT(w, 'x')")
	return textOfColumn.ReplaceAllStringFunc(s, func(s string) string {
		return wholeNumber.ReplaceAllStringFunc(s, func(n string) string { return "'" + texts[n] + "'" })
	})
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
				c := append(slices.Clone(k.before()[(n+m)%4]), s)
				for i := range c {
					c[i] = withTexts(c[i])
				}
				p.cases = append(p.cases, c)
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

// written are the tables that statements insert into.
func written() []*lockTables {
	rows := []string{"INSERT INTO t VALUES (10, 10, 1), (20, 20, 2), (30, NULL, 3), (40, 40, 4)"}
	deleted := []string{"DELETE FROM t WHERE a IN (20, 40)"}
	moved := []string{"UPDATE t SET c = c + 5 WHERE a IN (10, 20)"}
	unique := &lockTables{name: "insert unique", schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, c INT NULL, d INT NOT NULL, UNIQUE KEY k (c))"}, rows: rows,
		primary: map[string]int{"t": 1}, done: [][]string{nil, deleted, moved, append(slices.Clone(deleted), "INSERT INTO t VALUES (41, 40, 0)", "DELETE FROM t WHERE a = 41")}}
	unique.cases = inserts("a, c, d", []string{"(15, 15, 0)", "(5, 5, 0)", "(50, 50, 0)", "(10, 99, 0)", "(20, 20, 0)", "(20, 21, 0)", "(99, 10, 0)", "(15, 20, 0)", "(41, 40, 0)", "(40, 40, 9)", "(25, 25, 0)", "(15, NULL, 0)", "(30, 20, 0)", "(40, 10, 0)"}, "c")
	plain := &lockTables{name: "insert not unique", schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, c INT NULL, d INT NOT NULL, KEY k (c))"}, rows: rows,
		primary: map[string]int{"t": 1}, done: [][]string{nil, deleted, moved}, cases: unique.cases}
	two := &lockTables{name: "insert two unique", schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, c INT NULL, d INT NOT NULL, UNIQUE KEY k (c), UNIQUE KEY kd (d))"},
		rows: rows, primary: map[string]int{"t": 1}, done: [][]string{nil, deleted, moved},
		cases: inserts("a, c, d", []string{"(15, 15, 1)", "(15, 15, 2)", "(15, 10, 3)", "(20, 40, 1)", "(20, 20, 9)", "(15, 20, 2)", "(35, 35, 4)", "(40, 99, 3)", "(9, 9, 9)"}, "c")}
	pair := &lockTables{name: "insert unique of two", schema: []string{"CREATE TABLE t (a INT, b INT, c INT NULL, PRIMARY KEY (a, b), UNIQUE KEY k (c, b))"},
		rows: []string{"INSERT INTO t VALUES (10, 1, 10), (10, 2, 20), (20, 1, 20), (20, 2, NULL), (30, 1, 40)"}, primary: map[string]int{"t": 2}, done: [][]string{nil, {"DELETE FROM t WHERE a = 10 AND b = 2", "DELETE FROM t WHERE a = 30"}},
		cases: inserts("a, b, c", []string{"(10, 2, 20)", "(15, 2, 20)", "(15, 3, 20)", "(30, 1, 40)", "(31, 1, 40)", "(20, 3, NULL)", "(10, 1, 99)", "(5, 5, 5)", "(50, 1, 50)"}, "c")}
	return []*lockTables{unique, plain, two, pair}
}

// inserts are statements that insert rows, alone and behind others.
func inserts(columns string, rows []string, set string) (list [][]string) {
	for n, row := range rows {
		other := rows[(n+3)%len(rows)]
		statements := []string{
			"INSERT INTO t VALUES " + row, "INSERT IGNORE INTO t VALUES " + row, "REPLACE INTO t VALUES " + row,
			"INSERT INTO t VALUES " + row + " ON DUPLICATE KEY UPDATE " + set + " = " + set + " + 1",
			"INSERT INTO t VALUES " + row + " ON DUPLICATE KEY UPDATE " + set + " = " + set,
			"INSERT INTO t VALUES (7, 7, 7), " + row + ", (8, 8, 8)", "INSERT INTO t VALUES " + other + ", " + row,
			"INSERT IGNORE INTO t VALUES (7, 7, 7), " + row + ", " + other, "REPLACE INTO t VALUES (7, 7, 7), " + row + ", " + other,
			"INSERT INTO t VALUES (7, 7, 7), " + row + ", " + other + " ON DUPLICATE KEY UPDATE " + set + " = " + set + " + 1",
			"INSERT INTO t (" + columns + ") SELECT " + strings.Trim(row, "()") + " FROM dual",
		}
		first := []string{"", "SELECT * FROM t FORCE INDEX (PRIMARY) FOR UPDATE", "DELETE FROM t WHERE a = 10", "SELECT * FROM t FORCE INDEX (k) WHERE c = 20 LOCK IN SHARE MODE",
			"UPDATE t FORCE INDEX (PRIMARY) SET " + set + " = 77 WHERE a = 20", "INSERT INTO t VALUES (99, 9, 99)"}
		last := []string{"SELECT * FROM t FORCE INDEX (k) WHERE c >= 15 FOR UPDATE", "ROLLBACK TO x", "INSERT INTO t VALUES " + other}
		for m, s := range statements {
			for _, f := range []string{"", first[(n+m)%len(first)], "SAVEPOINT x"} {
				var c []string
				if f != "" {
					c = append(c, f)
				}
				end := last[(n+m)%2]
				if c = append(c, s); f == "SAVEPOINT x" {
					c, end = slices.Insert(c, 0, first[1+(n+m)%5]), "ROLLBACK TO x"
				} else if end == "ROLLBACK TO x" {
					end = last[2]
				}
				list = append(list, append(c, end))
			}
		}
	}
	return list
}

// referring are tables with a foreign key.
func referring() (list []*lockTables) {
	for i, acts := range []string{"", " ON DELETE CASCADE ON UPDATE CASCADE", " ON DELETE SET NULL ON UPDATE SET NULL"} {
		p := &lockTables{name: "references" + acts, schema: []string{"CREATE TABLE p (a INT PRIMARY KEY, b INT NULL, UNIQUE KEY pb (b))",
			"CREATE TABLE c (a INT PRIMARY KEY, p INT NULL, d INT NOT NULL, KEY cp (p), CONSTRAINT fk FOREIGN KEY (p) REFERENCES p (a)" + acts + ")"},
			rows:    []string{"INSERT INTO p VALUES (10, 1), (20, 2), (30, 3), (40, NULL)", "INSERT INTO c VALUES (1, 10, 1), (2, 10, 2), (3, 30, 3), (4, NULL, 4)"},
			primary: map[string]int{"c": 1, "p": 1}, done: [][]string{nil, {"DELETE FROM c WHERE a = 3", "DELETE FROM p WHERE a = 20"}}}
		if i == 0 {
			p.name = "references"
		}
		statements := []string{"INSERT INTO c VALUES (5, 10, 0)", "INSERT INTO c VALUES (5, 20, 0)", "INSERT INTO c VALUES (5, 25, 0)", "INSERT INTO c VALUES (5, 99, 0)", "INSERT INTO c VALUES (5, NULL, 0)", "INSERT INTO c VALUES (1, 10, 0)", "INSERT INTO c VALUES (1, 30, 0)",
			"INSERT IGNORE INTO c VALUES (5, 25, 0)", "INSERT INTO c VALUES (5, 10, 0), (6, 25, 0)", "INSERT INTO c VALUES (5, 30, 0), (1, 10, 0)", "REPLACE INTO c VALUES (1, 30, 0)", "INSERT INTO c VALUES (1, 30, 0) ON DUPLICATE KEY UPDATE p = 40",
			"UPDATE c SET p = 20 WHERE a = 1", "UPDATE c SET p = 25 WHERE a = 1", "UPDATE c SET p = NULL WHERE a = 1", "UPDATE c SET d = 9 WHERE a = 1", "UPDATE c SET a = 9 WHERE a = 1", "UPDATE c SET p = 10 WHERE a = 1", "DELETE FROM c WHERE a = 1",
			"DELETE FROM p WHERE a = 10", "DELETE FROM p WHERE a = 20", "DELETE FROM p WHERE a = 30", "DELETE FROM p WHERE a = 40", "DELETE FROM p WHERE a = 99", "UPDATE p SET b = 9 WHERE a = 10", "UPDATE p SET a = 11 WHERE a = 10", "UPDATE p SET a = 21 WHERE a = 20", "UPDATE p SET a = 31 WHERE a = 30", "UPDATE p SET a = 41 WHERE a = 40",
			"REPLACE INTO p VALUES (10, 5)", "REPLACE INTO p VALUES (20, 5)", "REPLACE INTO p VALUES (40, 5)", "INSERT INTO p VALUES (10, 5) ON DUPLICATE KEY UPDATE b = 7", "INSERT INTO p VALUES (10, 5) ON DUPLICATE KEY UPDATE a = 17", "INSERT INTO p VALUES (50, 3)", "INSERT IGNORE INTO p VALUES (10, 5)"}
		before := []string{"", "INSERT INTO c VALUES (8, 40, 8)", "DELETE FROM c WHERE a = 3", "SELECT * FROM p FORCE INDEX (PRIMARY) WHERE a = 25 FOR UPDATE", "UPDATE c SET p = 40 WHERE a = 2"}
		for n, s := range statements {
			for _, b := range []string{"", before[1+n%4]} {
				p.cases = append(p.cases, slices.DeleteFunc([]string{b, s, statements[(n*7+3)%19]}, func(q string) bool { return q == "" }))
			}
		}
		list = append(list, p)
	}
	return list
}

// joined are tables of statements that read one and write the other.
func joined() []*lockTables {
	p := &lockTables{name: "joined", schema: []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, d INT NOT NULL, KEY k (b))", "CREATE TABLE w (k INT PRIMARY KEY, n INT NOT NULL)"},
		rows: []string{"INSERT INTO t VALUES (1, 10, 5), (3, 20, 8), (5, 20, 2), (7, 30, 7)", "INSERT INTO w VALUES (5, 20), (8, 10), (9, 25)"}, primary: map[string]int{"t": 1, "w": 1},
		done: [][]string{nil, {"DELETE FROM t WHERE a = 3", "DELETE FROM w WHERE k = 8"}}}
	for _, s := range []string{
		"INSERT INTO w SELECT a + 100, b FROM t FORCE INDEX (PRIMARY) WHERE a <= 3", "INSERT INTO w SELECT a + 100, b FROM t FORCE INDEX (k) WHERE b = 20", "INSERT INTO w SELECT a + 100, b FROM t FORCE INDEX (k) WHERE b > 10",
		"INSERT INTO w SELECT a + 4, b FROM t FORCE INDEX (PRIMARY) WHERE a <= 3", "INSERT IGNORE INTO w SELECT a + 4, b FROM t FORCE INDEX (PRIMARY) WHERE a <= 3", "REPLACE INTO w SELECT a + 4, b FROM t FORCE INDEX (PRIMARY) WHERE a <= 3",
		"INSERT INTO w SELECT a + 4, b FROM t FORCE INDEX (PRIMARY) WHERE a <= 3 ON DUPLICATE KEY UPDATE n = n + 1", "INSERT INTO t SELECT a + 1, b, d FROM t FORCE INDEX (PRIMARY) WHERE a <= 3",
		"INSERT INTO w SELECT COUNT(*), 1 FROM t FORCE INDEX (k) WHERE b = 20",
		"UPDATE w JOIN t FORCE INDEX (PRIMARY) ON t.a = w.k SET w.n = t.b WHERE w.k = 5", "UPDATE w JOIN t FORCE INDEX (PRIMARY) ON t.a = w.k SET t.d = w.n WHERE w.k = 5", "UPDATE w STRAIGHT_JOIN t FORCE INDEX (k) ON t.b = w.n SET w.n = w.n + 1, t.d = 0 WHERE w.k = 5",
		"DELETE w FROM w JOIN t FORCE INDEX (PRIMARY) ON t.a = w.k WHERE w.k = 5", "DELETE w, t FROM w STRAIGHT_JOIN t FORCE INDEX (k) ON t.b = w.n WHERE w.k = 5",
		"SELECT t.a, w.k FROM w FORCE INDEX (PRIMARY) STRAIGHT_JOIN t FORCE INDEX (k) ON t.b = w.n WHERE w.k >= 8 FOR UPDATE", "SELECT t.a, w.k FROM t FORCE INDEX (PRIMARY) STRAIGHT_JOIN w FORCE INDEX (PRIMARY) ON w.k = t.d WHERE t.a <= 3 LOCK IN SHARE MODE",
		"SELECT t.a, w.k FROM t FORCE INDEX (PRIMARY) STRAIGHT_JOIN w FORCE INDEX (PRIMARY) ON w.k = t.d WHERE t.a <= 3",
		"UPDATE t SET d = (SELECT MAX(n) FROM w WHERE k >= 8) WHERE a = 1", "DELETE FROM t WHERE a = 1 AND EXISTS (SELECT 1 FROM w WHERE k = 5)",
		"SELECT a FROM t FORCE INDEX (PRIMARY) WHERE a = 1 AND EXISTS (SELECT 1 FROM w WHERE k = 5) FOR UPDATE",
		"UPDATE t SET d = d + 1 ORDER BY a LIMIT 1", "UPDATE t SET d = d + 1 ORDER BY d LIMIT 1", "DELETE FROM t ORDER BY a LIMIT 1", "DELETE FROM t ORDER BY d LIMIT 1", "UPDATE t FORCE INDEX (k) SET d = 0 WHERE b >= 20 ORDER BY b LIMIT 1", "UPDATE t FORCE INDEX (k) SET d = 0 WHERE b = 20 ORDER BY a DESC LIMIT 1",
		"DELETE FROM t", "UPDATE t SET d = 1",
		"UPDATE t SET d = d + 1 ORDER BY a DESC LIMIT 1", "DELETE FROM t ORDER BY a DESC LIMIT 1", "UPDATE t SET d = 0 WHERE d > 2 ORDER BY a DESC LIMIT 1", "DELETE FROM t WHERE d > 5 ORDER BY a DESC LIMIT 1", "SELECT * FROM t ORDER BY a DESC LIMIT 1 FOR UPDATE", "SELECT * FROM t WHERE d < 8 ORDER BY a DESC LIMIT 2 FOR UPDATE",
		"INSERT INTO w SELECT d + 100, b FROM t FORCE INDEX (PRIMARY) WHERE a <= 3 FOR UPDATE", "INSERT INTO w SELECT d + 100, b FROM t FORCE INDEX (k) WHERE b = 20 FOR UPDATE", "INSERT INTO w SELECT d + 100, b FROM t FORCE INDEX (k) WHERE b > 10 AND a <> 5", "INSERT INTO w SELECT d + 100, b FROM t FORCE INDEX (k) WHERE b = 20 AND a > 3",
		"SELECT t.d, w.k FROM w FORCE INDEX (PRIMARY) STRAIGHT_JOIN t FORCE INDEX (k) ON t.b = w.n WHERE w.k >= 5 AND t.a > 3 FOR UPDATE", "SELECT t.d, w.k FROM w FORCE INDEX (PRIMARY) STRAIGHT_JOIN t FORCE INDEX (k) ON t.b = w.n WHERE w.k >= 5 AND t.a % 2 = 0 LOCK IN SHARE MODE",
		"UPDATE w STRAIGHT_JOIN t FORCE INDEX (k) ON t.b = w.n SET w.n = w.n + 1 WHERE w.k = 5 AND t.a <> 3", "DELETE w FROM w STRAIGHT_JOIN t FORCE INDEX (k) ON t.b = w.n WHERE w.k = 5 AND t.a <> 3", "UPDATE t FORCE INDEX (k) SET d = (SELECT MAX(n) FROM w) WHERE b = 20 AND a > 3",
		"SELECT COUNT(*) FROM t FORCE INDEX (k) WHERE b = 20 LOCK IN SHARE MODE", "SELECT SUM(a) FROM t FORCE INDEX (k) WHERE b >= 20 LOCK IN SHARE MODE",
	} {
		for _, b := range []string{"", "SELECT * FROM w WHERE k = 5 LOCK IN SHARE MODE", "UPDATE t SET d = d + 1 WHERE a = 1"} {
			p.cases = append(p.cases, slices.DeleteFunc([]string{b, s, "SELECT * FROM t FORCE INDEX (PRIMARY) WHERE a = 5 FOR UPDATE"}, func(q string) bool { return q == "" }))
		}
	}
	return []*lockTables{p}
}
