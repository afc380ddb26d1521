package model_test

// Scripts that meet each kind of statement and lock with another session in its way, as
// PostgreSQL's own tests of isolation do: what is read again after a wait (EvalPlanQual),
// rows that a command meets twice, chains of versions and rows that leave them.

// again changes a row of t by a command of its own.
const again = `CREATE FUNCTION again() RETURNS int LANGUAGE sql AS $$ UPDATE t SET v = v + 1 WHERE id = 1; SELECT 1 $$;`

// parents is a partitioned table to which another refers.
const parents = `CREATE TABLE p (id int, r int, v int, PRIMARY KEY (id, r)) PARTITION BY LIST (r);
CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1); CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);
CREATE TABLE k (id int PRIMARY KEY, pid int, pr int, FOREIGN KEY (pid, pr) REFERENCES p);`

const parentRows = "TRUNCATE p, k; INSERT INTO p VALUES (1, 1, 10), (2, 2, 20); INSERT INTO k VALUES (1, 2, 2);"

// childRows are those of a table k whose rows refer to rows of t.
const childRows = "INSERT INTO k VALUES (1, 2), (2, 1);"

// inherited is a table that another inherits from.
const inherited = `CREATE TABLE a (id int PRIMARY KEY, v int); CREATE TABLE b (w int, PRIMARY KEY (id)) INHERITS (a);`

const inheritedRows = "TRUNCATE a, b; INSERT INTO a VALUES (1, 10); INSERT INTO b VALUES (2, 20, 5);"

