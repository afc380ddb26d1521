package pg_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// things have indexes of all kinds.
const things = `
CREATE EXTENSION citext;
CREATE TABLE thing (id int PRIMARY KEY, a int UNIQUE, b int, name text, mail citext UNIQUE, tags text[], doc jsonb, r int4range, p point, done bool,
	UNIQUE NULLS NOT DISTINCT (b, a), EXCLUDE USING gist (r WITH &&));
CREATE UNIQUE INDEX ON thing (lower(name));
CREATE UNIQUE INDEX ON thing (a, b) INCLUDE (name);
CREATE UNIQUE INDEX ON thing (name) WHERE NOT done;
CREATE UNIQUE INDEX ON thing ((doc->>'k'));
CREATE INDEX ON thing USING gin (tags);
CREATE INDEX ON thing USING gin (doc);
CREATE INDEX ON thing USING hash (b);
CREATE INDEX ON thing USING brin (a);
CREATE INDEX ON thing USING spgist (p);
CREATE VIEW seen AS SELECT id, a + 1 AS next FROM thing WHERE b = 7;
CREATE TABLE part (id int, day int, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10);
CREATE TABLE part_2 PARTITION OF part DEFAULT;
CREATE FUNCTION counted() RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE n bigint := 0; x thing; BEGIN FOR x IN SELECT * FROM thing LOOP n := n + 1; END LOOP; RETURN n; END $$;
INSERT INTO thing VALUES (90, 90, 90, 'Zoe', 'z@x', '{z}', '{"k":"z"}', '[90,91)', '(90,90)', true);
`

// ofThings insert a thing that each of the conditions is about, for session i.
const ofThings = `INSERT INTO thing VALUES (%[1]d, %[1]d, 7, 'N%[1]d', 'M%[1]d@x', '{t,u%[1]d}', '{"k":"%[1]d","t":1}', '[%[1]d0,%[1]d5)', '(1,%[1]d)', false);
	INSERT INTO part VALUES (%[1]d, %[1]d0)`

var thingsByConditions = []string{
	"SELECT count(*) FROM thing WHERE id < 50",
	"SELECT count(*) FROM thing WHERE id BETWEEN 1 AND 2",
	"SELECT count(*) FROM thing WHERE id IN (1, 2)",
	"SELECT count(*) FROM thing WHERE id = ANY ('{2,1,5}')",
	"SELECT count(*) FROM thing WHERE id = 1 OR a = 2",
	"SELECT count(*) FROM thing WHERE (id, b) < (3, 100)",
	"SELECT count(*) FROM thing WHERE (a, b) < (50, 0)",
	"SELECT count(*) FROM thing WHERE a IS NOT NULL AND a < 50",
	"SELECT count(*) FROM thing WHERE b = 7 AND a > 0",
	"SELECT count(*) FROM thing WHERE b = 7",
	"SELECT count(*) FROM thing WHERE lower(name) < 'o'",
	"SELECT count(*) FROM thing WHERE lower(name) IN ('n1', 'n2')",
	"SELECT count(*) FROM thing WHERE name LIKE 'N%'",
	"SELECT count(*) FROM thing WHERE name >= 'N' AND NOT done",
	"SELECT count(*) FROM thing WHERE mail < 'N'",
	"SELECT count(*) FROM thing WHERE mail IN ('m1@X', 'm2@X')",
	"SELECT count(*) FROM thing WHERE tags @> '{t}'",
	"SELECT count(*) FROM thing WHERE doc @> '{\"t\":1}'",
	"SELECT count(*) FROM thing WHERE doc->>'k' IN ('1', '2')",
	"SELECT count(*) FROM thing WHERE r && '[1,50)'",
	"SELECT count(*) FROM thing WHERE p <@ box '((0,0),(9,9))'",
	"SELECT count(*) - 1 FROM thing",
	"SELECT count(*) FROM seen WHERE next < 50",
	"SELECT count(*) FROM thing t WHERE EXISTS (SELECT FROM thing u WHERE u.id > t.id AND u.b = 90)",
	"SELECT count(*) FROM thing t JOIN part p ON p.id = t.id",
	"SELECT count(*) FROM part WHERE day > 5",
	"SELECT count(*) FROM part_2 WHERE id < 50",
	"SELECT count(*) FROM generate_series(1, 2) g, LATERAL (SELECT FROM thing WHERE id = g) x",
	"WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT id FROM thing, r WHERE id = n + 1 OR id = n + 2) SELECT count(*) - 1 FROM r",
	"SELECT counted() - 1",
	"SELECT count(*) - 1 FROM (SELECT row_number() OVER (ORDER BY a) FROM thing) x",
	"SELECT count(*) FROM thing TABLESAMPLE BERNOULLI (100) WHERE id < 50",
	"SELECT coalesce((SELECT 1 FROM thing ORDER BY id LIMIT 1 OFFSET 1), 0)",
	"SELECT coalesce((SELECT 1 FROM thing WHERE id < 50 ORDER BY p <-> point '(0,0)' LIMIT 1), 0)",
}

