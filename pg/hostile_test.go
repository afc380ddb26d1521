// Client code that does not do as it should: nothing hangs, and what went wrong is
// said.

package pg_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// careless is client code of two sessions and what they observe.
type careless struct {
	code func(t *testing.T, db *sql.DB) string
	want string
}

var carelessCode = map[string]careless{
	"connections leak": {func(t *testing.T, db *sql.DB) string {
		for range 5 {
			c, err := db.Conn(context.Background())
			if err != nil {
				return err.Error()
			}
			if _, err := c.ExecContext(context.Background(), "UPDATE acct SET bal = 7 WHERE id = 2"); err != nil {
				return err.Error()
			}
		}
		return "done"
	}, "done"},
	"the context is cancelled before": {func(t *testing.T, db *sql.DB) string {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := db.ExecContext(ctx, "UPDATE acct SET bal = 7 WHERE id = 2")
		return fmt.Sprint(errors.Is(err, context.Canceled))
	}, "true"},
	"the context ends during an endless statement": {func(t *testing.T, db *sql.DB) string {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		_, err := db.ExecContext(ctx, endless)
		return fmt.Sprint(err != nil)
	}, "true"},
	"the context ends during a loop that calls nobody": {func(t *testing.T, db *sql.DB) string {
		c, err := db.Conn(context.Background())
		if err != nil {
			return err.Error()
		}
		defer c.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		_, err = c.ExecContext(ctx, loop)
		return fmt.Sprint(err != nil)
	}, "true"},
	"a loop that computes": {func(t *testing.T, db *sql.DB) string {
		_, err := db.Exec("DO $$ DECLARE n int := 100000; BEGIN WHILE n > 0 LOOP n := n - 1; END LOOP; END $$")
		return code(err) + "done"
	}, "done"},
	"a long sleep": {func(t *testing.T, db *sql.DB) string {
		_, err := db.Exec("SELECT pg_sleep(3600)")
		return code(err) + "awake"
	}, "awake"},
	"a statement cannot be parsed": {func(t *testing.T, db *sql.DB) string {
		_, err := db.Exec("UPDTE acct SET bal = 7")
		return code(err)
	}, "42601"},
	"a large value": {func(t *testing.T, db *sql.DB) string {
		var n int
		err := db.QueryRow("SELECT length($1::text)", strings.Repeat("x", 4<<20)).Scan(&n)
		return fmt.Sprint(n, code(err))
	}, "4194304"},
	"what defines nothing that others see": {func(t *testing.T, db *sql.DB) string {
		for _, sql := range []string{"CREATE TABLE IF NOT EXISTS acct (id int)", "CREATE INDEX IF NOT EXISTS acct_pkey ON acct (owner)",
			"ALTER TABLE acct ADD COLUMN IF NOT EXISTS bal text", "ANALYZE acct", "TRUNCATE entry",
			"CREATE TEMP TABLE mine (id int PRIMARY KEY, v text UNIQUE)", "INSERT INTO mine SELECT id, owner FROM acct", "ALTER TABLE mine ADD w int",
			"SELECT * INTO TEMP other FROM mine", "DROP TABLE mine", "BEGIN; CREATE TEMP TABLE gone (); ROLLBACK",
			"CREATE FUNCTION pg_temp.one() RETURNS int LANGUAGE sql RETURN 1", "BEGIN; CREATE FUNCTION gone() RETURNS int LANGUAGE sql RETURN 1; ROLLBACK",
			"CREATE TYPE pg_temp.mood AS ENUM ('glad')", "DROP FUNCTION IF EXISTS nothing", "CREATE TEMP SEQUENCE numbers"} {
			if _, err := db.Exec(sql); err != nil {
				return sql + ": " + err.Error()
			}
		}
		return "done"
	}, "done"},
	"a row with a large value": {func(t *testing.T, db *sql.DB) string {
		if _, err := db.Exec("UPDATE acct SET owner = 'o' || repeat('x', 1000000) WHERE id = 2"); err != nil {
			return code(err) // an index has no room for it
		}
		return "done"
	}, "54000"},
}

const endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n % 1000 + 1 FROM r) SELECT count(*) FROM r"

// Loops that call nobody: not the storage, not the host.
const (
	loop    = "DO $$ BEGIN LOOP END LOOP; END $$"
	catches = "DO $$ BEGIN LOOP BEGIN LOOP END LOOP; EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$"
)

