package mariadb_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/server/proxy"
	"github.com/txmc/txmc/server/proxy/mariadb"
	"github.com/txmc/txmc/server/proxy/packet"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// start starts a server with an empty database, and returns the database's address.
func start(t *testing.T) (*scratch.Server, string) {
	t.Helper()
	server := scratchtest.Start(t, scratch.MariaDB, nil)
	execute(t, server.DSN("mysql"), "CREATE DATABASE txmc_test")
	return server, server.DSN("txmc_test")
}

// execute runs statements.
func execute(t *testing.T, dsn string, statements ...string) {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range statements {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

// connect connects to the database.
func connect(t *testing.T, dsn string) *mariadb.Database {
	t.Helper()
	d, err := mariadb.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

const startup = "capabilities\x00131072\x00charset\x0045\x00level\x00innodb-rr\x00"

// link opens a connection of a session.
func link(t *testing.T, d *mariadb.Database) proxy.Link {
	t.Helper()
	l, err := d.Connect(t.Context(), startup)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// command is a command with what belongs to it.
func command(kind byte, rest string) *access.Sent {
	return &access.Sent{Messages: string(packet.Make(0, append([]byte{kind}, rest...))), Texts: []string{rest}}
}

// send sends a command.
func send(t *testing.T, l proxy.Link, kind byte, rest string) []byte {
	t.Helper()
	out, err := l.Exchange(command(kind, rest))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A client sees the same in the text protocol and in the binary one, of values of all
// types, of several results, of none and of errors.
func TestSeenInBothProtocols(t *testing.T) {
	_, dsn := start(t)
	l := link(t, connect(t, dsn))
	for text, want := range map[string]string{
		"SELECT 1, -1, 255, NULL, 18446744073709551615, 'a\"b', '', x'00ff'":                                                  "",
		"SELECT cast(1.50 AS decimal(5,2)), cast(0 AS decimal(5,2)), -0.10":                                                   `["cast(1.50 AS decimal(5,2))" "cast(0 AS decimal(5,2))" "-0.10"];"1.5","0","-0.1",` + "\n",
		"SELECT timestamp '2026-05-04 10:00:00', date '2026-05-04', time '-27:01:02', timestamp '2026-05-04 10:00:00.120000'": "",
		"SELECT 1 FROM dual WHERE false": `["1"];`,
		"SELECT * FROM nowhere":          "!1146;",
		"DO 1":                           "ok 0 0;",
		"SELECT 1 UNION SELECT 2":        `["1"];"1",` + "\n" + `"2",` + "\n",
	} {
		asText := packet.SeenOf(send(t, l, packet.Query, text))
		if want != "" && asText != want {
			t.Errorf("%s: %q, want %q", text, asText, want)
		}
		prepared := send(t, l, packet.Prepare, text)
		if strings.HasPrefix(packet.Words(prepared), "!") {
			continue
		}
		id := string(packet.Packets(prepared)[5:9])
		if inBinary := packet.SeenOf(send(t, l, packet.Execute, id+"\x00\x01\x00\x00\x00")); inBinary != asText {
			t.Errorf("%s: %q in the binary protocol, %q in the text protocol", text, inBinary, asText)
		}
	}
}

// The state of the transaction is known after every answer, also after an error, which does
// not tell it.
func TestStatus(t *testing.T) {
	_, dsn := start(t)
	l := link(t, connect(t, dsn))
	for _, step := range []struct {
		text string
		want byte
	}{
		{"CREATE TABLE t (id int PRIMARY KEY)", 'I'}, {"BEGIN", 'T'}, {"INSERT INTO t VALUES (1)", 'T'}, {"INSERT INTO t VALUES (1)", 'T'}, {"COMMIT", 'I'},
		{"SET autocommit = 0", 'I'}, {"SELECT * FROM t", 'T'}, {"ROLLBACK", 'I'}, {"nonsense", 'I'},
	} {
		if out := send(t, l, packet.Query, step.text); packet.Status(out) != step.want || l.Status() != step.want {
			t.Errorf("after %s: %c, want %c", step.text, packet.Status(out), step.want)
		}
	}
}

// Who waits for a row, for a table's definition or for a named lock is known at once, and
// for whom.
func TestWaits(t *testing.T) {
	_, dsn := start(t)
	d := connect(t, dsn)
	for name, test := range map[string]struct{ first, second string }{
		"row":        {"UPDATE t SET v = 1 WHERE id = 1", "UPDATE t SET v = 2 WHERE id = 1"},
		"definition": {"SELECT * FROM t", "ALTER TABLE t ADD COLUMN w int"},
		"named lock": {"SELECT GET_LOCK('txmc_test', 0)", "SELECT GET_LOCK('txmc_test', 1000)"},
		"its text":   {"UPDATE t SET v = 1 WHERE id = 1", "UPDATE t SET v = 2 WHERE id = 1 /*\n---TRANSACTION 1\n*/"},
	} {
		t.Run(name, func(t *testing.T) {
			execute(t, dsn, "DROP TABLE IF EXISTS t", "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 0)")
			one, two := link(t, d), link(t, d)
			send(t, one, packet.Query, "BEGIN")
			send(t, one, packet.Query, test.first)
			q := command(packet.Query, test.second)
			done := make(chan error, 1)
			go func() {
				_, err := two.Exchange(q)
				done <- err
			}()
			for waits := [][]string{nil}; waits[0] == nil; {
				select {
				case err := <-done:
					t.Fatal("it does not wait", err)
				default:
				}
				var err error
				if waits, err = d.Waits(t.Context(), []proxy.Link{two}, []*access.Sent{q}); err != nil {
					t.Fatal(err)
				}
			}
			if strings.Contains(name, "row") {
				if ids, err := d.Blockers(t.Context(), two); err != nil || len(ids) != 1 || ids[0] != one.ID() {
					t.Errorf("it waits for %v, want %s; %v", ids, one.ID(), err)
				}
			}
			if err := d.End(t.Context(), []proxy.Link{one}); err != nil {
				t.Error(err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
			two.Close()
		})
	}
}

// Rows, and the numbers that the next rows get, are put back to the state that schema and
// seed have made. Where triggers would run, schema and seed have to run again.
func TestReset(t *testing.T) {
	_, dsn := start(t)
	d := connect(t, dsn)
	if err := d.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, dsn, "CREATE TABLE p (id int AUTO_INCREMENT PRIMARY KEY, name varchar(20), up varchar(20) AS (upper(name)))",
		"CREATE TABLE c (id int PRIMARY KEY, p int, FOREIGN KEY (p) REFERENCES p (id))",
		"INSERT INTO p (name) VALUES ('a b'), (NULL), ('c')", "DELETE FROM p WHERE id = 3", "INSERT INTO c VALUES (0, 1)")
	content, err := d.Capture(t.Context())
	if err != nil || !content.Plain {
		t.Fatal(content, err)
	}
	left := func() string {
		list, err := d.Left(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, a := range list {
			b.WriteString(a.Key + " " + a.Value + "\n")
		}
		return b.String()
	}
	const want = "c {id:0 p:1}\np {id:1 name:\"a b\" up:\"A B\"}\np {id:2 name:NULL up:NULL}\n"
	for range 2 {
		if err := d.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := left(); got != want {
			t.Errorf("left is\n%s, want\n%s", got, want)
		}
		execute(t, dsn, "DELETE FROM c", "DELETE FROM p WHERE id = 1", "INSERT INTO p (name) VALUES ('d')")
		if got := left(); !strings.Contains(got, "id:4 ") {
			t.Errorf("the next row has another number than 4:\n%s", got)
		}
	}
	execute(t, dsn, "CREATE TRIGGER x BEFORE INSERT ON p FOR EACH ROW SET NEW.name = 'x'")
	if _, err := d.Capture(t.Context()); err == nil {
		err = d.Reset(t.Context())
		if !errors.Is(err, proxy.ErrRebuild) {
			t.Errorf("with a trigger: %v", err)
		}
	}
}

// A database that has something is refused, and keeps it. What a run has left that could
// not clear it is taken over. One run at a time has a database.
func TestTake(t *testing.T) {
	_, dsn := start(t)
	for thing, makes := range map[string]string{"TABLE": "CREATE TABLE shop (id int)", "VIEW": "CREATE VIEW shop AS SELECT 1", "FUNCTION": "CREATE FUNCTION shop() RETURNS int RETURN 1"} {
		execute(t, dsn, makes)
		var refused *proxy.NotEmptyError
		if _, err := mariadb.Take(t.Context(), dsn); !errors.As(err, &refused) || !strings.Contains(err.Error(), "shop") {
			t.Errorf("after %s: %v", makes, err)
		}
		execute(t, dsn, "DROP "+thing+" shop")
	}
	first, err := mariadb.Take(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mariadb.Take(t.Context(), dsn); !errors.Is(err, proxy.ErrClaimed) {
		t.Errorf("a second run: %v", err)
	}
	execute(t, dsn, "CREATE TABLE account (id int)") // of a run that is killed
	first.Abandon()
	second, err := mariadb.Take(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := second.Release(ctx); err != nil {
		t.Error(err)
	}
	execute(t, dsn, "CREATE TABLE account (id int)", "CREATE TABLE txmc_scratch (id int)") // nothing is left
}

// What a statement means to others is known by its words; what is not known, may mean
// something.
func TestKinds(t *testing.T) {
	d := (&mariadb.Database{}).Dialect()
	for text, want := range map[string]proxy.Kind{
		"BEGIN": proxy.Means, "START TRANSACTION": proxy.Means, "START TRANSACTION WITH CONSISTENT SNAPSHOT": proxy.Runs, "SET autocommit=1": proxy.Runs,
		"SET NAMES utf8mb4": proxy.Means, "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE": proxy.Means, "SET @x = 1": proxy.Runs, "SET @x = (SELECT v FROM t)": proxy.Runs,
		"SET sql_mode = 'ANSI'": proxy.Means, "SET x = (SELECT v FROM t)": proxy.Runs, "SAVEPOINT a": proxy.Saves, "ROLLBACK TO a": proxy.Runs, "ROLLBACK": proxy.RollsBack,
		"COMMIT": proxy.Commits, "": proxy.Means, "/*!40101 DELETE FROM t */": proxy.Runs, "COMMIT; SELECT 1": proxy.Runs, "TRUNCATE t": proxy.Runs, "SET GLOBAL x = 1": proxy.Runs,
	} {
		if got := d.Kind(&access.Sent{Texts: []string{text}}); got != want {
			t.Errorf("%q is of kind %d, want %d", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"UPDATE t SET v = 1": true, "INSERT INTO `t` (`v`) VALUES (?)": true, "DELETE FROM t WHERE id IN (1)": true, "REPLACE INTO t VALUES (1)": true,
		"INSERT INTO t SELECT f(1)": false, "INSERT INTO t SELECT `f`(1)": false, "SELECT 1": false, "CREATE TABLE t (v int)": false, "UPDATE t SET v = nextval(s)": false,
	} {
		if table, _ := d.Writes(&access.Sent{Texts: []string{text}}); (table != "") != want {
			t.Errorf("%q only writes rows: %v, want %v", text, table != "", want)
		}
	}
}
