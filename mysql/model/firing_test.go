package model_test

import (
	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/isolation/statement"
)

const (
	fires   = "CREATE TABLE g (a INT PRIMARY KEY, d INT NOT NULL)"
	values  = "CREATE TABLE w (k INT PRIMARY KEY, n INT NOT NULL)"
	values5 = "INSERT INTO w VALUES (5, 20), (8, 10)"
)

// firing are programs with triggers.
var firing = []known{
	{"a trigger's SELECT locks at SERIALIZABLE, in autocommit too", mariadb.Script{Level: statement.Serializable,
		Schema: []string{fires, values, "CREATE TRIGGER f AFTER INSERT ON g FOR EACH ROW BEGIN DECLARE q INT; SELECT n INTO q FROM w WHERE k = 5; UPDATE w SET n = q + 1 WHERE k = 5; END"}, Rows: []string{values5}, Tables: []string{"w", "g"},
		Sessions: [][]string{{"INSERT INTO g VALUES (1, 1)"}, {"INSERT INTO g VALUES (2, 2)"}}},
		[]string{"s0[1] s1[1] w[5,22 8,10]g[1,1 2,2]"}},
	{"but not at REPEATABLE READ", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{fires, values, "CREATE TRIGGER f AFTER INSERT ON g FOR EACH ROW BEGIN DECLARE q INT; SELECT n INTO q FROM w WHERE k = 5; UPDATE w SET n = q + 1 WHERE k = 5; END"}, Rows: []string{values5}, Tables: []string{"w", "g"},
		Sessions: [][]string{{mariadb.Begin, "INSERT INTO g VALUES (1, 1)", mariadb.Commit}, {mariadb.Begin, "INSERT INTO g VALUES (2, 2)", mariadb.Commit}}},
		[]string{"s0[1 C] s1[1 C] w[5,21 8,10]g[1,1 2,2]", "s0[1 C] s1[1 C] w[5,22 8,10]g[1,1 2,2]"}},
	{"a trigger that locks a table of its statement for writing", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{fires, values, "CREATE TRIGGER f AFTER INSERT ON g FOR EACH ROW BEGIN DECLARE q INT; SELECT n INTO q FROM w WHERE k = 6 FOR UPDATE; END"}, Rows: []string{values5}, Tables: []string{"w", "g"},
		Sessions: [][]string{{"INSERT INTO g SELECT 1, n FROM w WHERE k = 5"}}},
		[]string{"s0[!1442] w[5,20 8,10]g[]"}},
	{"or would insert no row into it", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{fires, values, "CREATE TRIGGER f AFTER INSERT ON g FOR EACH ROW INSERT INTO w SELECT 9, 9 FROM dual WHERE 1 = 0"}, Rows: []string{values5}, Tables: []string{"w", "g"},
		Sessions: [][]string{{"INSERT INTO g SELECT 1, n FROM w WHERE k = 5"}}},
		[]string{"s0[!1442] w[5,20 8,10]g[]"}},
	{"or delete none", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{fires, values, "CREATE TRIGGER f BEFORE UPDATE ON g FOR EACH ROW DELETE FROM w WHERE k = 5 AND EXISTS (SELECT 1 FROM g WHERE a = 9)"}, Rows: []string{values5, "INSERT INTO g VALUES (1, 1)"}, Tables: []string{"w", "g"},
		Sessions: [][]string{{"UPDATE g JOIN w ON w.k = 5 SET g.d = g.d + 1 WHERE g.a = 1", "UPDATE g JOIN w ON w.k = 7 SET g.d = g.d + 1 WHERE g.a = 1"}}},
		[]string{"s0[!1442 0] w[5,20 8,10]g[1,1]"}},
	{"ON DUPLICATE KEY UPDATE fires what inserts, and what updates the row that is there", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{fires, "CREATE TABLE w (k INT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL)",
			"CREATE TRIGGER f1 BEFORE INSERT ON g FOR EACH ROW INSERT INTO w (n) VALUES (100 + NEW.d)", "CREATE TRIGGER f2 AFTER INSERT ON g FOR EACH ROW INSERT INTO w (n) VALUES (200 + NEW.d)",
			"CREATE TRIGGER f3 BEFORE UPDATE ON g FOR EACH ROW INSERT INTO w (n) VALUES (300 + NEW.d - OLD.d)", "CREATE TRIGGER f4 AFTER UPDATE ON g FOR EACH ROW INSERT INTO w (n) VALUES (400 + NEW.d - OLD.d)"}, Tables: []string{"w", "g"},
		Sessions: [][]string{{"INSERT INTO g VALUES (1, 5) ON DUPLICATE KEY UPDATE d = 50", "INSERT INTO g VALUES (1, 6), (2, 7) ON DUPLICATE KEY UPDATE d = d + 3", "INSERT INTO g VALUES (2, 9) ON DUPLICATE KEY UPDATE d = 7", "SELECT n FROM w"}}},
		[]string{"s0[1 3 0 [105 205 106 303 403 107 207 109 300 400]] w[1,105 2,205 3,106 4,303 5,403 6,107 7,207 8,109 9,300 10,400]g[1,8 2,7]"}},
	{"where BEFORE UPDATE sets what is checked then", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{"CREATE TABLE g (a INT PRIMARY KEY, d INT NOT NULL, CHECK (d < 100))", "CREATE TRIGGER f BEFORE UPDATE ON g FOR EACH ROW SET NEW.d = NEW.d * 2"}, Rows: []string{"INSERT INTO g VALUES (1, 5)"}, Tables: []string{"g"},
		Sessions: [][]string{{"INSERT INTO g VALUES (1, 6) ON DUPLICATE KEY UPDATE d = d + 10", "INSERT INTO g VALUES (1, 6) ON DUPLICATE KEY UPDATE d = 15", "INSERT INTO g VALUES (1, 6) ON DUPLICATE KEY UPDATE d = 60"}}},
		[]string{"s0[2 0 !4025] g[1,30]"}},
	{"also where a trigger inserts", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{fires, "CREATE TABLE h (a INT PRIMARY KEY, d INT NOT NULL)", "CREATE TABLE w (k INT PRIMARY KEY, n INT NOT NULL)", "CREATE TRIGGER f1 AFTER INSERT ON h FOR EACH ROW INSERT INTO g VALUES (NEW.a, NEW.d) ON DUPLICATE KEY UPDATE d = d + VALUES(d)",
			"CREATE TRIGGER f2 AFTER UPDATE ON g FOR EACH ROW UPDATE w SET n = n + NEW.d WHERE k = 5"}, Rows: []string{values5}, Tables: []string{"h", "g", "w"},
		Sessions: [][]string{{"INSERT INTO h VALUES (1, 6)", "REPLACE INTO h VALUES (1, 7), (2, 1)"}}},
		[]string{"s0[1 3] h[1,7 2,1]g[1,13 2,1]w[5,33 8,10]"}},
	{"REPLACE fires INSERT triggers with the new row", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{fires, values, "CREATE TRIGGER f AFTER INSERT ON g FOR EACH ROW UPDATE w SET n = n + NEW.d WHERE k = 5"}, Rows: []string{values5, "INSERT INTO g VALUES (1, 3)"}, Tables: []string{"w", "g"},
		Sessions: [][]string{{"REPLACE INTO g VALUES (1, 5)", "REPLACE INTO g VALUES (2, 7)"}}},
		[]string{"s0[2 1] w[5,35 8,10]g[1,5 2,7]"}},
	{"what triggers of ON DUPLICATE KEY UPDATE change waits and is undone", mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{fires, values, "CREATE TRIGGER undone1 AFTER UPDATE ON g FOR EACH ROW BEGIN IF NEW.d > 10 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'; END IF; UPDATE w SET n = n + NEW.d - OLD.d WHERE k = 5; END", "CREATE TRIGGER undone2 AFTER INSERT ON g FOR EACH ROW UPDATE w SET n = n + NEW.d WHERE k = 5"}, Rows: []string{values5}, Tables: []string{"w", "g"},
		Sessions: [][]string{{mariadb.Begin, "INSERT INTO g VALUES (1, 6) ON DUPLICATE KEY UPDATE d = d + 3", mariadb.Commit}, {mariadb.Begin, "INSERT INTO g VALUES (1, 5) ON DUPLICATE KEY UPDATE d = d + 5", mariadb.Commit}}},
		[]string{"s0[1 C] s1[!1644] w[5,26 8,10]g[1,6]", "s0[2 C] s1[1 C] w[5,28 8,10]g[1,8]"}},
}
