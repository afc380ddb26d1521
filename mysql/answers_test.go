package mysql

import (
	"database/sql"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

const answeredSchema = `
CREATE TABLE product (id INT AUTO_INCREMENT PRIMARY KEY, price INT, code VARCHAR(8) COLLATE utf8mb4_bin, tag VARCHAR(8), weight DECIMAL(8,2), UNIQUE (code), UNIQUE (tag(3)));
CREATE TABLE sale (id INT PRIMARY KEY, product INT, n INT, KEY (product));
CREATE TABLE price (id INT PRIMARY KEY, v INT);
CREATE TABLE number (id INT AUTO_INCREMENT PRIMARY KEY, v INT);
CREATE TABLE word (id INT PRIMARY KEY, w VARCHAR(8), n INT, KEY w (w(2)), KEY n (n));
INSERT INTO word VALUES (1, 'abz', NULL), (2, 'aba', NULL), (3, 'ac', 1), (4, 'abm', 2), (5, 'b', 1);
CREATE TABLE part (shop INT, id INT, v INT, PRIMARY KEY (shop, id));
INSERT INTO product VALUES (1, 9, 'a', 'one', 1.5), (2, 9, 'A', 'two', 2.25), (3, 7, 'b', 'three', NULL), (4, NULL, NULL, NULL, 2.25);
INSERT INTO sale VALUES (1, 1, 2), (2, 1, 3), (3, 2, 2), (4, 9, 1), (5, NULL, 1);
INSERT INTO price VALUES (1, 10), (2, 20), (3, NULL);
INSERT INTO number VALUES (1, 5), (2, 6);
INSERT INTO part VALUES (1, 1, 5), (1, 2, 6), (2, 1, 7);`

// Statements whose answers go-mysql-server's evaluation, or our storage, had wrong once, or could have.
var answeredStatements = []string{
	"SELECT AVG(price), AVG(DISTINCT price), SUM(price), SUM(DISTINCT price), COUNT(DISTINCT price) FROM product",
	"SELECT AVG(weight), AVG(DISTINCT weight), SUM(weight), SUM(DISTINCT weight) FROM product",
	"SELECT AVG(DISTINCT price) FROM product WHERE id > 3",
	"SELECT price, AVG(DISTINCT id) FROM product GROUP BY price ORDER BY price",
	"SELECT id FROM product ORDER BY price, id DESC",
	"SELECT id FROM product ORDER BY price DESC, id",
	"SELECT id FROM product WHERE code = 'a'",
	"SELECT id FROM product WHERE tag = 'ONE'",
	"SELECT id FROM product ORDER BY code, id",
	"SELECT id FROM product ORDER BY tag, id",
	"INSERT INTO product (price, code, tag) VALUES (1, 'B', 'four')",
	"INSERT INTO product (price, code, tag) VALUES (1, 'b', 'five')",
	"INSERT INTO product (price, code, tag) VALUES (1, 'c', 'THRone')",
	"INSERT INTO product (price, code, tag) VALUES (1, 'd', NULL)",
	"INSERT INTO product (price, code, tag) VALUES (1, NULL, 'six')",
	"UPDATE product SET tag = 'twofold' WHERE id = 1",
	"UPDATE product SET tag = 'ones' WHERE id = 1",
	"REPLACE INTO price VALUES (1, 10)",
	"REPLACE INTO price VALUES (1, 11)",
	"REPLACE INTO price VALUES (1, 11), (2, 21), (4, 40)",
	"REPLACE INTO number VALUES (NULL, 7), (1, 5)",
	"SELECT LAST_INSERT_ID()",
	"REPLACE INTO number VALUES (2, 6)",
	"SELECT LAST_INSERT_ID()",
	"REPLACE INTO part VALUES (1, 1, 5), (1, 2, 7), (3, 3, 3)",
	"SELECT * FROM number ORDER BY id",
	"INSERT IGNORE INTO price VALUES (1, 1), (5, 50), (2, 2)",
	"INSERT INTO price VALUES (1, 1), (6, 60) ON DUPLICATE KEY UPDATE v = v + VALUES(v)",
	"INSERT INTO price VALUES (1, 1) ON DUPLICATE KEY UPDATE v = v",
	"UPDATE price SET v = 7 WHERE v = 7",
	"UPDATE price SET v = v + 1 ORDER BY id DESC LIMIT 2",
	"UPDATE IGNORE price SET id = 2 WHERE id = 1",
	"UPDATE price SET id = 2 WHERE id = 1",
	"UPDATE price SET id = id + 100 ORDER BY id DESC",
	"UPDATE product p JOIN sale s ON s.product = p.id SET p.price = p.price + s.n",
	"SELECT id, price FROM product ORDER BY id",
	"UPDATE product p JOIN sale s ON s.product = p.id SET p.price = 1, s.n = s.n + 1",
	"SELECT id, n FROM sale ORDER BY id",
	"DELETE p FROM product p JOIN sale s ON s.product = p.id WHERE s.n > 2",
	"SELECT id FROM product ORDER BY id",
	"DELETE s, p FROM sale s JOIN part p ON p.shop = s.id",
	"SELECT * FROM part ORDER BY shop, id",
	"SELECT * FROM sale ORDER BY id",
	"DELETE FROM part WHERE shop = 3",
	"DELETE FROM price ORDER BY id LIMIT 1",
	"SELECT * FROM price ORDER BY id",
	"SELECT COUNT(*), MIN(v), MAX(v), SUM(v) FROM price",
	"SELECT v, COUNT(*) FROM part GROUP BY v HAVING COUNT(*) > 0 ORDER BY v",
	"SELECT p.id, s.id FROM product p LEFT JOIN sale s ON s.product = p.id ORDER BY p.id, s.id",
	"SELECT id FROM sale WHERE product IN (SELECT id FROM product) ORDER BY id",
	"SELECT id FROM sale WHERE product NOT IN (1, 2) ORDER BY id",
	"SELECT id FROM sale WHERE product <=> NULL",
	"SELECT id FROM product WHERE price BETWEEN 1 AND 8 ORDER BY id LIMIT 1, 2",
	"SELECT CONCAT('a', NULL), COALESCE(NULL, 3), IF(1 > 2, 'x', 'y'), NULLIF(1, 1), GREATEST(1, 2), ROUND(2.5), 7 DIV 2, 7 % 4, 7 / 2",
	`SELECT id FROM word WHERE w LIKE 'ab%' ORDER BY w LIMIT 1`,
	`SELECT id FROM word FORCE INDEX (w) WHERE w >= 'ab' ORDER BY w`,
	`SELECT id FROM word FORCE INDEX (w) WHERE w >= 'ab' ORDER BY w DESC`,
	`SELECT id FROM word FORCE INDEX (w) WHERE w = 'abm' ORDER BY w, id`,
	`SELECT id FROM word FORCE INDEX (w) WHERE w BETWEEN 'ab' AND 'abz' ORDER BY id LIMIT 2`,
	`SELECT id FROM word FORCE INDEX (n) WHERE n IS NULL ORDER BY n, id DESC LIMIT 1`,
	`SELECT id FROM word FORCE INDEX (n) WHERE n IS NULL ORDER BY id LIMIT 1`,
	`SELECT id FROM word FORCE INDEX (n) WHERE n IS NULL OR n = 1 ORDER BY n DESC, id LIMIT 2`,
	`SELECT id FROM word FORCE INDEX (n) WHERE n = 1 OR n IS NULL ORDER BY n, id LIMIT 3`,
	`SELECT id FROM word FORCE INDEX (n) WHERE n IN (2, 1) ORDER BY n DESC, id DESC`,
	`SELECT id FROM word FORCE INDEX (n) WHERE n > 0 ORDER BY n, id`,
	`SELECT id FROM word FORCE INDEX (n) ORDER BY n DESC, id`,
	`SELECT 1 / 3, 10 / 4, 1.5 * 2, 2 / 3 * 3, -7 DIV 2, -7 % 3, 5.5 % 2`,
	`SELECT SUM(price * 1.5), SUM(price) / COUNT(*), MAX(price) - MIN(price) FROM product`,
	`SELECT AVG(price) * 2, AVG(weight) + 1, SUM(weight) * 2 FROM product`,
	`SELECT ROUND(AVG(price), 2), TRUNCATE(AVG(price), 1), FLOOR(AVG(price)), CEIL(AVG(price)) FROM product`,
	`SELECT CAST(AVG(price) AS SIGNED), CAST(1.5 AS DECIMAL(10,3)), CAST('12abc' AS SIGNED), CAST(3 AS CHAR)`,
	`SELECT id, SUM(n) OVER (ORDER BY id) FROM sale ORDER BY id`,
	`SELECT id, ROW_NUMBER() OVER (PARTITION BY product ORDER BY id DESC) FROM sale ORDER BY id`,
	`SELECT id, AVG(n) OVER () FROM sale ORDER BY id`,
	`SELECT id, LAG(n) OVER (ORDER BY id), LEAD(n) OVER (ORDER BY id) FROM sale ORDER BY id`,
	`SELECT product, GROUP_CONCAT(id ORDER BY id SEPARATOR '-') FROM sale GROUP BY product ORDER BY product`,
	`SELECT product, COUNT(*) FROM sale GROUP BY product WITH ROLLUP`,
	`SELECT LENGTH('é'), CHAR_LENGTH('é'), UPPER('é'), REVERSE('abc'), LPAD('a', 3, '-'), SUBSTRING('abcdef', 2, 3), LOCATE('c', 'abc'), REPLACE('aab', 'a', 'x')`,
	`SELECT TRIM('  a '), CONCAT_WS('-', 'a', NULL, 'b'), FIELD('b', 'a', 'b'), ELT(2, 'a', 'b'), FIND_IN_SET('b', 'a,b')`,
	`SELECT 'abc' LIKE 'A%', 'abc' LIKE 'a_c', 'a%c' LIKE 'a\%c', 'abc' REGEXP '^a.c$', 'a' = 'A', BINARY 'a' = 'A'`,
	`SELECT DATE_ADD('2024-01-31', INTERVAL 1 MONTH), DATEDIFF('2024-03-01', '2024-02-01'), DATE_FORMAT('2024-02-29', '%Y/%m/%d'), LAST_DAY('2024-02-01')`,
	`SELECT YEAR('2024-02-29'), MONTH('2024-02-29'), DAYOFWEEK('2024-02-29'), WEEKDAY('2024-02-29'), TIMESTAMPDIFF(DAY, '2024-01-01', '2024-03-01')`,
	`SELECT UNIX_TIMESTAMP('2024-01-01 00:00:00'), FROM_UNIXTIME(0), STR_TO_DATE('01,5,2013', '%d,%m,%Y'), TIME_TO_SEC('01:00:01')`,
	`SELECT JSON_EXTRACT('{"a": [1, 2]}', '$.a[1]'), JSON_OBJECT('k', 1), JSON_ARRAY(1, 'x', NULL), JSON_UNQUOTE(JSON_EXTRACT('{"a": "b"}', '$.a'))`,
	`SELECT JSON_SET('{"a": 1}', '$.b', 2), JSON_REMOVE('{"a": 1, "b": 2}', '$.a'), JSON_CONTAINS('[1, 2]', '2'), JSON_LENGTH('[1, 2, 3]'), JSON_VALID('x')`,
	`SELECT 1 = 1, 1 <> 2, NULL = NULL, NULL <=> NULL, 1 IN (1, NULL), 2 IN (1, NULL), 2 NOT IN (1, NULL), NOT NULL, 1 XOR 1, TRUE AND NULL, FALSE OR NULL`,
	`SELECT 5 & 3, 5 | 3, 5 ^ 3, ~0, 1 << 3, 16 >> 2, BIT_COUNT(7)`,
	`SELECT '5' + 3, '5a' + 3, 'a' + 1, 1 = '1', '1.0' = 1, 0 = 'a'`,
	`SELECT MD5('a'), SHA1('a'), SHA2('a', 256), HEX('abc'), UNHEX('616263'), CRC32('a'), TO_BASE64('abc')`,
	`SELECT CASE price WHEN 9 THEN 'nine' WHEN NULL THEN 'null' ELSE 'other' END FROM product ORDER BY id`,
	`SELECT id FROM product WHERE EXISTS (SELECT 1 FROM sale WHERE sale.product = product.id) ORDER BY id`,
	`SELECT id, (SELECT COUNT(*) FROM sale WHERE sale.product = product.id) FROM product ORDER BY id`,
	`SELECT id FROM product WHERE price > ALL (SELECT n FROM sale) ORDER BY id`,
	`SELECT id FROM product WHERE price = ANY (SELECT n + 7 FROM sale) ORDER BY id`,
	`WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 4) SELECT n FROM c`,
	`WITH s AS (SELECT product, SUM(n) AS total FROM sale GROUP BY product) SELECT p.id, s.total FROM product p LEFT JOIN s ON s.product = p.id ORDER BY p.id`,
	`SELECT id FROM product UNION SELECT id FROM sale ORDER BY id DESC LIMIT 3`,
	`SELECT 1 UNION ALL SELECT 1`,
	`SELECT id FROM product INTERSECT SELECT id FROM sale ORDER BY id`,
	`SELECT id FROM sale EXCEPT SELECT id FROM product ORDER BY id`,
	`SELECT DISTINCT price FROM product ORDER BY price`,
	`SELECT p.id, s.id FROM product p RIGHT JOIN sale s ON s.product = p.id ORDER BY s.id`,
	`SELECT p.id, s.id FROM product p CROSS JOIN sale s WHERE p.id = s.id ORDER BY p.id`,
	`SELECT id FROM sale JOIN product USING (id) ORDER BY id`,
	`SELECT id FROM sale NATURAL JOIN product ORDER BY id`,
	`SELECT COUNT(*) FROM product, sale`,
	`SELECT id, price FROM product WHERE (id, price) IN ((1, 9), (3, 7)) ORDER BY id`,
	`SELECT id FROM product WHERE (id, price) > (1, 9) ORDER BY id`,
	`SELECT MAX(id) FROM product WHERE price IS NULL HAVING MAX(id) > 0`,
	`SELECT price, id FROM product GROUP BY price ORDER BY price`,
	`SELECT id FROM product ORDER BY 2`,
	`SELECT id + FROM product`,
	`SELECT id FROM product WHERE id = 'x'`,
	`SELECT id FROM product WHERE id = '1x'`,
	`SELECT BIT_AND(id), BIT_OR(id) FROM product`,
	`SELECT ABS(-5), SIGN(-2), POW(2, 10), SQRT(16), MOD(10, 3), LOG10(100), EXP(0)`,
	`SELECT 9223372036854775807 + 1`,
	`SELECT 18446744073709551615, -9223372036854775808, 0.1 + 0.2, 1e3, 1.10`,
	`SELECT INSERT('abc', 2, 1, 'xy'), LEFT('abc', 2), RIGHT('abc', 2), REPEAT('a', 3), SPACE(2), STRCMP('a', 'b'), ASCII('a'), CHAR(97)`,
	`SELECT FORMAT(12345.678, 2), INET_ATON('10.0.0.1'), UUID() IS NULL, CONVERT('a' USING utf8mb4), LOWER('A'), ORD('a'), QUOTE('a''b')`,
	`SELECT IFNULL(NULL, 'x'), ISNULL(NULL), LEAST(1, NULL), LAST_INSERT_ID(7)`,
	`SELECT LAST_INSERT_ID()`,
	`SELECT FOUND_ROWS(), ROW_COUNT()`,
	`INSERT INTO price SET id = 9, v = DEFAULT`,
	`INSERT INTO price (id) VALUES (10), (9)`,
	`INSERT INTO price VALUES (11)`,
	`INSERT INTO price VALUES ('12', '5')`,
	`INSERT INTO price VALUES (13, 'x')`,
	`INSERT INTO price VALUES (14, 2147483648)`,
	`INSERT INTO price VALUES (14, 1.5)`,
	`SELECT v FROM price WHERE id = 14`,
	`INSERT INTO product (code, weight) VALUES ('w', 1.005)`,
	`SELECT weight FROM product WHERE code = 'w'`,
	`INSERT INTO product (code, weight) VALUES ('w2', 1234567.5)`,
	`INSERT INTO product (code) VALUES ('toolongcode')`,
	`UPDATE price SET v = v / 3 WHERE id = 1`,
	`SELECT v FROM price WHERE id = 1`,
	`UPDATE price SET v = NULL, id = id WHERE id = 2`,
	`UPDATE price SET v = v + 1, v = v * 2 WHERE id = 1`,
	`UPDATE price SET id = 1 WHERE id = 9`,
	`UPDATE sale SET n = (SELECT MAX(price) FROM product) WHERE id = 1`,
	`UPDATE price SET v = (SELECT MAX(v) FROM price) WHERE id = 1`,
	`DELETE FROM price WHERE id IN (SELECT id FROM price)`,
	`DELETE FROM sale WHERE id = (SELECT MAX(id) FROM product)`,
	`TRUNCATE TABLE part`,
	`SELECT COUNT(*) FROM part`,
	`START TRANSACTION`,
	`INSERT INTO part VALUES (7, 7, 7)`,
	`SAVEPOINT a`,
	`INSERT INTO part VALUES (8, 8, 8)`,
	`ROLLBACK TO a`,
	`COMMIT`,
	`SELECT * FROM part`,
	`ROLLBACK TO nowhere`,
	`SET @x = 5`,
	`SELECT @x + 1, @y`,
	`SELECT @@autocommit, @@sql_mode IS NULL`,
	`SHOW TABLES`,
	`DO 1`,
	`INSERT INTO price VALUES (20, 1), (21, 2), (20, 3)`,
	`SELECT COUNT(*) FROM price WHERE id >= 20`,
	`INSERT IGNORE INTO price VALUES (22, 'x'), (23, 99999999999)`,
	`SELECT id, v FROM price WHERE id >= 22 ORDER BY id`,
	`UPDATE IGNORE price SET id = 22 WHERE id >= 10`,
	`UPDATE product JOIN price ON price.id = product.id SET product.price = price.v, price.v = product.price`,
	`SELECT p.id, p.price, q.v FROM product p JOIN price q ON q.id = p.id ORDER BY p.id`,
	`INSERT INTO price SELECT id + 100, n FROM sale`,
	`INSERT INTO price SELECT id, n FROM sale ON DUPLICATE KEY UPDATE v = price.v + sale.n`,
	`INSERT INTO price VALUES (50, 1) ON DUPLICATE KEY UPDATE id = 51`,
	`INSERT INTO price VALUES (50, 1) ON DUPLICATE KEY UPDATE id = 51`,
	`SELECT id FROM price WHERE id >= 50 AND id < 60`,
	`REPLACE INTO product (id, code) VALUES (1, 'b')`,
	`SELECT id, code FROM product ORDER BY id`,
	`INSERT INTO product (code, tag) VALUES ('zz', 'one') RETURNING id`,
}

// Statements one after another on the engine and on a MariaDB: the answers, affected rows, numbers of
// AUTO_INCREMENT and errors are equal, and what is left.
func TestAnswersOnServer(t *testing.T) {
	server := scratchtest.Start(t, scratch.MariaDB, nil)
	config, err := driver.ParseDSN(server.DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	config.MultiStatements, config.ParseTime = true, true
	connector, err := driver.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	real, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := real.ExecContext(t.Context(), "CREATE DATABASE answers CHARACTER SET utf8mb4; USE answers; "+answeredSchema); err != nil {
		t.Fatal(err)
	}
	ours := connect(t, answeredSchema, false)
	for _, statement := range answeredStatements {
		want := answer(t.Context(), real, statement)
		if got := answer(t.Context(), ours, statement); got != want {
			t.Errorf("%s\n got %s\nwant %s", statement, got, want)
		}
	}
}