func code(err error) string {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestCarelessClients(t *testing.T) {
	t.Parallel()
	for name, c := range some(carelessCode, 3) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := sqltest.Explore(t, func(p *program.Program) {
				db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
				p.Session("careless", func(s *program.Session) {
					s.Observe("got", strings.TrimSpace(c.code(t, db.Open(s))))
				})
				p.Session("other", func(s *program.Session) {
					if _, err := db.Open(s).Exec("UPDATE acct SET bal = bal + 1 WHERE id = 1"); err != nil {
						s.Observe("other", err.Error())
					}
				})
			}, isolation.CC)
			if keys := slices.Collect(maps.Keys(got.Outcomes)); len(keys) != 1 || keys[0] != "got="+c.want+" " {
				t.Errorf("%q", keys)
			}
		})
	}
}

// failure explores a program that cannot be explored, and returns why.
func failure(t *testing.T, opts program.Options, f func(*program.Program)) error {
	t.Helper()
	opts.Patience = cmp.Or(opts.Patience, 10*time.Minute) // machines are busy
	c, err := program.NewClient(t.Name(), f, opts)
	if err != nil {
		return err
	}
	defer c.Park()
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.CC, Base: isolation.CC, All: true, List: true, Workers: 1})
	defer settle(t, c)
	for found, err := range x.Histories() {
		if err != nil {
			return err
		}
		if len(found.Failures) > 0 {
			return errors.New(found.Failures[0].Message)
		}
	}
	return nil
}

// settle waits for the end of client code that was given up.
func settle(t *testing.T, c *program.Client) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); c.Busy() != ""; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still running: %s", c.Busy())
		}
	}
}

