package sqltest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Scripts of SQL for the model of PostgreSQL: triggers, cascades, deferred keys, savepoints,
// cursors, locks on tables, TRUNCATE and whatever random programs of package statement do
// not have.

// ScriptTables are the tables t(id, v, u) and c(id, tid) of scripts, and ScriptRows their rows.
const (
	ScriptTables = "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, u int UNIQUE); CREATE TABLE c (id int PRIMARY KEY, tid int NOT NULL);"
	ScriptRows   = "INSERT INTO t VALUES (1, 10, 7), (2, 20, NULL); INSERT INTO c VALUES (1, 1);"
)

// Triggers and Guarded are triggers of c: one that updates t, and one that counts the rows of c.
const (
	Triggers = `CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN UPDATE t SET v = v + 1 WHERE id = NEW.tid; RETURN NEW; END $f$;
CREATE TRIGGER counted AFTER INSERT ON c FOR EACH ROW EXECUTE FUNCTION counted();`

	Guarded = `CREATE FUNCTION guarded() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
IF (SELECT count(*) FROM c) > 1 THEN RAISE EXCEPTION 'enough'; END IF; RETURN NEW; END $f$;
CREATE TRIGGER guarded BEFORE INSERT ON c FOR EACH ROW EXECUTE FUNCTION guarded();`
)

// scripter makes random scripts of SQL of many kinds.
type scripter struct{ *rand.Rand }

func (g scripter) of(list ...string) string { return list[g.IntN(len(list))] }

func (g scripter) chance(percent int) bool { return g.IntN(100) < percent }