var statementScripts = []script{
	// Rows that a command meets twice.
	{"two source rows for a row", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = t.v + s.x FROM (VALUES (1, 100), (1, 200)) s(id, x) WHERE t.id = s.id", "SELECT id, v FROM t", "COMMIT"}}},
	{"two source rows delete a row", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "ROLLBACK"},
		{"BEGIN $; DELETE FROM t USING (VALUES (1), (1)) s(id) WHERE t.id = s.id", "SELECT id, v FROM t", "COMMIT"}}},
	{"a CTE has updated the row", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; WITH d AS (UPDATE t SET v = v + 100 WHERE id = 1 RETURNING *) UPDATE t SET v = d.v + 7 FROM d", "COMMIT"}}},
	{"a CTE has updated the row that goes", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; WITH d AS (UPDATE t SET v = v + 100 WHERE id = 1 RETURNING *) DELETE FROM t USING d", "COMMIT"}}},
	{"a CTE has deleted the row", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; WITH d AS (DELETE FROM t WHERE id = 1 RETURNING *) UPDATE t SET v = d.v + 7 FROM d", "COMMIT"}}},
	{"a function in a CTE has updated the row", again, "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; WITH d AS (UPDATE t SET v = v + 100 WHERE id = 1 RETURNING *, again()) UPDATE t SET v = d.v + 7 FROM d", "COMMIT"}}},
	{"a function in a CTE has updated the row that goes", again, "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; WITH d AS (UPDATE t SET v = v + 100 WHERE id = 1 RETURNING *, again()) DELETE FROM t USING d", "ROLLBACK"}}},
	{"a CTE locks the rows", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; WITH x AS MATERIALIZED (SELECT id, v FROM t WHERE id = 1 FOR UPDATE) UPDATE t SET v = x.v + 1 FROM x WHERE t.id = x.id", "COMMIT"}}},
	{"a row is locked after its update", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; WITH d AS (UPDATE t SET v = v + 100 WHERE id = 1 RETURNING *) SELECT t.id, t.v FROM d, t WHERE t.id = d.id FOR UPDATE OF t", "COMMIT"}}},
	{"a trigger changes the row before its update", `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF pg_trigger_depth() = 1 THEN UPDATE t SET v = v + 1 WHERE id = NEW.id; END IF; RETURN NEW; END $$;
		CREATE TRIGGER x BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f();`, "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; SAVEPOINT a; UPDATE t SET v = v * 2 WHERE id = 1", "ROLLBACK TO a; SELECT id, v FROM t", "COMMIT"}}},
	{"a trigger deletes the row before it goes", `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF pg_trigger_depth() = 1 THEN DELETE FROM t WHERE id = OLD.id; END IF; RETURN OLD; END $$;
		CREATE TRIGGER x BEFORE DELETE ON t FOR EACH ROW EXECUTE FUNCTION f();`, "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; DELETE FROM t WHERE id = 1", "ROLLBACK"}}},
	{"a trigger reads what the row is", `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		NEW.v := NEW.v + OLD.v + (SELECT count(*) FROM c); RETURN NEW; END $$;
		CREATE TRIGGER x BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f();`, "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "INSERT INTO c VALUES (2, 2)", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v * 2", "COMMIT"}}},
	{"a trigger leaves the row alone", `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF OLD.v > 12 THEN RETURN NULL; END IF; RETURN NEW; END $$;
		CREATE TRIGGER x BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f();`, "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v * 2", "UPDATE t SET v = v * 2", "COMMIT"}}},
	{"a statement's trigger has the rows", `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO c SELECT 10 + count(*), sum(n.v - o.v) FROM n JOIN o USING (id); RETURN NULL; END $$;
		CREATE TRIGGER x AFTER UPDATE ON t REFERENCING OLD TABLE o NEW TABLE n FOR EACH STATEMENT EXECUTE FUNCTION f();`, "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v * 2", "COMMIT"}}},

	// MERGE.
	{"merge meets a row twice", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; MERGE INTO t USING (VALUES (1), (1)) s(a) ON t.id = s.a WHEN MATCHED THEN UPDATE SET v = t.v + 1", "COMMIT"}}},
	{"merge deletes a row twice", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = 11 WHERE id = 1", "MERGE INTO t USING (VALUES (1), (1)) s(a) ON t.id = s.a WHEN MATCHED THEN DELETE", "COMMIT"}}},
	{"merge meets a partition's row twice", partitions, partitioned, [][]string{
		{"BEGIN $; UPDATE p SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; MERGE INTO p USING (VALUES (1), (1)) s(a) ON p.id = s.a WHEN MATCHED THEN UPDATE SET v = p.v + 1", "COMMIT"}}},
	{"merge looks again what matches", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 15 WHERE id = 1", "COMMIT"},
		{"BEGIN $; MERGE INTO t USING c ON t.id = c.tid WHEN MATCHED AND t.v < 20 THEN UPDATE SET v = t.v + 100 WHEN MATCHED AND t.v < 30 THEN DELETE WHEN MATCHED THEN DO NOTHING",
			"SELECT id, v FROM t", "COMMIT"}}},
	{"merge finds no row any more", "", "", [][]string{
		{"BEGIN $; DELETE FROM t WHERE id = 1", "COMMIT"},
		{"BEGIN $; MERGE INTO t USING (VALUES (1, 5), (2, 6)) s(id, v) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = t.v + s.v WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v, NULL)",
			"SELECT id, v FROM t", "COMMIT"}}},
	{"merge matches another row", "", "", [][]string{
		{"BEGIN $; UPDATE t SET id = 3 WHERE id = 1", "COMMIT"},
		{"BEGIN $; MERGE INTO t USING (VALUES (1, 5)) s(id, v) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = t.v + s.v WHEN NOT MATCHED THEN INSERT VALUES (s.id + 4, s.v, NULL)",
			"SELECT id, v FROM t", "COMMIT"}}},
	{"merge sends a row to another partition", partitions, partitioned, [][]string{
		{"BEGIN $; UPDATE p SET v = v + 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; MERGE INTO p USING (VALUES (1)) s(a) ON p.id = s.a WHEN MATCHED THEN UPDATE SET r = 2, v = p.v + 1", "SELECT id, v FROM p ORDER BY id, v", "COMMIT"}}},
	{"merge meets a row that has left its partition", partitions, partitioned, [][]string{
		{"BEGIN $; UPDATE p SET r = 2 WHERE id = 1", "COMMIT"},
		{"BEGIN $; MERGE INTO p USING (VALUES (1)) s(a) ON p.id = s.a WHEN MATCHED THEN UPDATE SET v = p.v + 1 WHEN NOT MATCHED THEN INSERT VALUES (3, 1, 0)", "COMMIT"}}},

	// Rows that leave their partition.
	{"a parent is updated and goes to another partition", parents, parentRows, [][]string{
		{"BEGIN $; UPDATE p SET v = v + 5 WHERE id = 1", "UPDATE p SET r = 2 WHERE id = 1", "COMMIT"},
		{"BEGIN $; INSERT INTO k VALUES (2, 1, 1)", "COMMIT"}}},
	{"a parent goes to another partition", parents, parentRows, [][]string{
		{"BEGIN $; UPDATE p SET r = 2 WHERE id = 1", "COMMIT"},
		{"BEGIN $; INSERT INTO k VALUES (2, 1, 1)", "SELECT id, pid FROM k", "COMMIT"}}},
	{"a row with a weak lock goes to another partition", parents, parentRows, [][]string{
		{"BEGIN $; UPDATE p SET v = v + 5 WHERE id = 1", "UPDATE p SET r = 2 WHERE id = 1", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM p WHERE id = 1 FOR KEY SHARE", "COMMIT"},
		{"SELECT id, v FROM p WHERE id = 1 FOR SHARE"}}},
	{"a child's parent has gone", parents, parentRows, [][]string{
		{"BEGIN $; DELETE FROM k", "DELETE FROM p WHERE id = 2", "COMMIT"},
		{"BEGIN $; INSERT INTO k VALUES (2, 2, 2)", "COMMIT"}}},
	{"an upsert meets a row that has left its partition", partitions, partitioned, [][]string{
		{"BEGIN $; UPDATE p SET r = 2 WHERE id = 1", "COMMIT"},
		{"BEGIN $; INSERT INTO p VALUES (1, 1, 3) ON CONFLICT (id, r) DO UPDATE SET v = p.v + 1", "SELECT id, v FROM p ORDER BY id, v", "COMMIT"}}},
	{"a partition is named itself", partitions, partitioned, [][]string{
		{"BEGIN $; UPDATE p SET r = 2, v = v + 1 WHERE id = 1", "COMMIT"},
		{"BEGIN $; UPDATE p1 SET v = v + 1", "SELECT id, v FROM p2 ORDER BY id FOR UPDATE", "COMMIT"}}},

	// Inherited tables.
	{"an inherited row is updated", inherited, inheritedRows, [][]string{
		{"BEGIN $; UPDATE a SET v = v + 5", "COMMIT"},
		{"BEGIN $; UPDATE a SET v = v * 2 WHERE v < 25", "SELECT id, v FROM a", "COMMIT"}}},
	{"an inherited row is locked", inherited, inheritedRows, [][]string{
		{"BEGIN $; UPDATE b SET v = v + 5, w = 6", "DELETE FROM ONLY a", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM a WHERE v > 5 FOR UPDATE", "COMMIT"}}},
	{"an inherited row joins", inherited, inheritedRows, [][]string{
		{"BEGIN $; UPDATE b SET v = 1", "COMMIT"},
		{"BEGIN $; UPDATE a SET v = a.v + c.tid FROM c WHERE a.v > c.tid", "DELETE FROM a USING t WHERE t.id = a.id AND a.v < 12", "COMMIT"}}},

	// What is evaluated again after a wait.
	{"an update compares with a subquery", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 15 WHERE id = 1", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 1 WHERE v < (SELECT max(v) FROM t)", "SELECT id, v FROM t", "COMMIT"}}},
	{"a delete of rows without children", "", "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (2, 2)", "UPDATE t SET v = v + 1 WHERE id = 2", "COMMIT"},
		{"BEGIN $; DELETE FROM t WHERE NOT EXISTS (SELECT FROM c WHERE c.tid = t.id)", "SELECT id, v FROM t", "COMMIT"}}},
	{"a subquery that is not correlated", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 1 WHERE id = 2", "UPDATE c SET tid = 2", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v * 2 WHERE id NOT IN (SELECT tid FROM c)", "SELECT id, v FROM t", "COMMIT"}}},
	{"a join with its own table", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 15 WHERE id = 1", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = t.v + s.v FROM t s WHERE s.id <> t.id AND s.v > t.v", "SELECT id, v FROM t", "COMMIT"}}},
	{"an outer join with locks", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 15", "UPDATE c SET tid = 2", "COMMIT"},
		{"BEGIN $; SELECT t.v, coalesce(c.tid, 0) FROM t LEFT JOIN c ON c.tid = t.id WHERE t.v < 30 FOR UPDATE OF t", "COMMIT"}}},
	{"a lateral subquery", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 1 WHERE id = 1", "INSERT INTO c VALUES (2, 1)", "COMMIT"},
		{"BEGIN $; SELECT t.id, t.v * 100 + n FROM t, LATERAL (SELECT count(*) n FROM c WHERE c.tid = t.id) l WHERE n < 2 FOR UPDATE OF t", "COMMIT"}}},
	{"an aggregate of locked rows", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v - 6 WHERE id = 1", "INSERT INTO t VALUES (3, 30, NULL)", "COMMIT"},
		{"BEGIN $; WITH x AS (SELECT v FROM t WHERE v > 5 FOR UPDATE) SELECT count(*), coalesce(sum(v), 0) FROM x", "COMMIT"}}},
	{"rows that are locked in an order", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = 30 - v", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t ORDER BY v LIMIT 1 FOR UPDATE", "SELECT id, v FROM t ORDER BY v DESC FOR SHARE", "COMMIT"}}},
	{"an update of the first row", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 15 WHERE id = 1", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = 0 WHERE id = (SELECT id FROM t WHERE v > 5 ORDER BY v LIMIT 1 FOR UPDATE)", "SELECT id, v FROM t", "COMMIT"}}},
	{"a view with a check", "CREATE VIEW w AS SELECT id, v FROM t WHERE v < 25 WITH CHECK OPTION", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 8", "COMMIT"},
		{"BEGIN $; UPDATE w SET v = v + 4", "COMMIT"}}},
	{"a rule", "CREATE RULE r AS ON UPDATE TO c DO ALSO UPDATE t SET v = v + new.tid WHERE id = old.tid", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 15 WHERE id = 1", "COMMIT"},
		{"BEGIN $; UPDATE c SET tid = tid + 1", "SELECT id, v FROM t", "COMMIT"}}},
	{"rows of a values list", "", "", [][]string{
		{"BEGIN $; DELETE FROM t WHERE id = 2", "COMMIT"},
		{"BEGIN $; INSERT INTO c SELECT t.id + 10, x.n FROM t JOIN (VALUES (1, 1), (2, 2)) x(id, n) ON x.id = t.id FOR UPDATE OF t", "SELECT id, tid FROM c", "COMMIT"}}},

	// Queues and locks on rows.
	{"a queue that skips what is locked", "", "", [][]string{
		{"BEGIN $; DELETE FROM t WHERE id = (SELECT id FROM t ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, v", "COMMIT"},
		{"BEGIN $; DELETE FROM t WHERE id = (SELECT id FROM t ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, v", "ROLLBACK"}}},
	{"a queue of three", "CREATE INDEX ON t (v)", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 100 WHERE id IN (SELECT id FROM t WHERE v < 100 ORDER BY v FOR NO KEY UPDATE SKIP LOCKED LIMIT 1) RETURNING id, v", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t WHERE v < 100 ORDER BY v FOR UPDATE SKIP LOCKED LIMIT 1", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t WHERE v < 100 ORDER BY v FOR SHARE NOWAIT", "ROLLBACK"}}},
	{"weak locks of several", "", "", [][]string{
		{"BEGIN $; SELECT id, v FROM t WHERE id = 1 FOR KEY SHARE", "UPDATE t SET v = v + 1 WHERE id = 1", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t WHERE id = 1 FOR KEY SHARE", "COMMIT"},
		{"BEGIN $; DELETE FROM t WHERE id = 1", "COMMIT"}}},
	{"a lock becomes stronger in a savepoint", "", "", [][]string{
		{"BEGIN $; SELECT id, v FROM t WHERE id = 1 FOR KEY SHARE", "SAVEPOINT a; SELECT id, v FROM t WHERE id = 1 FOR UPDATE", "ROLLBACK TO a", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 1 WHERE id = 1", "UPDATE t SET id = 5 WHERE id = 1", "COMMIT"}}},
	{"an update that a savepoint undoes", "", "", [][]string{
		{"BEGIN $; SAVEPOINT a; UPDATE t SET v = v + 1 WHERE id = 1", "ROLLBACK TO a; SELECT id, v FROM t WHERE id = 1 FOR KEY SHARE", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t WHERE id = 1 FOR SHARE", "UPDATE t SET v = v + 10 WHERE id = 1", "COMMIT"}}},
	{"a chain of updates behind a weak lock", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = v + 1 WHERE id = 1", "UPDATE t SET id = 6 WHERE v = 11", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t WHERE v < 15 FOR KEY SHARE", "COMMIT"}}},

	// Foreign keys.
	{"children lose their parent", "CREATE TABLE k (id int PRIMARY KEY, r int REFERENCES t ON DELETE SET NULL ON UPDATE SET NULL)", childRows, [][]string{
		{"BEGIN $; UPDATE k SET r = 1", "COMMIT"},
		{"BEGIN $; DELETE FROM t WHERE id = 1", "SELECT id, coalesce(r, 0) FROM k", "COMMIT"}}},
	{"children get another parent", "CREATE TABLE k (id int PRIMARY KEY, r int DEFAULT 2 REFERENCES t ON DELETE SET DEFAULT ON UPDATE CASCADE)", childRows, [][]string{
		{"BEGIN $; UPDATE k SET r = 1", "UPDATE t SET id = 4 WHERE id = 1", "COMMIT"},
		{"BEGIN $; DELETE FROM t WHERE id = 1", "SELECT id, r FROM k", "COMMIT"}}},
	{"a tree of rows", "CREATE TABLE n (id int PRIMARY KEY, up int REFERENCES n ON DELETE CASCADE)", "TRUNCATE n; INSERT INTO n VALUES (1, NULL), (2, 1), (3, 2);", [][]string{
		{"BEGIN $; INSERT INTO n VALUES (4, 3)", "COMMIT"},
		{"BEGIN $; DELETE FROM n WHERE id = 1", "SELECT count(*), 0 FROM n", "COMMIT"}}},
	{"a key that another may refer to", "ALTER TABLE c ADD FOREIGN KEY (tid) REFERENCES t (u) NOT VALID", "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (5, 7)", "COMMIT"},
		{"BEGIN $; UPDATE t SET u = 8 WHERE id = 1", "UPDATE t SET u = 7 WHERE id = 2", "COMMIT"}}},

	// ON CONFLICT.
	{"an upsert by an index with a condition", "CREATE UNIQUE INDEX ON c (tid) WHERE id < 10", "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (5, 1) ON CONFLICT (tid) WHERE id < 10 DO UPDATE SET tid = 4", "COMMIT"},
		{"BEGIN $; UPDATE c SET id = 11 WHERE id = 1", "INSERT INTO c VALUES (6, 4) ON CONFLICT DO NOTHING", "COMMIT"}}},
	{"an upsert by an expression", "CREATE UNIQUE INDEX ON c ((tid % 3))", "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (5, 4) ON CONFLICT ((tid % 3)) DO UPDATE SET tid = c.tid + excluded.tid", "COMMIT"},
		{"BEGIN $; DELETE FROM c", "INSERT INTO c VALUES (6, 7), (7, 9) ON CONFLICT ((tid % 3)) DO UPDATE SET tid = c.tid + 3", "COMMIT"}}},
	{"an upsert with a condition", "", "", [][]string{
		{"BEGIN $; INSERT INTO t VALUES (1, 0, 9) ON CONFLICT (id) DO UPDATE SET v = t.v + 1 WHERE t.v < 15", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 1", "INSERT INTO t VALUES (3, 0, 9) ON CONFLICT (u) DO UPDATE SET id = t.id + 2", "COMMIT"}}},
	{"an upsert meets its own row", "", "", [][]string{
		{"BEGIN $; INSERT INTO t VALUES (3, 1, NULL), (3, 2, NULL) ON CONFLICT (id) DO UPDATE SET v = t.v + excluded.v", "ROLLBACK"},
		{"BEGIN $; INSERT INTO t VALUES (3, 5, NULL), (4, 6, NULL) ON CONFLICT DO NOTHING", "COMMIT"}}},
	{"an upsert's row moves its key", "", "", [][]string{
		{"BEGIN $; UPDATE t SET id = id + 1", "ROLLBACK"},
		{"BEGIN $; INSERT INTO t VALUES (2, 9, 7) ON CONFLICT (id) DO UPDATE SET v = 9", "COMMIT"}}},

	// Constraints that are deferred, cursors, advisory locks.
	{"a trigger at the end of a transaction", `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF (SELECT count(*) FROM c) > 2 THEN RAISE EXCEPTION 'too many'; END IF; RETURN NULL; END $$;
		CREATE CONSTRAINT TRIGGER x AFTER INSERT ON c DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION f();`, "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (2, 1)", "COMMIT"},
		{"BEGIN $; INSERT INTO c VALUES (3, 1)", "SET CONSTRAINTS ALL IMMEDIATE", "COMMIT"}}},
	{"a cursor over a join with locks", "", "", [][]string{
		{"BEGIN $; DECLARE x CURSOR FOR SELECT t.id, t.v FROM t JOIN c ON c.tid <= t.id FOR UPDATE OF t", "FETCH x", "FETCH ALL x", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 1 WHERE id = 2", "COMMIT"}}},
	{"the row of a cursor is updated", "", "", [][]string{
		{"BEGIN $; DECLARE x CURSOR FOR SELECT id, v FROM t WHERE v < 25 FOR UPDATE", "FETCH x", "UPDATE t SET v = v + 100 WHERE CURRENT OF x", "UPDATE t SET v = v + 100 WHERE CURRENT OF x", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 5", "COMMIT"}}},
	{"the rows of a cursor go", "", "", [][]string{
		{"BEGIN $; DECLARE x CURSOR FOR SELECT id, v FROM t ORDER BY id FOR UPDATE", "SAVEPOINT a; FETCH x; DELETE FROM t WHERE CURRENT OF x", "ROLLBACK TO a; FETCH x; DELETE FROM t WHERE CURRENT OF x", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t FOR KEY SHARE", "COMMIT"}}},
	{"a function goes through rows", `CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x CURSOR FOR SELECT * FROM t FOR UPDATE; n int := 0; BEGIN
		FOR r IN x LOOP UPDATE t SET v = r.v * 2 WHERE CURRENT OF x; n := n + r.v; END LOOP; RETURN n; END $$;`, "", [][]string{
		{"BEGIN $; SELECT f(), 0", "SELECT id, v FROM t", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id = 2", "DELETE FROM t WHERE id = 1", "COMMIT"}}},
	{"a queue by places", "", "", [][]string{
		{"BEGIN $; DELETE FROM t WHERE ctid IN (SELECT ctid FROM t ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, v", "COMMIT"},
		{"BEGIN $; DELETE FROM t WHERE ctid = (SELECT ctid FROM t WHERE v >= 10 ORDER BY id LIMIT 1 FOR UPDATE) RETURNING id, v", "COMMIT"}}},
	{"rows that join by places", "", "", [][]string{
		{"BEGIN $; WITH x AS (SELECT ctid FROM t WHERE v < 15 FOR UPDATE) UPDATE t SET v = v + 1 FROM x WHERE t.ctid = x.ctid", "SELECT id, v FROM t", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 2", "COMMIT"}}},
	{"advisory locks of rows", "", "", [][]string{
		{"BEGIN $; SELECT id, pg_try_advisory_xact_lock(id)::int FROM t WHERE id < 3", "UPDATE t SET v = v + 1 WHERE id = 1", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t WHERE pg_try_advisory_xact_lock(id)", "SELECT 1, 2 FROM pg_advisory_xact_lock_shared(1)", "COMMIT"}}},

	// SERIALIZABLE by indexes, temporary tables, and tables that are emptied.
	{"ranges of an index", "CREATE INDEX ON t (v)", "", [][]string{
		{"BEGIN $; SELECT count(*), coalesce(sum(v), 0) FROM t WHERE v BETWEEN 5 AND 15", "INSERT INTO t VALUES (3, 25, NULL)", "COMMIT"},
		{"BEGIN $; SELECT count(*), coalesce(sum(v), 0) FROM t WHERE v BETWEEN 21 AND 30", "INSERT INTO t VALUES (4, 8, NULL)", "COMMIT"}}},
	{"a temporary table", "", "", [][]string{
		{"CREATE TEMP TABLE x AS SELECT id, v FROM t", "BEGIN $; UPDATE t SET v = x.v + 1 FROM x WHERE x.id = t.id", "SELECT count(*), sum(v) FROM x", "COMMIT", "DROP TABLE x"},
		{"BEGIN $; UPDATE t SET v = v * 2 WHERE id = 1", "COMMIT"}}},
	{"an emptied table has children", "ALTER TABLE c ADD FOREIGN KEY (tid) REFERENCES t", "", [][]string{
		{"BEGIN $; TRUNCATE t", "ROLLBACK", "BEGIN $; TRUNCATE t, c", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t WHERE id = 1 FOR KEY SHARE", "INSERT INTO c VALUES (3, 1)", "COMMIT"}}},
	{"a role empties a table", "GRANT USAGE ON SCHEMA public TO PUBLIC; GRANT ALL ON t, c TO pg_monitor", "", [][]string{
		{"SET ROLE pg_monitor", "TRUNCATE c", "RESET ROLE; SELECT count(*), 0 FROM c"},
		{"BEGIN $; SELECT id, tid FROM c", "COMMIT"}}},
	{"an index on a function of a setting", `CREATE FUNCTION f(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN current_setting('my.x')::int + $1; END $$;
		SET my.x = '2'; CREATE INDEX ON c (f(tid));`, "SET my.x = '2';", [][]string{
		{"SET my.x = '1'", "INSERT INTO c VALUES (4, 4)", "UPDATE c SET tid = 5 WHERE id = 4"},
		{"BEGIN $; SELECT id, tid FROM c", "SELECT id, tid FROM c WHERE id = 4", "COMMIT"}}},
}
