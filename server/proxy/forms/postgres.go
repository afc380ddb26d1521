package forms

// Postgres makes a program for PostgreSQL.
func Postgres(seed uint64, classes Class) *Program { return postgres.random(seed, classes) }

var postgres = dialect{
	tables: `CREATE TABLE item (id int PRIMARY KEY, code text UNIQUE, qty int NOT NULL, state text NOT NULL DEFAULT 'new');
CREATE TABLE part (id int PRIMARY KEY, item_id int NOT NULL REFERENCES item ON DELETE CASCADE, qty int NOT NULL DEFAULT 1);
CREATE TABLE note (item_id int, what text);
CREATE FUNCTION total() RETURNS int LANGUAGE plpgsql AS $$ DECLARE a int; b int;
BEGIN SELECT qty INTO a FROM item WHERE id = 1; SELECT qty INTO b FROM item WHERE id = 2; RETURN coalesce(a, 0) + coalesce(b, 0); END $$;
CREATE FUNCTION moves(f int, t int, n int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE h int;
BEGIN SELECT qty INTO h FROM item WHERE id = f; IF h IS NULL OR h < n THEN RETURN 0; END IF;
UPDATE item SET qty = qty - n WHERE id = f; UPDATE item SET qty = qty + n WHERE id = t; RETURN n; END $$;
CREATE FUNCTION takes(who text) RETURNS int LANGUAGE plpgsql AS $$ DECLARE j int;
BEGIN SELECT id INTO j FROM item WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED; IF j IS NULL THEN RETURN NULL; END IF;
UPDATE item SET state = who WHERE id = j; RETURN j; END $$;
CREATE FUNCTION counted() RETURNS bigint LANGUAGE sql AS $$ INSERT INTO note SELECT NULL, count(*)::text FROM part; SELECT count(*) FROM part $$;
CREATE FUNCTION twice() RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT sum(qty)::int FROM item $$;
`,
	triggers: []string{
		`CREATE FUNCTION parted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE item SET qty = qty - NEW.qty WHERE id = NEW.item_id; RETURN NEW; END $$;
CREATE TRIGGER parted AFTER INSERT ON part FOR EACH ROW EXECUTE FUNCTION parted();`,
		`CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO note VALUES (NEW.id, OLD.state || '>' || NEW.state); RETURN NULL; END $$;
CREATE TRIGGER noted AFTER UPDATE ON item FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION noted();`,
		`CREATE FUNCTION guarded() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF (SELECT count(*) FROM part WHERE item_id = NEW.item_id) > 1 THEN RAISE EXCEPTION 'full'; END IF; RETURN NEW; END $$;
CREATE TRIGGER guarded BEFORE INSERT ON part FOR EACH ROW EXECUTE FUNCTION guarded();`,
		`CREATE FUNCTION summed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO note SELECT NULL, sum(qty)::text FROM item; RETURN NULL; END $$;
CREATE TRIGGER summed AFTER UPDATE ON item FOR EACH STATEMENT EXECUTE FUNCTION summed();`,
	},
	save: [2]string{"SAVEPOINT s", "ROLLBACK TO SAVEPOINT s"},
	forms: []form{
		{0, 2, fill("SELECT qty FROM item WHERE id = $i")},
		{0, 1, fill("SELECT id, qty, state FROM item ORDER BY id")},
		{0, 1, fill("SELECT count(*), sum(qty) FROM part WHERE item_id = $i")},
		{0, 1, fill("SELECT what FROM note ORDER BY what")},
		{0, 3, fill("UPDATE item SET qty = qty - $q WHERE id = $i")},
		{0, 2, fill("UPDATE item SET qty = qty - $q WHERE id = $i AND qty >= $q RETURNING qty")},
		{0, 1, fill("UPDATE item SET state = $w WHERE id = $i AND state = 'new'")},
		{0, 1, fill("UPDATE item SET code = 'c$n' WHERE id = $i")},
		{0, 2, fill("INSERT INTO item VALUES ($n, 'c$n', $q)")},
		{0, 1, fill("INSERT INTO note VALUES ($i, $w)")},
		{0, 1, fill("DELETE FROM item WHERE id = $i")},
		{0, 2, fill("SELECT qty FROM item WHERE id = $i FOR UPDATE")},
		{0, 1, fill("SELECT qty FROM item WHERE id = $i FOR SHARE")},
		{0, 1, fill("SELECT qty FROM item WHERE id = $i FOR NO KEY UPDATE")},
		{Foreign, 2, fill("INSERT INTO part VALUES ($n$k, $i)")},
		{Foreign, 1, fill("INSERT INTO part (id, item_id, qty) VALUES ($n1, $i, $q), ($n2, $i, 1)")},
		{Foreign, 1, fill("UPDATE part SET item_id = $i WHERE item_id = $i")},
		{Foreign, 1, fill("DELETE FROM part WHERE item_id = $i")},
		{Several, 1, fill("UPDATE item SET qty = qty + $q")},
		{Several, 1, fill("UPDATE item SET qty = qty + 1 WHERE id IN ($i, $i)")},
		{Several, 2, fill("SELECT id FROM item ORDER BY id$d FOR UPDATE")},
		{Several, 1, fill("SELECT id, qty FROM item WHERE qty > 0 ORDER BY qty$d, id FOR UPDATE")},
		{Several, 1, fill("DELETE FROM part WHERE qty > 0")},
		{Skips, 2, fill("SELECT id FROM item WHERE state = 'new' ORDER BY id$d LIMIT 1 FOR UPDATE SKIP LOCKED")},
		{Skips, 2, fill("UPDATE item SET state = $w WHERE id = (SELECT id FROM item WHERE state = 'new' ORDER BY id$d LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id")},
		{Skips | Foreign, 1, fill("SELECT id FROM item d WHERE NOT EXISTS (SELECT 1 FROM part r WHERE r.item_id = d.id) ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED")},
		{Skips, 1, fill("DELETE FROM item WHERE id IN (SELECT id FROM item ORDER BY id FOR UPDATE SKIP LOCKED LIMIT $k) RETURNING id")},
		{Skips | Several, 1, fill("WITH c AS (SELECT id FROM item WHERE state = 'new' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 2) UPDATE item SET state = $w FROM c WHERE item.id = c.id RETURNING item.id")},
		{NoWait, 2, fill("SELECT qty FROM item WHERE id = $i FOR UPDATE NOWAIT")},
		{NoWait | Several, 1, fill("SELECT id FROM item ORDER BY id$d FOR UPDATE NOWAIT")},
		{Tries, 2, fill("SELECT pg_try_advisory_xact_lock($k)")},
		{Tries | Plans, 1, fill("SELECT id FROM item WHERE state = 'new' AND pg_try_advisory_xact_lock(id) ORDER BY id LIMIT 1")},
		{Tries, 1, fill("UPDATE item SET qty = qty + 1 WHERE id = $i AND pg_try_advisory_xact_lock($k) RETURNING qty")},
		{Advisory, 2, fill("SELECT pg_advisory_xact_lock($k)")},
		{Functions, 2, fill("SELECT total()")},
		{Functions, 2, fill("SELECT moves($i, $i, $q)")},
		{Functions | Skips, 1, fill("SELECT takes($w)")},
		{Functions, 1, fill("SELECT counted()")},
		{Functions, 1, fill("SELECT twice(), twice()")},
		{Upserts, 2, fill("INSERT INTO item VALUES ($n, 'c$n', 1) ON CONFLICT (id) DO UPDATE SET qty = item.qty + 1")},
		{Upserts, 1, fill("INSERT INTO item VALUES ($n, 'c$n', 1) ON CONFLICT DO NOTHING")},
		{Upserts, 1, fill("INSERT INTO item (id, code, qty) VALUES ($n, 'c$n', 1) ON CONFLICT (code) DO UPDATE SET qty = excluded.qty RETURNING id, qty")},
		{Upserts | Several, 1, fill("INSERT INTO item (id, code, qty) VALUES (3, 'c3', 1), (4, 'c4', 1) ON CONFLICT (id) DO NOTHING")},
		{Joins | Several, 1, fill("UPDATE item SET qty = item.qty - p.qty FROM part p WHERE p.item_id = item.id")},
		{Joins, 1, fill("UPDATE item SET qty = (SELECT count(*) FROM part WHERE item_id = item.id) WHERE id = $i")},
		{Joins | Several, 1, fill("DELETE FROM part USING item WHERE item.id = part.item_id AND item.state = 'new'")},
		{Joins, 1, fill("INSERT INTO note SELECT id, state FROM item WHERE qty > $q")},
		{Joins, 1, fill("INSERT INTO item SELECT max(id) + 1, 'm' || max(id), 1 FROM item")},
		{Joins, 1, fill("INSERT INTO item SELECT 5, 'c5', 1 WHERE NOT EXISTS (SELECT 1 FROM item WHERE id = 5)")},
	},
}
