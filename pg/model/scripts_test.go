package model_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/isolation/statement/realtest"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// script is a program of two or three sessions that uses what random programs do not have. The
// tables are t(id, v, u) and c(id, tid); $ stands for the level.
type script struct {
	name     string
	schema   string // beside the tables
	rows     string // puts rows into tables of its own
	sessions [][]string
}

const caught = `CREATE FUNCTION put(n int) RETURNS int LANGUAGE plpgsql AS $f$ BEGIN
INSERT INTO c VALUES (n, 1); RETURN 1; EXCEPTION WHEN unique_violation THEN UPDATE c SET tid = tid + 1 WHERE id = n; RETURN 2; END $f$;`

const partitions = `CREATE TABLE p (id int, r int, v int, PRIMARY KEY (id, r)) PARTITION BY LIST (r);
CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1); CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);`

// partitioned are the rows of a table with partitions.
const partitioned = "TRUNCATE p; INSERT INTO p VALUES (1, 1, 10), (2, 2, 20);"

var scripts = []script{
	{"a trigger updates", sqltest.Triggers, "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (5, 1)", "UPDATE t SET v = v * 2 WHERE id = 1", "COMMIT"},
		{"BEGIN $; INSERT INTO c VALUES (6, 1)", "SELECT id, v FROM t", "COMMIT"}}},
	{"a trigger counts", sqltest.Guarded, "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (5, 1)", "COMMIT"},
		{"BEGIN $; SELECT id, tid FROM c", "INSERT INTO c VALUES (6, 1)", "INSERT INTO c VALUES (7, 1)", "COMMIT"}}},
	{"a trigger counts the rows of its own statement", sqltest.Guarded, "", [][]string{
		{"BEGIN $; INSERT INTO c SELECT id + 10, id FROM t", "COMMIT"},
		{"BEGIN $; DELETE FROM c", "INSERT INTO c VALUES (8, 2), (9, 2)", "SELECT id, tid FROM c", "COMMIT"}}},
	{"an exception is caught", caught, "", [][]string{
		{"BEGIN $; SELECT put(5), 0", "SELECT put(6), 0", "COMMIT"},
		{"BEGIN $; SELECT put(5), 0", "SELECT id, tid FROM c", "ROLLBACK"}}},
	{"cascades", "ALTER TABLE c ADD FOREIGN KEY (tid) REFERENCES t ON DELETE CASCADE ON UPDATE CASCADE", "", [][]string{
		{"BEGIN $; DELETE FROM t WHERE id = 1", "SELECT id, tid FROM c", "COMMIT"},
		{"BEGIN $; UPDATE c SET tid = 2 WHERE id = 1", "UPDATE t SET id = 9 WHERE id = 2", "COMMIT"}}},
	{"a join with locks", "", "", [][]string{
		{"BEGIN $; SELECT t.id, c.tid FROM c JOIN t ON t.id = c.tid WHERE t.v > 0 FOR UPDATE OF t", "UPDATE t SET v = -1 WHERE id = 1", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 5 WHERE id IN (SELECT tid FROM c)", "COMMIT"}}},
	{"an index on an expression", "CREATE UNIQUE INDEX ON c ((tid % 3)) WHERE id > 3", "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (4, 4)", "UPDATE c SET id = 2 WHERE id = 4", "COMMIT"},
		{"BEGIN $; INSERT INTO c VALUES (5, 7) ON CONFLICT DO NOTHING", "INSERT INTO c VALUES (3, 1)", "COMMIT"}}},
	{"upserts of several rows", "", "", [][]string{
		{"BEGIN $; INSERT INTO t SELECT n, n, NULL FROM generate_series(2, 4) n ON CONFLICT (id) DO UPDATE SET v = t.v + excluded.v WHERE t.v < 100", "COMMIT"},
		{"BEGIN $; DELETE FROM t WHERE id = 2", "INSERT INTO t VALUES (3, 30, 8)", "COMMIT"}}},
	{"advisory locks", "", "", [][]string{
		{"BEGIN $; SELECT 1, 2 FROM pg_advisory_xact_lock(1)", "UPDATE t SET v = 1 WHERE id = 1", "SELECT pg_try_advisory_xact_lock(2)::int, 0", "COMMIT"},
		{"BEGIN $; SELECT 1, 2 FROM pg_advisory_lock(2)", "SELECT 1, 2 FROM pg_advisory_xact_lock(1)", "COMMIT", "SELECT pg_advisory_unlock(2)::int, 0"}}},
	{"an index that is not unique", "CREATE INDEX ON t (v)", "", [][]string{
		{"BEGIN $; SELECT id, v FROM t WHERE v = 20 ORDER BY v LIMIT 1 FOR UPDATE SKIP LOCKED", "UPDATE t SET v = 10 WHERE v = 20", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = 20 WHERE v = 10", "SELECT id, v FROM t WHERE v >= 20 ORDER BY v, id", "COMMIT"}}},
	{"a deferred foreign key", "ALTER TABLE c ADD FOREIGN KEY (tid) REFERENCES t DEFERRABLE INITIALLY DEFERRED", "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (5, 3)", "INSERT INTO t VALUES (3, 30, NULL)", "COMMIT"},
		{"BEGIN $; DELETE FROM t WHERE id = 1", "UPDATE c SET tid = 2 WHERE tid = 1", "COMMIT"}}},
	{"merge", "", "", [][]string{
		{"BEGIN $; MERGE INTO t USING (VALUES (2, 5), (3, 6)) s(id, v) ON t.id = s.id WHEN MATCHED AND t.v < 50 THEN UPDATE SET v = t.v + s.v " +
			"WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v, NULL)", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = 60 WHERE id = 2", "INSERT INTO t VALUES (3, 1, NULL) ON CONFLICT DO NOTHING", "COMMIT"}}},
	{"a row goes to another partition", partitions, partitioned, [][]string{
		{"BEGIN $; UPDATE p SET r = 2 WHERE id = 1", "COMMIT"},
		{"BEGIN $; UPDATE p SET v = v + 1 WHERE v < 20", "SELECT id, v FROM p ORDER BY id", "COMMIT"}}},
	{"an updated row goes to another partition", partitions, partitioned, [][]string{
		{"BEGIN $; UPDATE p SET v = 11 WHERE id = 1", "UPDATE p SET r = 2 WHERE id = 1", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM p WHERE v > 1 ORDER BY id FOR UPDATE", "COMMIT"}}},
	{"two sessions send a row to another partition", partitions, partitioned, [][]string{
		{"BEGIN $; UPDATE p SET r = 2 WHERE id = 1", "SAVEPOINT a", "DELETE FROM p WHERE id = 1", "ROLLBACK TO a", "COMMIT"},
		{"BEGIN $; UPDATE p SET r = 2 WHERE id = 1", "COMMIT"}}},
	{"a partition's row is deleted", partitions, partitioned, [][]string{
		{"BEGIN $; UPDATE p SET r = 2 WHERE id = 1", "ROLLBACK", "BEGIN $; DELETE FROM p WHERE id = 1", "COMMIT"},
		{"BEGIN $; DELETE FROM p WHERE id = 1", "INSERT INTO p VALUES (1, 2, 3) ON CONFLICT (id, r) DO UPDATE SET v = p.v + 1", "COMMIT"}}},
	{"updates from another table", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = t.v + c.tid FROM c WHERE c.tid = t.id", "COMMIT"},
		{"BEGIN $; UPDATE c SET tid = 2", "UPDATE t SET v = v * 2", "COMMIT"}}},
	{"inserts of what is selected", "", "", [][]string{
		{"BEGIN $; INSERT INTO c SELECT id + 10, id FROM t WHERE v >= 20", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 15 WHERE id = 1", "INSERT INTO c SELECT 11, 9 WHERE NOT EXISTS (SELECT FROM c WHERE id > 10)", "COMMIT"}}},
	{"errors in savepoints", "ALTER TABLE c ADD FOREIGN KEY (tid) REFERENCES t", "", [][]string{
		{"BEGIN $; SAVEPOINT a; UPDATE t SET v = 1 WHERE id = 2", "INSERT INTO c VALUES (5, 9)", "ROLLBACK TO a; INSERT INTO c VALUES (6, 1)", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 1 WHERE id = 2", "DELETE FROM t WHERE id = 1", "COMMIT"}}},
	{"numbers of a sequence", "CREATE SEQUENCE q START 10; ALTER TABLE c ALTER id SET DEFAULT nextval('q')", "", [][]string{
		{"BEGIN $; INSERT INTO c (tid) VALUES (1)", "ROLLBACK", "INSERT INTO c (tid) VALUES (2)"},
		{"BEGIN $; INSERT INTO c (tid) VALUES (3), (4)", "SELECT currval('q'), lastval()", "COMMIT"}}},
	{"numbers of a sequence with a cache", "CREATE SEQUENCE q START 10 CACHE 3; ALTER TABLE c ALTER id SET DEFAULT nextval('q')", "", [][]string{
		{"DISCARD SEQUENCES", "BEGIN $; INSERT INTO c (tid) VALUES (1), (2)", "ROLLBACK", "BEGIN $; INSERT INTO c (tid) VALUES (3), (4)", "COMMIT"},
		{"DISCARD SEQUENCES", "BEGIN $; INSERT INTO c (tid) VALUES (4), (5), (6), (7)", "SELECT currval('q'), lastval()", "COMMIT"}}},
	{"a sequence with a cache is set", "CREATE SEQUENCE q START 10 CACHE 2; ALTER TABLE c ALTER id SET DEFAULT nextval('q')", "", [][]string{
		{"DISCARD SEQUENCES", "BEGIN $; INSERT INTO c (tid) VALUES (1)", "SELECT setval('q', 20), 0", "INSERT INTO c (tid) VALUES (2)", "COMMIT"},
		{"DISCARD SEQUENCES", "BEGIN $; INSERT INTO c (tid) VALUES (3)", "INSERT INTO c (tid) VALUES (4)", "INSERT INTO c (tid) VALUES (5)", "COMMIT"}}},
	{"a session is as new", "", "", [][]string{
		{"BEGIN $; SELECT 1, 2 FROM pg_advisory_lock(2)", "COMMIT", "DISCARD ALL", "BEGIN $; INSERT INTO c VALUES (6, 1)", "COMMIT"},
		{"BEGIN $; INSERT INTO c SELECT count(*) + 20, 1 FROM c HAVING pg_try_advisory_lock(2)", "COMMIT", "SELECT pg_advisory_unlock(2)::int, 0"}}},
	{"notifications and a temporary table", "", "", [][]string{
		{"BEGIN $; CREATE TEMP TABLE s (id serial PRIMARY KEY, n int)", "INSERT INTO s (n) SELECT v FROM t", "NOTIFY jobs, 'a'", "INSERT INTO c SELECT id + 20, n FROM s", "DROP TABLE s", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 1", "SELECT id, v FROM t WHERE pg_notify('jobs', 'b') IS NOT NULL", "COMMIT"}}},
	{"a sequence is set", "CREATE SEQUENCE q START 10; ALTER TABLE c ALTER id SET DEFAULT nextval('q')", "", [][]string{
		{"BEGIN $; INSERT INTO c (tid) VALUES (1)", "SELECT setval('q', 20), 0", "INSERT INTO c (tid) VALUES (2)", "ROLLBACK"},
		{"BEGIN $; INSERT INTO c (tid) VALUES (3)", "SELECT setval('q', 30, false), lastval()", "INSERT INTO c (tid) VALUES (4), (5)", "COMMIT"}}},
	{"a sequence is set behind the rows", "CREATE SEQUENCE q START 10", "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (nextval('q'), 1)", "SELECT setval('q', (SELECT max(id) FROM c)), 0", "COMMIT", "SELECT nextval('q'), currval('q')"},
		{"BEGIN READ ONLY; SELECT nextval('q'), 0", "ROLLBACK", "BEGIN; INSERT INTO c VALUES (nextval('q') + 5, 2)", "COMMIT"}}},
	{"a cursor", "", "", [][]string{
		{"BEGIN $; DECLARE x CURSOR FOR SELECT id, v FROM t", "FETCH x", "FETCH ALL x", "SELECT id, v FROM t", "COMMIT"},
		{"UPDATE t SET v = v + 5 WHERE id = 2", "BEGIN $; UPDATE t SET v = v * 2; INSERT INTO t VALUES (3, 30, NULL)", "COMMIT"}}},
	{"a cursor by an index, with writes of its own", "CREATE INDEX ON t (v)", "", [][]string{
		{"BEGIN $; DECLARE x SCROLL CURSOR FOR SELECT id, v FROM t WHERE v >= 10 ORDER BY v", "FETCH 1 x; UPDATE t SET v = v + 15 WHERE id = 2", "FETCH ALL x; FETCH BACKWARD 1 x", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 1 WHERE id = 2", "DELETE FROM t WHERE id = 1", "COMMIT"}}},
	{"a cursor that locks", "", "", [][]string{
		{"BEGIN $; DECLARE x CURSOR FOR SELECT id, v FROM t WHERE v >= 10 FOR UPDATE", "FETCH x", "FETCH x", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v - 12", "COMMIT"}}},
	{"two cursors, and one that outlives the transaction", "", "", [][]string{
		{"BEGIN $; DECLARE x CURSOR WITH HOLD FOR SELECT id, v FROM t", "DECLARE y CURSOR FOR SELECT id, v FROM t WHERE v > 10", "MOVE x; FETCH y", "COMMIT", "FETCH x; CLOSE x"},
		{"UPDATE t SET v = v + 5", "UPDATE t SET v = v + 5"}}},
	{"a deferred unique key", "ALTER TABLE c ADD UNIQUE (tid) DEFERRABLE INITIALLY DEFERRED", "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (5, 1)", "UPDATE c SET tid = 4 WHERE id = 1", "COMMIT"},
		{"BEGIN $; INSERT INTO c VALUES (6, 1)", "DELETE FROM c WHERE id = 6", "INSERT INTO c VALUES (7, 4)", "COMMIT"}}},
	{"keys that change places", "ALTER TABLE t ADD UNIQUE (v) DEFERRABLE", "", [][]string{
		{"BEGIN $; UPDATE t SET v = 30 - v", "INSERT INTO t VALUES (3, 30, NULL)", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 10", "COMMIT"}}},
	{"a deferred key of a row that changes again", "ALTER TABLE t ADD w int DEFAULT 0, ADD UNIQUE (v) DEFERRABLE INITIALLY DEFERRED", "", [][]string{
		{"BEGIN $; INSERT INTO t VALUES (3, 20, NULL)", "UPDATE t SET w = 1 WHERE id = 3", "SET CONSTRAINTS ALL IMMEDIATE", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = 25 WHERE id = 2", "SAVEPOINT a; INSERT INTO t VALUES (4, 10, NULL)", "ROLLBACK TO a", "COMMIT"}}},
	{"two unique keys, one of them deferred", "ALTER TABLE c ADD UNIQUE (tid) DEFERRABLE INITIALLY DEFERRED; CREATE UNIQUE INDEX ON c (tid) WHERE id > 4", "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (5, 7)", "COMMIT"},
		{"BEGIN $; INSERT INTO c VALUES (6, 7)", "UPDATE c SET tid = 8 WHERE id = 6", "COMMIT"}}},
	{"a table is emptied", "", "", [][]string{
		{"BEGIN $; TRUNCATE c", "INSERT INTO c VALUES (1, 2), (5, 1)", "SELECT id, tid FROM c", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t", "SELECT id, tid FROM c", "UPDATE c SET tid = 9 WHERE id = 1", "COMMIT"}}},
	{"a table is emptied, and that undone", "", "", [][]string{
		{"BEGIN $; UPDATE t SET v = 11 WHERE id = 1", "SAVEPOINT a; TRUNCATE t; INSERT INTO t VALUES (1, 7, 7)", "ROLLBACK TO a; SELECT id, v FROM t", "ROLLBACK", "SELECT id, v FROM t"},
		{"BEGIN $; SELECT id, v FROM t WHERE id = 2", "COMMIT", "BEGIN; INSERT INTO t VALUES (1, 6, NULL) ON CONFLICT (id) DO UPDATE SET v = t.v + 6", "COMMIT"}}},
	{"a table is emptied twice", "ALTER TABLE c ADD FOREIGN KEY (tid) REFERENCES t", "", [][]string{
		{"BEGIN $; SAVEPOINT a; TRUNCATE t CASCADE; INSERT INTO t VALUES (2, 5, NULL)", "RELEASE a; TRUNCATE c", "TRUNCATE t, c; INSERT INTO t VALUES (1, 1, NULL)", "COMMIT", "SELECT id, v FROM t"},
		{"BEGIN $; INSERT INTO c VALUES (8, 2)", "COMMIT"}}},
	{"an emptied table was read before", "", "", [][]string{
		{"BEGIN $; SELECT id, tid FROM c WHERE id = 1", "UPDATE t SET v = 5 WHERE id = 1", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t WHERE id = 1", "TRUNCATE c", "COMMIT"}}},
	{"a table is locked", "", "", [][]string{
		{"BEGIN $; LOCK TABLE t", "SELECT id, v FROM t", "UPDATE t SET v = v + 1 WHERE id = 1", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t WHERE id = 1", "UPDATE t SET v = v * 2 WHERE id = 1", "COMMIT", "SELECT id, v FROM t"}}},
	{"a table is locked against writers", "", "", [][]string{
		{"BEGIN $; LOCK TABLE c IN SHARE ROW EXCLUSIVE MODE", "SELECT count(*), 0 FROM c", "INSERT INTO c VALUES (5, 1)", "COMMIT"},
		{"BEGIN $; LOCK c IN SHARE ROW EXCLUSIVE MODE", "INSERT INTO c SELECT 6, 2 WHERE (SELECT count(*) FROM c) < 2", "SELECT id, tid FROM c", "COMMIT"}}},
	{"locks on tables fail and go back", "", "", [][]string{
		{"BEGIN $; LOCK TABLE t IN EXCLUSIVE MODE NOWAIT", "SAVEPOINT a; LOCK TABLE c", "ROLLBACK TO a", "INSERT INTO c VALUES (5, 1)", "COMMIT"},
		{"BEGIN $; SELECT id, tid FROM c", "UPDATE t SET v = v + 1 WHERE id = 9", "SELECT id, v FROM t", "COMMIT"}}},
	{"a deadlock of locks on tables", "ALTER TABLE c ADD FOREIGN KEY (tid) REFERENCES t", "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (5, 1)", "LOCK TABLE t IN SHARE MODE", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v + 1 WHERE id = 2", "LOCK TABLE c IN EXCLUSIVE MODE", "SELECT id, tid FROM c", "COMMIT"}}},
	{"an upsert without a key waits for another index", "", "", [][]string{
		{"BEGIN $; INSERT INTO c VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET tid = excluded.tid",
			"INSERT INTO t VALUES (1, 10, NULL) ON CONFLICT (u) DO UPDATE SET v = t.v + 1", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = v * 2 WHERE id = 1", "COMMIT", "SELECT id, v FROM t"}}},
	{"two rows of one key", "", "", [][]string{
		{"BEGIN $; SELECT id, v FROM t", "INSERT INTO t VALUES (1, 50, 7)", "SELECT id, v FROM t WHERE id = 1", "COMMIT"},
		{"BEGIN $; DELETE FROM t WHERE id = 1", "COMMIT"}}},
	{"a deferrable transaction", "", "", [][]string{
		{"BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE; SELECT id, v FROM t", "SELECT id, tid FROM c", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t", "UPDATE t SET v = v + 1 WHERE id = 2", "COMMIT", "UPDATE c SET tid = 2"}}},
	{"a transaction becomes read only", "", "", [][]string{
		{"BEGIN $; SAVEPOINT a; SET TRANSACTION READ ONLY; RELEASE a; SELECT id, v FROM t", "SAVEPOINT b; UPDATE t SET v = 1 WHERE id = 1", "ROLLBACK TO b; SELECT id, tid FROM c", "COMMIT"},
		{"BEGIN $; SELECT id, v FROM t", "UPDATE c SET tid = 2", "UPDATE t SET v = v + 1 WHERE id = 2", "COMMIT"}}},
	{"a unique column moves", "", "", [][]string{
		{"BEGIN $; UPDATE t SET u = CASE id WHEN 1 THEN NULL ELSE 7 END", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = (SELECT count(*) FROM c) + v WHERE u = 7", "INSERT INTO t VALUES (4, 4, 7) ON CONFLICT (u) DO UPDATE SET v = 0", "COMMIT"}}},
	{"a statement sees its snapshot", "", "", [][]string{
		{"BEGIN $; WITH x AS (UPDATE t SET v = v + 1 WHERE id = 1 RETURNING id, v) SELECT x.id, x.v + t.v FROM x JOIN t USING (id)", "COMMIT"},
		{"BEGIN $; UPDATE t SET v = 50 WHERE id = 1", "SELECT id, v FROM t FOR SHARE NOWAIT", "COMMIT"}}},
}

// program makes autocommit transactions of the texts: errors end none of the client's.
func (s *script) program(level string) *statement.Program {
	p := &statement.Program{DB: statement.PostgreSQL, Level: level, HasChild: true,
		Rows: []statement.Row{{ID: 1, V: 10, U: 7}, {ID: 2, V: 20}}, Children: []statement.ChildRow{{ID: 1, Tid: 1}}}
	for _, texts := range s.sessions {
		var txns []statement.Transaction
		for range texts {
			txns = append(txns, statement.Transaction{Auto: true, Stmts: []statement.Statement{{Op: statement.Agg}}})
		}
		p.Sessions = append(p.Sessions, txns)
	}
	return p
}

func (s *script) text(session, i int, level string) string {
	return strings.Replace(s.sessions[session][i], "BEGIN $", "BEGIN ISOLATION LEVEL "+sqlLevels[level], 1)
}

// onServer is a real server that runs a script.
type onServer struct {
	*realtest.Postgres
	script *script
	level  string
}

func (o *onServer) Prepare(ctx context.Context, p *statement.Program) error {
	level := cmp.Or(sqlLevels[o.level], "READ COMMITTED")
	// The plans are those of package pg.
	plans := "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off; "
	if err := o.Everywhere(ctx, plans+"SET default_transaction_isolation = '"+strings.ToLower(level)+"'"); err != nil {
		return err
	}
	return o.Run(ctx, p, "DROP SCHEMA public CASCADE; CREATE SCHEMA public; "+sqltest.ScriptTables+o.script.schema)
}

func (o *onServer) Reset(ctx context.Context) error {
	rows := sqltest.ScriptRows + o.script.rows
	return o.Run(ctx, o.script.program(o.level), "SET session_replication_role = replica; TRUNCATE t, c CASCADE; SELECT setval(oid, 10, false) FROM pg_class WHERE relkind = 'S'; "+rows+" SET session_replication_role = DEFAULT")
}

func (o *onServer) Send(session int, a statement.Action) {
	o.SendText(session, []string{o.script.text(session, a.Txn, o.level)})
}

// declare is the script as a program of SQL.
func (s *script) declare(q *program.Program, level string) {
	db := pg.New(q, pg.Schema(sqltest.ScriptTables), pg.Seed(sqltest.ScriptRows), pg.Seed(s.schema), pg.Seed(s.rows))
	for i := range s.sessions {
		q.Session(fmt.Sprint("s", i), func(ses *program.Session) {
			ctx := context.Background()
			conn, err := pgconn.ConnectConfig(ctx, &db.Config(ses).Config)
			if err != nil {
				ses.Observe("", err.Error())
				return
			}
			defer conn.Close(ctx)
			for k := range s.sessions[i] {
				ses.Observe("", exec(ctx, conn, s.text(i, k, level)).String())
			}
		})
	}
}

var allLevels = flag.Bool("all-levels", false, "run each script of SQL at all levels on a real server, and not every fourth at one of them")

// TestScriptsOnServer compares SQL that random programs do not have with a real PostgreSQL
// over all interleavings: triggers, exceptions that are caught, cascades, joins, indexes on
// expressions, upserts, advisory locks. With two sessions only the victim of a deadlock is left to time, and at
// SERIALIZABLE who is first when a commit wakes a statement.
func TestScriptsOnServer(t *testing.T) {
	t.Parallel()
	server := scratchtest.Start(t, scratch.Postgres, map[string]string{
		"synchronous_commit": "off", "deadlock_timeout": realtest.DeadlockTimeout.String()})
	srv, err := realtest.NewPostgres(t.Context(), server.DSN("postgres"), 3)
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close(t.Context())
	for i, s := range slices.Concat(scripts, statementScripts) {
		for j, level := range slices.Sorted(maps.Keys(modelLevels)) {
			if !*allLevels && (i%deadlinetest.Of(4, 12) > 0 || (i/4+j)%len(modelLevels) != 0) {
				continue
			}
			at := modelLevels[level]
			t.Run(s.name+" at "+level, func(t *testing.T) { s.compare(t, srv, level, at) })
		}
	}
}

func (s *script) compare(t *testing.T, srv *realtest.Postgres, level string, at isolation.Level) {
	p := s.program(level)
	rec, err := realtest.Explore(t.Context(), &onServer{srv, s, level}, p)
	if errors.Is(err, realtest.ErrStray) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := sqltest.Outcomes(t, p, at, func(q *program.Program) { s.declare(q, level) })
	for o, schedule := range rec.Outcomes {
		if !got[o] {
			t.Errorf("SQL under the model lacks %s of schedule %s", o, schedule)
		}
	}
	// A check that is deferred to COMMIT is a step of its own under the model: others may come
	// before it.
	apart := strings.Contains(s.schema, "DEFERR")
	for o := range got {
		if _, is := rec.Outcomes[o]; !is && !strings.Contains(o, "40P01") && level != statement.Serializable && level != mixedLevels && !apart {
			t.Errorf("only SQL under the model has %s", o)
		}
	}
}