func TestWhatCannotBeExplored(t *testing.T) {
	files := fstest.MapFS{"m/001.sql": {Data: []byte("CREATE TABLE a (id int);\nCREATE TABLE b (\n  id nonsense);\n")}}
	session := func(code func(db *sql.DB)) func(*program.Program) {
		return func(p *program.Program) {
			db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
			p.Session("s", func(s *program.Session) { code(db.Open(s)) })
		}
	}
	type hostile struct {
		program func(*program.Program)
		want    string // what takes for ever is given up after a second
	}
	for name, c := range some(map[string]hostile{
		"a schema": {func(p *program.Program) { pg.New(p, pg.SchemaFS(files, "m/*.sql")) }, `m/001.sql:3: type "nonsense" does not exist`},
		"a panic between statements": {session(func(db *sql.DB) {
			tx, err := db.Begin()
			if err != nil {
				t.Error(err)
			}
			if _, err := tx.Exec("UPDATE acct SET bal = 7"); err != nil {
				t.Error(err)
			}
			panic("what now")
		}), "what now"},
		"an endless statement": {session(func(db *sql.DB) { _, _ = db.Exec(endless) }), "has not returned for 1s and is cancelled"},
		"an endless statement again and again": {session(func(db *sql.DB) {
			for range 10 {
				_, _ = db.Exec(endless)
			}
		}), "has not returned for 1s and is cancelled"},
		"a loop that calls nobody":                 {session(func(db *sql.DB) { _, _ = db.Exec(loop) }), "has not returned for 1s and is cancelled"},
		"a loop that goes on when it is cancelled": {session(func(db *sql.DB) { _, _ = db.Exec(catches) }), "has not returned for 1s and is cancelled"},
		"a loop in a trigger": {func(p *program.Program) {
			db := pg.New(p, pg.Schema(accounts+`
CREATE FUNCTION turn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN WHILE true LOOP NEW.bal := NEW.bal + 1 - 1; END LOOP; RETURN NEW; END $$;
CREATE TRIGGER turn BEFORE UPDATE ON acct FOR EACH ROW EXECUTE FUNCTION turn();`), pg.Seed(seed))
			p.Session("s", func(s *program.Session) { _, _ = db.Open(s).Exec("UPDATE acct SET bal = 7") })
		}, "has not returned for 1s and is cancelled"},
		"a loop in a schema": {func(p *program.Program) { pg.New(p, pg.Schema("CREATE TABLE a (id int);\n"+loop)) },
			"canceling statement due to user request (SQLSTATE 57014): it has not returned for 1s"},
		"a loop in a seed": {func(p *program.Program) {
			pg.New(p, pg.Schema("CREATE TABLE a (id int);"), pg.Seed("INSERT INTO a VALUES (1);\n"+catches))
		},
			"hostile_test.go"},
		"an endless statement in a schema": {func(p *program.Program) { pg.New(p, pg.Schema("CREATE TABLE a (id int);\n"+endless)) },
			"canceling statement due to user request (SQLSTATE 57014): it has not returned for 1s"},
		"a value of 100 MB": {func(p *program.Program) {
			db := pg.New(p, pg.Schema("CREATE TABLE file (id int PRIMARY KEY, content text)"))
			p.Session("s", func(s *program.Session) {
				_, _ = db.Open(s).Exec("INSERT INTO file VALUES (1, $1)", strings.Repeat("x", 100<<20))
			})
		}, "the row file/1 takes 104857604 bytes and cannot be stored, the limit is 1048576: store less"},
		"rows that are never closed": {session(func(db *sql.DB) {
			rows, err := db.Query("SELECT id FROM acct")
			if err != nil || !rows.Next() {
				t.Error(err)
			}
		}), `before the rows of the statement "SELECT id FROM acct" were read to the end: close them`},
		"a table that a session makes":  {session(func(db *sql.DB) { _, _ = db.Exec("-- mine\nCREATE TABLE\n  mine ()") }), `the statement "CREATE TABLE mine ()" changes the schema`},
		"an index that a session drops": {session(func(db *sql.DB) { _, _ = db.Exec("ALTER TABLE acct DROP CONSTRAINT acct_owner_key") }), "by pg.Schema"},
		"a trigger that a session stops": {session(func(db *sql.DB) {
			_, _ = db.Exec("ALTER TABLE entry DISABLE TRIGGER USER; ALTER TABLE entry ALTER amount SET DEFAULT 1")
		}), "by pg.Schema, pg.SchemaFunc or pg.SchemaDSN"},
		"a function":           {session(func(db *sql.DB) { _, _ = db.Exec("CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1") }), "CREATE FUNCTION f()"},
		"a type":               {session(func(db *sql.DB) { _, _ = db.Exec("CREATE TYPE mood AS ENUM ('glad')") }), "CREATE TYPE mood"},
		"a domain":             {session(func(db *sql.DB) { _, _ = db.Exec("CREATE DOMAIN positive AS int CHECK (VALUE > 0)") }), "CREATE DOMAIN positive"},
		"a function by a loop": {session(func(db *sql.DB) { _, _ = db.Exec("DO $$ BEGIN EXECUTE 'CREATE SCHEMA s'; END $$") }), "DO $$ BEGIN EXECUTE"},
		"a right":              {session(func(db *sql.DB) { _, _ = db.Exec("GRANT SELECT ON acct TO PUBLIC") }), "GRANT SELECT"},
		"a policy":             {session(func(db *sql.DB) { _, _ = db.Exec("CREATE POLICY p ON acct USING (true)") }), "CREATE POLICY p"},
		"a default":            {session(func(db *sql.DB) { _, _ = db.Exec("ALTER TABLE acct ALTER bal SET DEFAULT 8") }), "ALTER TABLE acct"},
		"an extension":         {session(func(db *sql.DB) { _, _ = db.Exec("CREATE EXTENSION IF NOT EXISTS citext") }), "CREATE EXTENSION"},
		"a table made in a transaction": {session(func(db *sql.DB) {
			tx, err := db.Begin()
			if err != nil {
				t.Error(err)
			}
			_, _ = tx.Exec("CREATE TABLE mine (id int)")
			_ = tx.Rollback()
		}), "CREATE TABLE mine"},
		"a transaction that leaks": {session(func(db *sql.DB) {
			tx, err := db.Begin()
			if err != nil {
				t.Error(err)
			}
			if _, err := tx.Exec("UPDATE acct SET bal = 7"); err != nil {
				t.Error(err)
			}
		}), "open: end it"},
	}, 3) {
		t.Run(name, func(t *testing.T) {
			patience := 10 * time.Minute
			if strings.Contains(c.want, "not returned for 1s") || name == "a loop in a seed" {
				patience = time.Second
			}
			err := failure(t, program.Options{Patience: patience}, c.program)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