// Whatever a scan's condition is, the rows that others may bring in are seen: one of two
// sessions finds the other's row in every serial order, and neither may find it under
// snapshot isolation.
func TestPhantomsByAnyCondition(t *testing.T) {
	t.Parallel()
	var sql string
	c := newClient(t, func(p *program.Program) {
		db := pg.New(p, pg.Schema(things))
		for i := range 2 {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				tx, err := db.Open(s).Begin()
				if err != nil {
					s.Assert(false, err)
					return
				}
				defer tx.Rollback()
				var n int
				if err := tx.QueryRow(sql).Scan(&n); err != nil {
					s.Assert(false, err)
					return
				}
				if n == 0 {
					_, err = tx.Exec(fmt.Sprintf(ofThings, i+1))
				}
				s.Observe("n", n > 0)
				s.Assert(err == nil && tx.Commit() == nil, err)
			})
		}
	})
	for i, condition := range thingsByConditions {
		if i%deadlinetest.Of(5, 15) > 0 && !*long {
			continue
		}
		sql = condition
		want := map[string]int{"n=false n=true ": 1, "n=true n=false ": 1}
		for _, level := range []isolation.Level{isolation.SER, isolation.SI} {
			if err := c.Renew(); err != nil {
				t.Fatal(err)
			}
			if level == isolation.SI {
				want["n=false n=false "] = 1
			}
			got := map[string]int{}
			for o := range sqltest.ExploreAt(t, c, level).Outcomes {
				got[o] = 1
			}
			if !maps.Equal(got, want) {
				t.Errorf("%v: %s: %v", level, sql, got)
			}
		}
	}
}

// A row may have come to where a constraint is about it by any update, whatever else
// has changed in it since.
func TestExclusion(t *testing.T) {
	t.Parallel()
	p := func(p *program.Program) {
		db := pg.New(p, pg.Schema(`CREATE TABLE booking (id int PRIMARY KEY, r int4range, note text, gone bool NOT NULL DEFAULT false, EXCLUDE USING gist (r WITH &&));
			CREATE UNIQUE INDEX ON booking (lower(note)) WHERE NOT gone;
			INSERT INTO booking VALUES (1, '[1,5)', 'a')`))
		for i, statements := range [][]string{
			{"UPDATE booking SET r = '[20,25)' WHERE id = 1", "UPDATE booking SET gone = true WHERE id = 1"},
			{"UPDATE booking SET note = 'B' WHERE id = 1"},
			{"INSERT INTO booking VALUES (2, '[3,4)', 'c')", "INSERT INTO booking VALUES (3, '[40,43)', 'b')"},
		} {
			name := []string{"moves", "writes", "wants"}[i]
			p.Session(name, func(s *program.Session) {
				on := db.Open(s)
				codes := []string{}
				for _, sql := range statements {
					_, err := on.Exec(sql)
					codes = append(codes, code(err))
				}
				s.Observe(name, fmt.Sprint(codes))
			})
		}
	}
	got := slices.Sorted(maps.Keys(sqltest.Explore(t, p, isolation.SER).Outcomes))
	want := []string{
		"moves=[ ] writes=[23505] wants=[ ] ", "moves=[ ] writes=[23505] wants=[23P01 ] ", "moves=[ ] writes=[] wants=[ 23505] ",
		"moves=[ ] writes=[] wants=[ ] ", "moves=[ ] writes=[] wants=[23P01 23505] ", "moves=[ ] writes=[] wants=[23P01 ] ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
