package model_test

import (
	"flag"
	"testing"

	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

var applicationsEvery = flag.Int("applications-every", 5, "of the programs as applications have them, every so manieth is compared with a real server")

// applications are programs as applications have them, in the words that people use: no index
// is named.
var applications = []struct {
	name     string
	schema   []string
	rows     []string
	tables   []string
	sessions [][]string
}{
	{"a queue by SKIP LOCKED", []string{"CREATE TABLE job (id INT PRIMARY KEY, state VARCHAR(10) NOT NULL, who INT NULL, KEY ks (state))"}, []string{"INSERT INTO job VALUES (1, 'new', NULL), (2, 'new', NULL), (3, 'done', NULL)"}, []string{"job"},
		[][]string{{mariadb.Begin, "SELECT id INTO @id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", "UPDATE job SET state = 'run', who = 1 WHERE id = @id", mariadb.Commit},
			{mariadb.Begin, "SELECT id INTO @id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", "UPDATE job SET state = 'run', who = 2 WHERE id = @id", mariadb.Commit}}},
	{"a queue by UPDATE with LIMIT", []string{"CREATE TABLE job (id INT PRIMARY KEY, state VARCHAR(10) NOT NULL, who INT NULL, KEY ks (state, who))"}, []string{"INSERT INTO job VALUES (1, 'new', NULL), (2, 'new', NULL), (3, 'done', 7)"}, []string{"job"},
		[][]string{{mariadb.Begin, "UPDATE job SET who = 1 WHERE state = 'new' AND who IS NULL ORDER BY id LIMIT 1", "SELECT id FROM job WHERE who = 1", mariadb.Commit},
			{mariadb.Begin, "UPDATE job SET who = 2 WHERE state = 'new' AND who IS NULL ORDER BY id LIMIT 1", "SELECT id FROM job WHERE who = 2", mariadb.Commit}}},
	{"the next page", []string{"CREATE TABLE job (id INT PRIMARY KEY, kind INT NOT NULL, n INT NOT NULL, KEY ks (kind))"}, []string{"INSERT INTO job VALUES (1, 1, 0), (2, 1, 0), (3, 2, 0), (4, 1, 0), (6, 1, 0)"}, []string{"job"},
		[][]string{{mariadb.Begin, "SELECT id, n FROM job WHERE kind = 1 AND id > 1 ORDER BY id LIMIT 2 FOR UPDATE", "UPDATE job SET n = n + 1 WHERE id IN (2, 4)", mariadb.Commit},
			{mariadb.Begin, "UPDATE job SET n = 5 WHERE id = 1", "INSERT INTO job VALUES (5, 1, 9)", mariadb.Commit}}},
	{"a counter", []string{"CREATE TABLE c (k VARCHAR(10) PRIMARY KEY, n INT NOT NULL)"}, []string{"INSERT INTO c VALUES ('b', 1)"}, []string{"c"},
		[][]string{{mariadb.Begin, "INSERT INTO c VALUES ('a', 1) ON DUPLICATE KEY UPDATE n = n + VALUES(n)", "SELECT n FROM c WHERE k = 'a'", mariadb.Commit},
			{mariadb.Begin, "INSERT INTO c VALUES ('a', 2), ('b', 2) ON DUPLICATE KEY UPDATE n = n + VALUES(n)", mariadb.Commit}}},
	{"a key of idempotency", []string{"CREATE TABLE k (id VARCHAR(10) PRIMARY KEY, res INT NULL)", "CREATE TABLE acc (id INT PRIMARY KEY, n INT NOT NULL)"}, []string{"INSERT INTO acc VALUES (1, 100)"}, []string{"k", "acc"},
		[][]string{{mariadb.Begin, "INSERT IGNORE INTO k (id) VALUES ('x')", "UPDATE acc SET n = n - 10 WHERE id = 1", "UPDATE k SET res = 1 WHERE id = 'x'", mariadb.Commit},
			{mariadb.Begin, "INSERT IGNORE INTO k (id) VALUES ('x')", "SELECT res FROM k WHERE id = 'x'", mariadb.Commit}}},
	{"a stock by a unique key", []string{"CREATE TABLE item (id INT PRIMARY KEY, sku VARCHAR(10) NOT NULL, stock INT NOT NULL, UNIQUE KEY us (sku))"}, []string{"INSERT INTO item VALUES (1, 'a', 1), (2, 'c', 5)"}, []string{"item"},
		[][]string{{mariadb.Begin, "SELECT stock FROM item WHERE sku = 'a' FOR UPDATE", "UPDATE item SET stock = stock - 1 WHERE sku = 'a' AND stock > 0", mariadb.Commit},
			{mariadb.Begin, "UPDATE item SET stock = stock - 1 WHERE sku = 'a' AND stock > 0", "INSERT INTO item VALUES (3, 'b', 1)", mariadb.Commit}}},
	{"a room is booked", []string{"CREATE TABLE b (id INT PRIMARY KEY, room INT NOT NULL, since INT NOT NULL, till INT NOT NULL, KEY kr (room, since))"}, []string{"INSERT INTO b VALUES (1, 1, 30, 40), (2, 2, 10, 20)"}, []string{"b"},
		[][]string{{mariadb.Begin, "SELECT COUNT(*) FROM b WHERE room = 1 AND s < 20 AND e > 10 FOR UPDATE", "INSERT INTO b VALUES (3, 1, 10, 20)", mariadb.Commit},
			{mariadb.Begin, "SELECT COUNT(*) FROM b WHERE room = 1 AND s < 25 AND e > 15 FOR UPDATE", "INSERT INTO b VALUES (4, 1, 15, 25)", mariadb.Commit}}},
	{"a user is deleted softly", []string{"CREATE TABLE u (a INT PRIMARY KEY, b VARCHAR(10) NOT NULL, c INT NULL, UNIQUE KEY ue (b, c))"}, []string{"INSERT INTO u VALUES (1, 'a', NULL), (2, 'c', NULL)"}, []string{"u"},
		[][]string{{mariadb.Begin, "UPDATE u SET c = 5 WHERE b = 'a' AND c IS NULL", "INSERT INTO u VALUES (3, 'a', NULL)", mariadb.Commit},
			{mariadb.Begin, "SELECT a FROM u WHERE b = 'a' AND c IS NULL FOR UPDATE", "INSERT INTO u VALUES (4, 'b', NULL)", mariadb.Commit}}},
	{"a version", []string{"CREATE TABLE d (id INT PRIMARY KEY, v INT NOT NULL, w VARCHAR(10))"}, []string{"INSERT INTO d VALUES (1, 1, 'o')"}, []string{"d"},
		[][]string{{mariadb.Begin, "SELECT v FROM d WHERE id = 1", "UPDATE d SET v = v + 1, t = 'x' WHERE id = 1 AND v = 1", mariadb.Commit},
			{mariadb.Begin, "SELECT v FROM d WHERE id = 1", "UPDATE d SET v = v + 1, t = 'y' WHERE id = 1 AND v = 1", mariadb.Commit}}},
	{"a customer goes with the orders", []string{"CREATE TABLE cu (id INT PRIMARY KEY, n INT NULL)", "CREATE TABLE o (a INT PRIMARY KEY, cu INT NOT NULL, n INT NOT NULL, KEY kc (cu), FOREIGN KEY (cu) REFERENCES cu (id) ON DELETE CASCADE)"}, []string{"INSERT INTO cu VALUES (1, 0), (2, 0)", "INSERT INTO o VALUES (1, 1, 0), (2, 2, 0)"}, []string{"o", "cu"},
		[][]string{{mariadb.Begin, "DELETE FROM cu WHERE id = 1", mariadb.Commit},
			{mariadb.Begin, "UPDATE o SET n = n + 1 WHERE cu = 1", "INSERT INTO o VALUES (3, 1, 0)", mariadb.Commit}}},
	{"a total", []string{"CREATE TABLE o (id INT PRIMARY KEY, total INT NOT NULL)", "CREATE TABLE i (id INT PRIMARY KEY, o INT NOT NULL, p INT NOT NULL, KEY ko (o))"}, []string{"INSERT INTO o VALUES (1, 5)", "INSERT INTO i VALUES (1, 1, 5)"}, []string{"o", "i"},
		[][]string{{mariadb.Begin, "INSERT INTO i VALUES (2, 1, 7)", "UPDATE o SET total = (SELECT SUM(p) FROM i WHERE o = 1) WHERE id = 1", mariadb.Commit},
			{mariadb.Begin, "INSERT INTO i VALUES (3, 1, 9)", "UPDATE o SET total = (SELECT SUM(p) FROM i WHERE o = 1) WHERE id = 1", mariadb.Commit}}},
	{"a transfer", []string{"CREATE TABLE acc (id INT PRIMARY KEY, n INT NOT NULL)"}, []string{"INSERT INTO acc VALUES (1, 100), (2, 100), (3, 0)"}, []string{"acc"},
		[][]string{{mariadb.Begin, "SELECT id, n FROM acc WHERE id IN (2, 1) FOR UPDATE", "UPDATE acc SET n = CASE id WHEN 1 THEN n - 10 ELSE n + 10 END WHERE id IN (1, 2)", mariadb.Commit},
			{mariadb.Begin, "UPDATE acc SET n = n - 5 WHERE id = 2", "UPDATE acc SET n = n + 5 WHERE id = 1", mariadb.Commit}}},
	{"the best", []string{"CREATE TABLE s (id INT PRIMARY KEY, n INT NOT NULL, w INT NOT NULL, KEY kn (n))"}, []string{"INSERT INTO s VALUES (1, 10, 0), (2, 20, 0), (3, 15, 0)"}, []string{"s"},
		[][]string{{mariadb.Begin, "SELECT id, w FROM s ORDER BY n DESC LIMIT 1 FOR UPDATE", "UPDATE s SET w = 1 WHERE id = 2", mariadb.Commit},
			{mariadb.Begin, "UPDATE s SET n = 30 WHERE id = 1", mariadb.Commit}}},
	{"the next event by INSERT … SELECT", []string{"CREATE TABLE ev (agg INT, seq INT, v INT, PRIMARY KEY (agg, seq))"}, []string{"INSERT INTO ev VALUES (1, 1, 0), (2, 1, 0)"}, []string{"ev"},
		[][]string{{mariadb.Begin, "INSERT INTO ev SELECT 1, COALESCE(MAX(seq), 0) + 1, 5 FROM ev WHERE agg = 1", mariadb.Commit},
			{mariadb.Begin, "INSERT INTO ev SELECT 1, COALESCE(MAX(seq), 0) + 1, 6 FROM ev WHERE agg = 1", mariadb.Commit}}},
	{"the next event by MAX", []string{"CREATE TABLE ev (agg INT, seq INT, v INT, PRIMARY KEY (agg, seq))"}, []string{"INSERT INTO ev VALUES (1, 1, 0), (1, 2, 0), (2, 1, 0)"}, []string{"ev"},
		[][]string{{mariadb.Begin, "SELECT MAX(seq) FROM ev WHERE agg = 1 FOR UPDATE", "INSERT INTO ev VALUES (1, 3, 5)", mariadb.Commit},
			{mariadb.Begin, "UPDATE ev SET v = 9 WHERE agg = 1 AND seq = 1", "INSERT INTO ev VALUES (1, 3, 6)", mariadb.Commit}}},
	{"what is unread", []string{"CREATE TABLE n (id INT PRIMARY KEY, x INT NOT NULL, y INT NOT NULL, KEY ku (x, y))"}, []string{"INSERT INTO n VALUES (1, 1, 0), (2, 1, 1), (3, 2, 0)"}, []string{"n"},
		[][]string{{mariadb.Begin, "SELECT COUNT(*) FROM n WHERE x = 1 AND y = 0", "UPDATE n SET y = 1 WHERE x = 1 AND y = 0", mariadb.Commit},
			{mariadb.Begin, "INSERT INTO n VALUES (4, 1, 0)", "UPDATE n SET y = 0 WHERE id = 2", mariadb.Commit}}},
	{"a lease", []string{"CREATE TABLE l (a VARCHAR(10) PRIMARY KEY, c INT NOT NULL, d INT NOT NULL)"}, []string{"INSERT INTO l VALUES ('l', 9, 1)"}, []string{"l"},
		[][]string{{"INSERT INTO l VALUES ('l', 1, 10) ON DUPLICATE KEY UPDATE c = IF(d < 5, VALUES(c), c), d = IF(c = VALUES(c), VALUES(d), d)", "SELECT c FROM l WHERE a = 'l'"},
			{"INSERT INTO l VALUES ('l', 2, 10) ON DUPLICATE KEY UPDATE c = IF(d < 5, VALUES(c), c), d = IF(c = VALUES(c), VALUES(d), d)", "SELECT c FROM l WHERE a = 'l'"}}},
	{"tags are set anew", []string{"CREATE TABLE pt (post INT, tag INT, PRIMARY KEY (post, tag), KEY kt (tag))"}, []string{"INSERT INTO pt VALUES (1, 1), (1, 3), (2, 1)"}, []string{"pt"},
		[][]string{{mariadb.Begin, "DELETE FROM pt WHERE post = 1", "INSERT INTO pt VALUES (1, 1), (1, 2)", mariadb.Commit},
			{mariadb.Begin, "DELETE FROM pt WHERE post = 1", "INSERT INTO pt VALUES (1, 2), (1, 3)", mariadb.Commit}}},
	{"what has expired", []string{"CREATE TABLE s (id INT PRIMARY KEY, till INT NOT NULL, KEY kt (till))"}, []string{"INSERT INTO s VALUES (1, 5), (2, 15), (3, 25)"}, []string{"s"},
		[][]string{{mariadb.Begin, "DELETE FROM s WHERE till < 10", mariadb.Commit, "SELECT COUNT(*) FROM s"},
			{mariadb.Begin, "UPDATE s SET till = 30 WHERE id = 1", "INSERT INTO s VALUES (4, 7)", mariadb.Commit}}},
	{"a list is ordered anew", []string{"CREATE TABLE li (id INT PRIMARY KEY, l INT NOT NULL, pos INT NOT NULL, UNIQUE KEY ul (l, pos))"}, []string{"INSERT INTO li VALUES (1, 1, 1), (2, 1, 2), (3, 1, 3)"}, []string{"li"},
		[][]string{{mariadb.Begin, "UPDATE li SET pos = pos + 1 WHERE l = 1 AND pos >= 2 ORDER BY pos DESC", "INSERT INTO li VALUES (4, 1, 2)", mariadb.Commit},
			{mariadb.Begin, "DELETE FROM li WHERE id = 2", "UPDATE li SET pos = pos - 1 WHERE l = 1 AND pos > 2 ORDER BY pos", mariadb.Commit}}},
	{"a seat", []string{"CREATE TABLE seat (a INT AUTO_INCREMENT PRIMARY KEY, b INT NOT NULL, c INT NOT NULL, UNIQUE KEY ue (b, c))"}, []string{"DELETE FROM seat", "ALTER TABLE seat AUTO_INCREMENT = 1", "INSERT INTO seat (b, c) VALUES (1, 1)"}, []string{"seat"},
		[][]string{{mariadb.Begin, "SELECT COUNT(*) FROM seat WHERE b = 1", "INSERT INTO seat (b, c) VALUES (1, 2)", mariadb.Commit},
			{mariadb.Begin, "INSERT INTO seat (b, c) VALUES (1, 2)", "INSERT INTO seat (b, c) VALUES (1, 3)", mariadb.Commit}}},
	{"the newest message", []string{"CREATE TABLE m (id INT PRIMARY KEY, room INT NOT NULL, txt INT NOT NULL, KEY kr (room))"}, []string{"INSERT INTO m VALUES (1, 1, 0), (2, 1, 0), (3, 2, 0)"}, []string{"m"},
		[][]string{{mariadb.Begin, "SELECT id, txt FROM m WHERE room = 1 ORDER BY id DESC LIMIT 1 FOR UPDATE", "INSERT INTO m VALUES (4, 1, 1)", mariadb.Commit},
			{mariadb.Begin, "UPDATE m SET txt = 5 WHERE id = 1", "DELETE FROM m WHERE room = 1 ORDER BY id DESC LIMIT 1", mariadb.Commit}}},
	{"an order with its customer", []string{"CREATE TABLE cu (a INT PRIMARY KEY, n INT NOT NULL)", "CREATE TABLE o (a INT PRIMARY KEY, c INT NOT NULL, paid INT NOT NULL)"}, []string{"INSERT INTO cu VALUES (1, 0), (2, 0)", "INSERT INTO o VALUES (1, 1, 0), (2, 2, 0)"}, []string{"o", "cu"},
		[][]string{{mariadb.Begin, "SELECT o.paid, cu.n FROM o JOIN cu ON cu.a = o.c WHERE o.a = 1 FOR UPDATE", "UPDATE o JOIN cu ON cu.a = o.c SET o.paid = 1, cu.n = cu.n + 1 WHERE o.a = 1", mariadb.Commit},
			{mariadb.Begin, "UPDATE cu SET n = n + 5 WHERE a = 1", "UPDATE o SET paid = 2 WHERE a = 1", mariadb.Commit}}},
	{"a job that no one else has", []string{"CREATE TABLE job (id INT PRIMARY KEY, k VARCHAR(10) NOT NULL, state INT NOT NULL, KEY kk (k))"}, []string{"INSERT INTO job VALUES (1, 'a', 2)"}, []string{"job"},
		[][]string{{mariadb.Begin, "INSERT INTO job SELECT 2, 'a', 1 FROM dual WHERE NOT EXISTS (SELECT 1 FROM job WHERE k = 'a' AND state = 1)", mariadb.Commit},
			{mariadb.Begin, "INSERT INTO job SELECT 3, 'a', 1 FROM dual WHERE NOT EXISTS (SELECT 1 FROM job WHERE k = 'a' AND state = 1)", mariadb.Commit}}},
	{"an outbox", []string{"CREATE TABLE box (id INT AUTO_INCREMENT PRIMARY KEY, sent INT NULL, KEY ks (sent))"}, []string{"DELETE FROM box", "ALTER TABLE box AUTO_INCREMENT = 1", "INSERT INTO box (sent) VALUES (NULL), (1), (NULL)"}, []string{"box"},
		[][]string{{mariadb.Begin, "SELECT id FROM box WHERE sent IS NULL ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED", "UPDATE box SET sent = 1 WHERE id IN (1, 3)", mariadb.Commit},
			{mariadb.Begin, "INSERT INTO box (sent) VALUES (NULL)", "SELECT COUNT(*) FROM box WHERE sent IS NULL", mariadb.Commit}}},
}

// TestApplicationsOnServer compares programs as applications have them with a MariaDB server
// that it starts, where one is installed.
func TestApplicationsOnServer(t *testing.T) {
	server := scratchtest.Start(t, scratch.MariaDB, map[string]string{
		"innodb-flush-log-at-trx-commit": "0", "innodb-doublewrite": "0", "innodb-lock-wait-timeout": "10000"})
	r, err := mariadb.Connect(t.Context(), server.DSN(""), 3)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := 0
	for _, level := range mariadb.Levels {
		for _, x := range applications {
			if n++; n%*applicationsEvery == 0 {
				p := mariadb.Script{Level: level, Schema: x.schema, Rows: x.rows, Tables: x.tables, Sessions: x.sessions}
				t.Run(level+"/"+x.name, func(t *testing.T) { compareScript(t, r, uint64(n), p.Explicit()) })
			}
		}
	}
}
