// Statements of kinds that few applications send, against a server.

package pg_test

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

const kindsSchema = `
CREATE EXTENSION btree_gist;
CREATE TYPE state AS ENUM ('new', 'run', 'done');
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TABLE job (id int PRIMARY KEY, s state NOT NULL DEFAULT 'new', prio positive DEFAULT 1, tags text[] DEFAULT '{}', doc jsonb DEFAULT '{}',
	total int GENERATED ALWAYS AS (id * 10) STORED, during tstzrange DEFAULT '[2026-01-01,2026-01-02)',
	words tsvector GENERATED ALWAYS AS (to_tsvector('english', coalesce(doc->>'text', ''))) STORED);
CREATE UNIQUE INDEX one_running ON job (s) WHERE s = 'run';
CREATE UNIQUE INDEX one_text ON job (lower(doc->>'text'));
CREATE TABLE parent (id int PRIMARY KEY, name text UNIQUE);
CREATE TABLE child (id int PRIMARY KEY, p int REFERENCES parent ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, n int);
CREATE TABLE log (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, what text);
CREATE TABLE booking (room int, during int4range, EXCLUDE USING gist (room WITH =, during WITH &&));
CREATE TABLE slot (id int PRIMARY KEY, n int UNIQUE DEFERRABLE);
CREATE VIEW running AS SELECT id, s, prio FROM job WHERE s = 'run' WITH CHECK OPTION;
CREATE VIEW jobs AS SELECT * FROM job;
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log (what) VALUES (TG_OP || ' ' || coalesce(NEW.id, OLD.id)); RETURN coalesce(NEW, OLD); END $$;
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON job FOR EACH ROW EXECUTE FUNCTION note();
CREATE RULE gone AS ON DELETE TO parent DO ALSO INSERT INTO log (what) VALUES ('parent gone');
CREATE PROCEDURE bump(x int) LANGUAGE plpgsql AS $$ BEGIN UPDATE job SET prio = prio + 1 WHERE id = x; END $$;
INSERT INTO job (id, prio, doc) VALUES (1, 2, '{"text":"a cat"}'), (2, 1, '{}');
INSERT INTO parent VALUES (1, 'a'), (2, 'b');
INSERT INTO child VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3);
INSERT INTO slot VALUES (1, 1), (2, 2);
CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS n FROM job;
`

