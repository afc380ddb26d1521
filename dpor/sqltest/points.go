package sqltest

import "math/rand/v2"

// Scripts of SQL whose statements are not one moment: locks that are tried and not waited
// for, functions with several queries, several locks, snapshots that are used late.

// PointsSchema is what these scripts have beside the tables of ScriptTables.
const PointsSchema = `CREATE FUNCTION total() RETURNS int LANGUAGE plpgsql AS $f$ DECLARE a int; b int;
BEGIN SELECT v INTO a FROM t WHERE id = 1; SELECT v INTO b FROM t WHERE id = 2; RETURN a + b; END $f$;
CREATE FUNCTION children() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT count(*) FROM c';
CREATE FUNCTION child(n int) RETURNS int LANGUAGE plpgsql AS $f$
BEGIN IF NOT EXISTS (SELECT FROM c WHERE tid = n) THEN INSERT INTO c VALUES (n + 10, n); RETURN 1; END IF; RETURN 0;
EXCEPTION WHEN unique_violation THEN RETURN 2; END $f$;
CREATE PROCEDURE move(a int, b int) LANGUAGE plpgsql AS $f$ BEGIN UPDATE t SET v = v - 1 WHERE id = a; UPDATE t SET v = v + 1 WHERE id = b; END $f$;
CREATE SEQUENCE q START 20;`

var pointsStatements = []string{
	"SELECT id, v FROM t WHERE NOT EXISTS (SELECT FROM c WHERE tid = t.id) ORDER BY id LIMIT 1 LOCK",
	"SELECT id, v FROM t WHERE v < (SELECT 15 + count(*) FROM c) ORDER BY id LOCK", "SELECT id, v FROM t ORDER BY id DESC LOCK",
	"INSERT INTO c SELECT id + 10, id FROM t WHERE id NOT IN (SELECT tid FROM c) LOCK",
	"WITH x AS (SELECT id FROM t WHERE v >= N ORDER BY id LIMIT 1 LOCK) UPDATE t SET v = t.v + 5 FROM x WHERE t.id = x.id",
	"WITH x AS (SELECT id FROM t ORDER BY id DESC LOCK) DELETE FROM c USING x WHERE tid = x.id",
	"SELECT pg_try_advisory_xact_lock(1)::int, (SELECT count(*) FROM c)", "SELECT count(*), 0 FROM c WHERE pg_try_advisory_xact_lock(tid)",
	"SELECT id, v FROM t WHERE pg_try_advisory_xact_lock(id)", "SELECT pg_try_advisory_lock(1)::int, (SELECT sum(v) FROM t)", "SELECT pg_advisory_unlock(1)::int, 0",
	"INSERT INTO c SELECT 12, 2 WHERE pg_try_advisory_xact_lock(2) AND NOT EXISTS (SELECT FROM c WHERE id = 12)",
	"SELECT total(), 0", "SELECT children(), children()", "SELECT child(K), 0", "CALL move(1, 2)", "CALL move(2, 1)", "DO $$ BEGIN UPDATE t SET v = total() WHERE id = 1; END $$",
	"SELECT id, v + total() FROM t WHERE id = K LOCK", "UPDATE t SET v = v + children() WHERE id = K", "INSERT INTO c VALUES (nextval('q'), (SELECT count(*) FROM c))",
	"UPDATE t SET v = v + 1", "UPDATE t SET v = v + N WHERE id = K", "UPDATE t SET v = (SELECT count(*) FROM c) + N WHERE id = K", "DELETE FROM t WHERE v >= N",
	"INSERT INTO t VALUES (3, N, U), (4, N, 8)", "INSERT INTO t VALUES (4, N, 8), (3, N, U)", "INSERT INTO t VALUES (K, N, U) ON CONFLICT (id) DO UPDATE SET v = t.v + (SELECT count(*) FROM c)",
	"INSERT INTO c VALUES (M, K)", "DELETE FROM c WHERE tid = K", "SELECT id, tid FROM c", "SELECT count(*), sum(v) FROM t",
}

// PointsScript makes such a script, of two sessions or of three with fewer texts.
func PointsScript(seed uint64) *Script {
	g := scripter{rand.New(rand.NewPCG(seed, 15))}
	s := &Script{Schema: PointsSchema}
	if g.chance(30) {
		s.Schema += g.of(scriptSchemas...)
	}
	for range 2 + g.IntN(5)/4 {
		s.Sessions = append(s.Sessions, nil)
	}
	for i := range s.Sessions {
		s.Sessions[i] = g.pointsSession(5 - len(s.Sessions))
	}
	return s
}

// pointsSession is statements by themselves, and transactions.
func (g scripter) pointsSession(most int) (texts []string) {
	open := false
	for len(texts) < most {
		text := g.locked(g.of(pointsStatements...))
		if !open && g.chance(50) {
			text, open = "BEGIN $; "+text, true
		}
		if texts = append(texts, text); open && g.chance(40) {
			texts, open = append(texts, g.of("COMMIT", "COMMIT", "COMMIT", "ROLLBACK")), false
		}
	}
	if open {
		texts = append(texts, "COMMIT")
	}
	return texts
}