// fill puts numbers into a statement: K keys of t, M keys of c, N values, U values of the
// unique column.
func (g scripter) fill(text string) string {
	var b strings.Builder
	for i, r := range text {
		alone := (i == 0 || !letter(text[i-1])) && (i+1 == len(text) || !letter(text[i+1]))
		switch {
		case alone && r == 'K':
			fmt.Fprint(&b, 1+g.IntN(3))
		case alone && r == 'M':
			b.WriteString(g.of("1", "1", "5", "6"))
		case alone && r == 'N':
			b.WriteString(g.of("1", "5", "10", "15", "20", "25"))
		case alone && r == 'U':
			b.WriteString(g.of("NULL", "7", "7", "8", "9"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func letter(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// scriptSchemas are what a script has beside the tables.
var scriptSchemas = []string{"", "", "", Triggers, Guarded,
	"ALTER TABLE c ADD FOREIGN KEY (tid) REFERENCES t",
	"ALTER TABLE c ADD FOREIGN KEY (tid) REFERENCES t ON DELETE CASCADE ON UPDATE CASCADE",
	"ALTER TABLE c ADD FOREIGN KEY (tid) REFERENCES t DEFERRABLE INITIALLY DEFERRED",
	"ALTER TABLE c ADD FOREIGN KEY (tid) REFERENCES t ON DELETE SET DEFAULT DEFERRABLE; ALTER TABLE c ALTER tid SET DEFAULT 2",
	"CREATE UNIQUE INDEX ON c ((tid % 3)) WHERE id > 3", "CREATE INDEX ON t (v)", "CREATE INDEX ON c (tid)",
	"ALTER TABLE t ADD CHECK (v < 40)", "ALTER TABLE c ADD UNIQUE (tid)",
	"ALTER TABLE c ADD UNIQUE (tid) DEFERRABLE INITIALLY DEFERRED", "ALTER TABLE c ADD UNIQUE (tid) DEFERRABLE",
	`CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN INSERT INTO c VALUES (20 + NEW.id, NEW.id) ON CONFLICT (id) DO UPDATE SET tid = c.tid + 10; RETURN NEW; END $f$;
CREATE TRIGGER noted AFTER UPDATE OF v ON t FOR EACH ROW WHEN (NEW.v > OLD.v) EXECUTE FUNCTION noted();`,
}

// scriptStatements are the statements of scripts. Those that return rows return two columns
// of numbers. They have plans that another version of the server has too.
var scriptStatements = []string{
	"SELECT id, v FROM t WHERE id = K", "SELECT id, v FROM t WHERE id = K LOCK", "SELECT id, v FROM t WHERE id = K LOCK",
	"SELECT id, v FROM t WHERE v >= N LOCK", "SELECT id, v FROM t LOCK", "SELECT id, v FROM t WHERE v >= N ORDER BY id LIMIT 1 LOCK",
	"SELECT id, tid FROM c", "SELECT id, tid FROM c WHERE tid = K LOCK", "SELECT count(*), coalesce(sum(v), 0) FROM t WHERE v >= N", "SELECT count(*), 0 FROM c",
	"SELECT t.id, c.tid FROM c JOIN t ON t.id = c.tid ORDER BY c.id", "SELECT t.id, c.tid FROM c JOIN t ON t.id = c.tid ORDER BY c.id FOR UPDATE OF t",
	"UPDATE t SET v = v + N WHERE id = K", "UPDATE t SET v = v + N WHERE id = K", "UPDATE t SET v = v + N WHERE id = K AND v >= N", "UPDATE t SET v = v * 2 WHERE v >= N", "UPDATE t SET v = v + 1",
	"UPDATE t SET u = U WHERE id = K", "UPDATE t SET u = U WHERE u = 7", "UPDATE t SET id = 4 WHERE id = K", "UPDATE t SET v = (SELECT count(*) FROM c) + N WHERE id = K",
	"UPDATE t SET v = t.v + c.tid FROM c WHERE c.tid = t.id", "UPDATE c SET tid = K WHERE id = M", "UPDATE c SET tid = K WHERE tid = K", "UPDATE c SET id = M WHERE tid = K",
	"DELETE FROM t WHERE id = K", "DELETE FROM t WHERE v >= N", "DELETE FROM c WHERE tid = K", "DELETE FROM c WHERE id = M",
	"INSERT INTO t VALUES (K, N, U)", "INSERT INTO t VALUES (3, N, U)", "INSERT INTO t VALUES (K, N, U) ON CONFLICT DO NOTHING", "INSERT INTO t VALUES (K, N, U) ON CONFLICT (id) DO NOTHING",
	"INSERT INTO t VALUES (K, N, U) ON CONFLICT (id) DO UPDATE SET v = t.v + excluded.v", "INSERT INTO t VALUES (K, N, U) ON CONFLICT (u) DO UPDATE SET v = t.v + 1 WHERE t.v < 30",
	"INSERT INTO t VALUES (3, N, NULL), (4, N, U) ON CONFLICT (id) DO UPDATE SET u = excluded.u",
	"INSERT INTO c VALUES (M, K)", "INSERT INTO c VALUES (5, K)", "INSERT INTO c VALUES (M, K) ON CONFLICT (id) DO UPDATE SET tid = excluded.tid",
	"INSERT INTO c SELECT id + 10, id FROM t WHERE v >= N", "INSERT INTO c SELECT 7, id FROM t WHERE id = K ON CONFLICT DO NOTHING",
	"WITH x AS (UPDATE t SET v = v + N WHERE id = K RETURNING id, v) SELECT id, v FROM x", "WITH x AS (DELETE FROM t WHERE v >= N RETURNING id, v) SELECT id, v FROM x",
	"WITH x AS (INSERT INTO t VALUES (K, N, U) ON CONFLICT (id) DO UPDATE SET v = 0 RETURNING id, v) SELECT id, v FROM x",
	"WITH x AS (UPDATE t SET v = v - 1 WHERE id = K RETURNING id) INSERT INTO c SELECT id + 10, id FROM x", "WITH x AS (DELETE FROM c WHERE tid = K RETURNING id) UPDATE t SET v = v + (SELECT count(*) FROM x) WHERE id = K",
	"LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE", "LOCK TABLE c IN SHARE MODE", "LOCK TABLE t IN EXCLUSIVE MODE NOWAIT", "LOCK TABLE c",
	"TRUNCATE c", "TRUNCATE t CASCADE", "DECLARE x CURSOR FOR SELECT id, v FROM t WHERE v >= N", "DECLARE x CURSOR FOR SELECT id, v FROM t LOCK", "FETCH x", "FETCH ALL x", "FETCH 2 x",
	"SELECT 1, 2 FROM pg_advisory_xact_lock(1)", "SELECT pg_try_advisory_xact_lock(1)::int, 0",
}

var scriptLocks = []string{"", "FOR UPDATE", "FOR UPDATE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR KEY SHARE", "FOR UPDATE NOWAIT", "FOR UPDATE SKIP LOCKED", "FOR SHARE NOWAIT", "FOR NO KEY UPDATE SKIP LOCKED"}

func (g scripter) statement() string {
	return g.locked(g.of(scriptStatements...))
}

// locked is a statement with some locking clause in place of LOCK.
func (g scripter) locked(text string) string {
	return g.fill(strings.Replace(text, " LOCK", " "+g.of(scriptLocks...), 1))
}

// session is a transaction, or two short ones.
func (g scripter) session(most int, level func() string) (texts []string) {
	for len(texts) < most {
		if g.chance(15) {
			texts = append(texts, g.statement())
			continue
		}
		n, saved := 1+g.IntN(3), false
		for i := range n {
			text := g.statement()
			switch {
			case g.chance(12):
				text, saved = "SAVEPOINT a; "+text, true
			case saved && g.chance(50):
				// A statement that it wakes runs before the next text, or races with it.
				texts, saved = append(texts, g.of("ROLLBACK TO a", "ROLLBACK TO a", "RELEASE a")), g.chance(50)
			case g.chance(5):
				text = "SET CONSTRAINTS ALL DEFERRED; " + text
			}
			if i == 0 {
				text = level() + "; " + text
			}
			texts = append(texts, text)
		}
		texts = append(texts, g.of("COMMIT", "COMMIT", "COMMIT", "ROLLBACK"))
	}
	return texts
}

// Script is a program of sessions that send texts of SQL: $ stands for their level.
// They have the tables of ScriptTables, and what Schema makes beside them.
type Script struct {
	Schema   string
	Sessions [][]string
}

// RandomScript makes a script of two sessions, or of more with fewer texts each; at mixed
// levels its transactions ask for theirs.
func RandomScript(seed uint64, sessions int, mixed bool) *Script {
	g := scripter{rand.New(rand.NewPCG(seed, 14))}
	s := &Script{Schema: g.of(scriptSchemas...)}
	level := func() string {
		if mixed {
			return "BEGIN ISOLATION LEVEL " + g.of("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE", "SERIALIZABLE")
		}
		return "BEGIN $"
	}
	for range sessions {
		s.Sessions = append(s.Sessions, g.session(5-sessions, level))
	}
	return s
}
