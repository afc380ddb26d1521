package forms

// MariaDB makes a program for MariaDB.
func MariaDB(seed uint64, classes Class) *Program { return mariadb.random(seed, classes) }

var mariadb = dialect{
	tables: `CREATE TABLE item (id int PRIMARY KEY, code varchar(20), qty int NOT NULL, state varchar(20) NOT NULL DEFAULT 'new', UNIQUE KEY code (code), KEY state (state));
CREATE TABLE part (id int PRIMARY KEY, item_id int NOT NULL, qty int NOT NULL DEFAULT 1, KEY item_id (item_id), CONSTRAINT part_item FOREIGN KEY (item_id) REFERENCES item (id));
CREATE TABLE note (id int AUTO_INCREMENT PRIMARY KEY, item_id int, what varchar(40));
`,
	triggers: []string{
		"CREATE TRIGGER parted AFTER INSERT ON part FOR EACH ROW UPDATE item SET qty = qty - NEW.qty WHERE id = NEW.item_id;\n",
		"CREATE TRIGGER noted AFTER UPDATE ON item FOR EACH ROW INSERT INTO note (item_id, what) VALUES (NEW.id, NEW.state);\n",
		"CREATE TRIGGER lowest BEFORE UPDATE ON item FOR EACH ROW SET NEW.qty = greatest(NEW.qty, 0);\n",
	},
	save: [2]string{"SAVEPOINT s", "ROLLBACK TO SAVEPOINT s"},
	forms: []form{
		{0, 2, fill("SELECT qty FROM item WHERE id = $i")},
		{0, 1, fill("SELECT id, qty, state FROM item ORDER BY id")},
		{0, 1, fill("SELECT count(*), sum(qty) FROM part WHERE item_id = $i")},
		{0, 1, fill("SELECT what FROM note ORDER BY what")},
		{0, 3, fill("UPDATE item SET qty = qty - $q WHERE id = $i")},
		{0, 2, fill("UPDATE item SET qty = qty - $q WHERE id = $i AND qty >= $q")},
		{0, 1, fill("UPDATE item SET state = $w WHERE id = $i AND state = 'new'")},
		{0, 1, fill("UPDATE item SET code = 'c$n' WHERE id = $i")},
		{0, 2, fill("INSERT INTO item VALUES ($n, 'c$n', $q, 'new')")},
		{0, 1, fill("INSERT INTO note (item_id, what) VALUES ($i, $w)")},
		{0, 1, fill("DELETE FROM note WHERE item_id = $i")},
		{0, 2, fill("SELECT qty FROM item WHERE id = $i FOR UPDATE")},
		{0, 1, fill("SELECT qty FROM item WHERE id = $i LOCK IN SHARE MODE")},
		{0, 1, fill("SELECT qty FROM item WHERE code = 'c$n' FOR UPDATE")},
		{Foreign, 2, fill("INSERT INTO part (id, item_id) VALUES ($n$k, $i)")},
		{Foreign, 1, fill("INSERT INTO part (id, item_id, qty) VALUES ($n1, $i, $q), ($n2, $i, 1)")},
		{Foreign, 1, fill("DELETE FROM item WHERE id = $i")},
		{Foreign, 1, fill("DELETE FROM part WHERE item_id = $i")},
		{Several, 1, fill("UPDATE item SET qty = qty + $q")},
		{Several, 1, fill("UPDATE item SET qty = qty + 1 WHERE id IN ($i, $i)")},
		{Several, 2, fill("SELECT id FROM item ORDER BY id$d FOR UPDATE")},
		{Several, 1, fill("UPDATE item SET state = $w WHERE state = 'new'")},
		{Several, 1, fill("SELECT id FROM item WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE")},
		{Skips, 2, fill("SELECT id FROM item WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED")},
		{Skips, 1, fill("SELECT id FROM item ORDER BY id FOR UPDATE SKIP LOCKED")},
		{Skips | Foreign, 1, fill("SELECT id FROM item d WHERE NOT EXISTS (SELECT 1 FROM part r WHERE r.item_id = d.id) ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED")},
		{NoWait, 2, fill("SELECT qty FROM item WHERE id = $i FOR UPDATE NOWAIT")},
		{NoWait | Several, 1, fill("SELECT id FROM item ORDER BY id FOR UPDATE NOWAIT")},
		{Tries, 1, fill("SELECT get_lock('k$k', 0)")},
		{Upserts, 2, fill("INSERT INTO item VALUES ($n, 'c$n', 1, 'new') ON DUPLICATE KEY UPDATE qty = qty + 1")},
		{Upserts, 1, fill("INSERT IGNORE INTO item VALUES ($n, 'c$n', 1, 'new')")},
		{Upserts | Several, 1, fill("INSERT INTO item VALUES (3, 'c3', 1, 'new'), (4, 'c4', 1, 'new') ON DUPLICATE KEY UPDATE qty = VALUES(qty)")},
		{Joins | Several, 1, fill("UPDATE item JOIN part ON part.item_id = item.id SET item.qty = item.qty - part.qty")},
		{Joins, 1, fill("INSERT INTO note (item_id, what) SELECT id, state FROM item WHERE qty > $q")},
		{Joins, 1, fill("INSERT INTO item SELECT max(id) + 1, concat('m', max(id)), 1, 'new' FROM item")},
	},
}