// rareKinds are statements, one a line. An empty one is a statement too.
const rareKinds = `
WITH moved AS (DELETE FROM child WHERE n > 1 RETURNING *) INSERT INTO child SELECT id + 100, p, n FROM moved RETURNING id
SELECT id, p, n FROM child
MERGE INTO job j USING (VALUES (1, 5), (9, 6)) v (id, p) ON j.id = v.id WHEN MATCHED THEN UPDATE SET prio = v.p WHEN NOT MATCHED THEN INSERT (id, prio) VALUES (v.id, v.p)
SELECT id, rank() OVER (PARTITION BY s ORDER BY prio DESC), lag(id) OVER (ORDER BY id), total FROM job
SELECT p.id, c.n FROM parent p, LATERAL (SELECT n FROM child WHERE p = p.id ORDER BY n DESC LIMIT 1) c
UPDATE job SET tags = array_append(tags, 'x'), doc = jsonb_set(doc, '{a}', '1') WHERE id = 1 RETURNING tags, doc, total
SELECT DISTINCT ON (s) s, id FROM job ORDER BY s, id DESC
SELECT j.id FROM job j JOIN parent p ON p.id = j.id FOR UPDATE OF j SKIP LOCKED
INSERT INTO job (id, prio) VALUES (1, 3) ON CONFLICT (id) DO UPDATE SET prio = excluded.prio WHERE job.prio < excluded.prio RETURNING prio
INSERT INTO job (id, prio) VALUES (1, 30) ON CONFLICT (id) DO UPDATE SET prio = excluded.prio WHERE job.prio < excluded.prio RETURNING prio, (xmax <> 0)
INSERT INTO job (id, doc) VALUES (3, '{"text":"A CAT"}')
INSERT INTO job (id, doc) VALUES (3, '{"text":"A CAT"}') ON CONFLICT DO NOTHING RETURNING id
SELECT id FROM job WHERE words @@ to_tsquery('english', 'cats')
SELECT id FROM job WHERE during @> timestamptz '2026-01-01 12:00Z'
SELECT id FROM job WHERE doc @> '{"text":"a cat"}' OR tags && ARRAY['y']
UPDATE job SET s = 'run' WHERE id = 2
UPDATE job SET s = 'run' WHERE id = 9
UPDATE running SET prio = 7 RETURNING id, prio
UPDATE running SET s = 'done'
UPDATE job SET prio = 0 WHERE id = 1
INSERT INTO booking VALUES (1, '[1,5)'), (2, '[1,5)')
INSERT INTO booking VALUES (1, '[4,6)')
UPDATE booking SET during = '[5,9)' WHERE room = 1 RETURNING room, during
CALL bump(1)
SELECT prio FROM job WHERE id = 1
DELETE FROM parent WHERE id = 2
SELECT count(*) FROM child
INSERT INTO child VALUES (50, 77, 0)
SELECT n FROM counted
UPDATE slot SET n = 3 - n
SELECT id, n FROM slot

BEGIN
INSERT INTO child VALUES (51, 78, 0)
INSERT INTO parent VALUES (78, 'late')
COMMIT
SELECT p FROM child WHERE id = 51

BEGIN
DECLARE c CURSOR FOR SELECT id FROM job ORDER BY id
FETCH 2 FROM c
MOVE 1 FROM c
FETCH 1 FROM c
CLOSE c
SAVEPOINT a
UPDATE job SET prio = 99
ROLLBACK TO a
SELECT sum(prio) FROM job
SELECT 1 / 0
SELECT 1
ROLLBACK
INSERT INTO jobs (id) VALUES (20) RETURNING total
UPDATE job SET id = id + 1000 WHERE id = 1 RETURNING total
PREPARE q (int) AS SELECT prio FROM job WHERE id = $1
EXECUTE q (1001)
SELECT string_agg(id::text, ',' ORDER BY id) FILTER (WHERE prio > 1), grouping(s) FROM job GROUP BY ROLLUP (s)
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n) FROM t
UPDATE parent SET name = name || '!' FROM job WHERE job.id = parent.id RETURNING parent.name, job.prio
SELECT * FROM json_to_recordset('[{"a":1},{"a":2}]') AS x (a int)
SELECT set_config('app.user', '7', false)
SELECT current_setting('app.user')
SELECT pg_try_advisory_lock(7), pg_advisory_unlock(7)
INSERT INTO job (id, s) SELECT g, 'done' FROM generate_series(30, 33) g
DELETE FROM job USING parent WHERE parent.id = job.id OR job.id = 31 RETURNING job.id
CREATE TEMP TABLE mine AS SELECT id, prio FROM job
UPDATE mine SET prio = 2
SELECT count(*), sum(prio) FROM mine
SELECT what FROM log
TRUNCATE child
SELECT count(*) FROM child
SELECT id FROM job ORDER BY prio NULLS FIRST, id DESC OFFSET 1 FETCH NEXT 2 ROWS ONLY
VALUES (1, 'a'), (2, 'b')
SELECT id FROM job WHERE (id, prio) > (20, 1) INTERSECT SELECT id FROM job WHERE s <> 'run'
SELECT nonsense FROM job
INSERT INTO job (id, s) VALUES (70, 'nonsense')
INSERT INTO job (total) VALUES (1)
`

// Every statement has the answer that a server gives.
func TestKindsOfStatements(t *testing.T) {
	t.Parallel()
	server := scratchtest.Start(t, scratch.Postgres, nil)
	db, err := sql.Open("pgx", server.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(kindsSchema); err != nil {
		t.Fatal(err)
	}
	want := answers(t, db)
	var got []string
	sqltest.Explore(t, func(p *program.Program) {
		db := pg.New(p, pg.Schema(kindsSchema))
		p.Session("s", func(s *program.Session) { got = answers(t, db.Open(s)) })
	}, isolation.CC)
	for i, statement := range strings.Split(strings.TrimSpace(rareKinds), "\n") {
		if i < len(got) && got[i] != want[i] {
			t.Errorf("%s\n got %s\nwant %s", statement, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d answers, want %d", len(got), len(want))
	}
}

// answers runs all statements on one connection.
func answers(t *testing.T, db *sql.DB) (all []string) {
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Error(err)
		return nil
	}
	defer c.Close()
	for statement := range strings.SplitSeq(strings.TrimSpace(rareKinds), "\n") {
		all = append(all, answer(t, c, statement))
	}
	return all
}

// answer is the rows of an answer, in no order, or the error's code.
func answer(t *testing.T, c *sql.Conn, statement string) string {
	rows, err := c.QueryContext(t.Context(), statement)
	if err != nil {
		return said(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return said(err)
	}
	var all []string
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(sql.NullString)
		}
		if err := rows.Scan(values...); err != nil {
			return said(err)
		}
		var row []string
		for _, v := range values {
			row = append(row, fmt.Sprint(*v.(*sql.NullString)))
		}
		all = append(all, strings.Join(row, " "))
	}
	if err := rows.Err(); err != nil {
		return said(err)
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

func said(err error) string {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return e.Code + " " + e.ConstraintName
	}
	return err.Error()
}
