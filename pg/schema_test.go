package pg_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/program/rows"
)

// grown is a schema that rows are in while it changes, as in years of migrations.
const grown = `
CREATE TABLE item AS SELECT g AS id, 'n' || g AS name, 0 AS n FROM generate_series(1, 4) g;
UPDATE item SET n = n + 1;
UPDATE item SET n = n + 1 WHERE id = 2;
DELETE FROM item WHERE id = 4;
ALTER TABLE item ADD PRIMARY KEY (id);
CREATE UNIQUE INDEX ON item (name);
ALTER TABLE item ALTER COLUMN n TYPE text USING 'n' || n;
ALTER TABLE item ADD COLUMN extra int NOT NULL DEFAULT 7;
INSERT INTO item VALUES (5, 'n5', 'x');
CREATE INDEX item_n ON item (n);
UPDATE item SET extra = 8 WHERE n = 'n2';
ALTER TABLE item RENAME TO thing;
CREATE TABLE plain (v int);
INSERT INTO plain VALUES (1), (1), (2);
DELETE FROM plain WHERE v = 2;
`

// upkeep moves rows about and marks pages as all visible.
var upkeep = []string{"", "REINDEX TABLE thing", "VACUUM FREEZE", "CLUSTER thing USING item_n", "VACUUM FULL", "ANALYZE", "VACUUM thing"}

// Rows that the schema has moved and changed are found where they are, and only they.
func TestGrownSchema(t *testing.T) {
	t.Parallel()
	for i, also := range upkeep {
		if !*long && i%deadlinetest.Of(1, 3) > 0 {
			continue
		}
		got := sqltest.Explore(t, func(p *program.Program) {
			db := pg.New(p, pg.Schema(grown), pg.Schema(also))
			p.Session("s", func(s *program.Session) {
				ctx := context.Background()
				on := db.Open(s)
				ask := func(query string) {
					var text sql.NullString
					err := on.QueryRowContext(ctx, query).Scan(&text)
					s.Observe("", fmt.Sprint(text.String, code(err)))
				}
				ask("SELECT string_agg(t::text, ' ' ORDER BY id) FROM thing t")
				ask("SELECT id FROM thing WHERE name = 'n2'")
				ask("SELECT string_agg(id::text, ' ' ORDER BY id) FROM thing WHERE n = 'n1'")
				ask("UPDATE thing SET n = 'moved' WHERE id = 1 RETURNING n")
				ask("SELECT string_agg(id::text, ' ' ORDER BY id) FROM thing WHERE n = 'n1'")
				ask("INSERT INTO thing VALUES (4, 'n4') RETURNING id")
				ask("INSERT INTO thing VALUES (6, 'n3') RETURNING id")
				ask("DELETE FROM thing WHERE id = 3 RETURNING id")
				ask("SELECT string_agg(id::text, ' ' ORDER BY id) FROM thing")
				ask("SELECT count(*) FROM plain")
				ask("DELETE FROM plain WHERE ctid = (SELECT min(ctid) FROM plain) RETURNING v")
				ask("SELECT count(*) FROM plain")
			})
		}, isolation.SER)
		want := "=(1,n1,n1,7) (2,n2,n2,8) (3,n3,n1,7) (5,n5,x,7) =2 =1 3 =moved =3 =4 =23505 =3 =1 2 4 5 =2 =1 =1 "
		for o := range got.Outcomes {
			if o != want {
				t.Errorf("%s:\ngot  %s\nwant %s", also, o, want)
			}
		}
	}
}

// wrong is found in this file when a statement of it fails.
const wrong = `-- a comment
CREATE TABLE a (id int PRIMARY KEY);
INSERT INTO a VALUES (1); INSERT INTO a
	VALUES (1);
`

// A statement that fails is told with the line that a user can look at.
func TestSchemaErrors(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"m/1.up.sql":   {Data: []byte("CREATE TABLE a (id int);\n-- é\n/* two\nlines */\n\nCREATE TABLE a (id int);")},
		"m/1.down.sql": {Data: []byte("DROP TABLE a")},
		"goose/1.sql":  {Data: []byte("-- +goose Up\nCREATE TABLE a (id int);\n-- +goose Down\nDROP TABLE a;")},
		"goose/2.sql":  {Data: []byte("INSERT INTO a VALUES (1);\nSELEC 1;")},
	}
	_, _, line, _ := runtime.Caller(0)
	for name, c := range map[string]struct {
		option pg.Option
		want   string
	}{
		"literal":       {pg.Schema(wrong), `schema_test.go:87: duplicate key value violates unique constraint "a_pkey" (SQLSTATE 23505): Key (id)=(1) already exists.`},
		"computed":      {pg.Schema("CREATE TABLE b ();\n" + strings.ToUpper("drop table c;")), fmt.Sprintf(`schema_test.go:%d: the schema, line 2: table "c" does not exist`, line+6)},
		"seed":          {pg.Seed(strings.Join([]string{"SELECT 1;", "", "SELECT x"}, "\n")), fmt.Sprintf(`schema_test.go:%d: the seed, line 3: column "x" does not exist`, line+7)},
		"file":          {pg.SchemaFS(files, "m/*.up.sql"), `m/1.up.sql:6: relation "a" already exists`},
		"the way back":  {pg.SchemaFS(files, "goose/*.sql"), `goose/2.sql:2: syntax error at or near "SELEC"`},
		"code":          {pg.SchemaFunc(func(ctx context.Context, db *sql.DB) error { return errors.New("no migrations") }), fmt.Sprintf("schema_test.go:%d: the schema: no migrations", line+10)},
		"nothing there": {pg.SchemaFS(files, "none/*.sql"), `no file matches "none/*.sql"`},
	} {
		err := failure(t, program.Options{}, func(p *program.Program) {
			pg.New(p, c.option)
			p.Session("s", func(s *program.Session) {})
		})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "schema_test.go") > 1 {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, c.want)
		}
	}
}

// Code may make the schema and the rows, on several connections, and what it sets
// ends with it.
func TestSchemaFunc(t *testing.T) {
	t.Parallel()
	got := sqltest.Explore(t, func(p *program.Program) {
		db := pg.New(p, pg.Schema("CREATE SCHEMA app; CREATE TYPE kind AS ENUM ('a'); SET search_path = app"),
			pg.SchemaFunc(func(ctx context.Context, db *sql.DB) error {
				for _, sql := range []string{"ALTER TYPE kind ADD VALUE 'b'", "CREATE TABLE t (id int PRIMARY KEY, k kind DEFAULT 'b')", "SET timezone = 'Asia/Tokyo'"} {
					if _, err := db.ExecContext(ctx, sql); err != nil {
						return err
					}
				}
				return nil
			}),
			pg.SeedFunc(func(ctx context.Context, db *sql.DB) error {
				tx, err := db.BeginTx(ctx, nil)
				if err != nil {
					return err
				}
				if _, err := tx.ExecContext(ctx, "INSERT INTO t VALUES (1), (2)"); err != nil {
					return err
				}
				return tx.Commit()
			}))
		p.Session("s", func(s *program.Session) {
			var n int
			var path, zone string
			err := db.Open(s).QueryRow("SELECT count(*), current_setting('search_path'), current_setting('timezone') FROM t WHERE k = 'b'").Scan(&n, &path, &zone)
			s.Observe("rows", fmt.Sprint(n, path, zone, err))
		})
	}, isolation.SER)
	if want := `rows=2"$user", publicUTC<nil> `; got.Outcomes[want] != 1 {
		t.Errorf("%q", got.Outcomes)
	}
}

// Code may open the database by its address, as a store does that migrates at its start;
// what it leaves open ends with it.
func TestSchemaDSN(t *testing.T) {
	t.Parallel()
	open := func(dsn string) (*sql.DB, error) {
		db, err := sql.Open("pgx", dsn)
		if err != nil {
			return nil, err
		}
		_, err = db.Exec("CREATE TABLE IF NOT EXISTS t (id int PRIMARY KEY)")
		return db, err
	}
	var made sync.Map
	got := sqltest.Explore(t, func(p *program.Program) {
		db := pg.New(p, pg.SchemaRecorded(func(s rows.Sent) { made.Store(s.SQL, true) }), pg.SchemaDSN(func(_ context.Context, dsn string) error {
			db, err := open(dsn)
			t.Cleanup(func() { db.Close() }) // later: its connections have ended
			if err == nil {
				_, err = db.Exec("SET timezone = 'Asia/Tokyo'")
			}
			return err
		}), pg.SeedDSN(func(ctx context.Context, dsn string) error {
			db, err := sql.Open("postgres", dsn)
			if err != nil {
				return err
			}
			defer db.Close()
			_, err = db.Exec("INSERT INTO t VALUES (1), (2)")
			return err
		}))
		p.Session("s", func(s *program.Session) {
			c, err := open(db.DSN(s))
			if err != nil {
				s.Observe("error", err.Error())
				return
			}
			defer c.Close()
			var n int
			var zone string
			err = c.QueryRow("SELECT count(*), current_setting('timezone') FROM t").Scan(&n, &zone)
			s.Observe("rows", fmt.Sprint(n, zone, err))
		})
	}, isolation.SER)
	if want := `rows=2UTC<nil> `; got.Outcomes[want] != 1 {
		t.Errorf("%q", got.Outcomes)
	}
	for _, sql := range []string{"CREATE TABLE IF NOT EXISTS t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)"} {
		if _, told := made.Load(sql); !told {
			t.Errorf("%s is not told", sql)
		}
	}
}
