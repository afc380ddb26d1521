package mysql

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/dpor"
	exploring "github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

const outsideFile = "testdata/outside.txt"

const outsideSchema = `
CREATE TABLE t (id INT PRIMARY KEY, v INT DEFAULT 3, w VARCHAR(20));
CREATE TABLE s (id INT AUTO_INCREMENT PRIMARY KEY, v INT);
CREATE TABLE c (id INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES t (id));
CREATE VIEW w AS SELECT id, v FROM t;
CREATE VIEW few AS SELECT id, v FROM t WHERE v < 50;
INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'b');
INSERT INTO s VALUES (1, 7);
INSERT INTO c VALUES (1, 1);`

// outsideLeft are the rows that are left.
const outsideLeft = "SELECT 't', id, v, w FROM t UNION ALL SELECT 's', id, v, '' FROM s UNION ALL SELECT 'c', id, t, '' FROM c ORDER BY 1, 2"

// outside is a list of statements of one session, with what MariaDB 10.11 answers to each, and
// the rows that are left. The file has the first in a line and the second in the next one.
type outside struct {
	statements []string
	want       string
}

func readOutside(t *testing.T) (list []outside) {
	t.Helper()
	text, err := os.ReadFile(outsideFile)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if want, is := strings.CutPrefix(lines.Text(), "\t"); is {
			list[len(list)-1].want = want
		} else {
			list = append(list, outside{statements: strings.Split(lines.Text(), ";; ")})
		}
	}
	return list
}

// replies are the answers to statements, one after another, and the rows that are left.
func replies(c *sql.Conn, statements []string) string {
	var out []string
	for _, s := range statements {
		out = append(out, answer(context.Background(), c, s))
	}
	answer(context.Background(), c, "ROLLBACK") // of what is open
	out = append(out, answer(context.Background(), c, outsideLeft))
	answer(context.Background(), c, "ROLLBACK") // with autocommit=0
	return strings.Join(out, " ;; ")
}

// Statements on the border of what is explored, in code that ignores every error: each is
// answered as by MariaDB 10.11, or ends the exploration with an error that says why.
func TestOutside(t *testing.T) {
	if f := flag.Lookup("update"); f.Value.String() == "true" {
		recordOutside(t)
	}
	list := readOutside(t)
	for _, level := range []isolation.Level{isolation.InnoRR, isolation.SER} {
		got, errs := exploreOutside(t, list, level)
		refused := 0
		for i, o := range list {
			name := fmt.Sprint(i)
			switch message, failed := errs[name]; {
			case failed && !strings.Contains(message, "explored") && !strings.Contains(message, "the model of InnoDB does not have this"):
				t.Errorf("%v: %q: %s", level, o.statements, message)
			case failed:
				refused++
				t.Logf("%v: %q: %s", level, o.statements, message)
			case got[name] != o.want:
				t.Errorf("%v: %q:\n got %s\nwant %s", level, o.statements, got[name], o.want)
			}
		}
		t.Logf("%v: %d of %d end the exploration", level, refused, len(list))
		if refused < 20 {
			t.Errorf("%v: %d of %d end the exploration", level, refused, len(list))
		}
	}
}

// exploreOutside explores a program for each list of statements. It returns the answers and the
// errors of the explorations.
func exploreOutside(t *testing.T, list []outside, level isolation.Level) (got, errs map[string]string) {
	t.Helper()
	got, errs = map[string]string{}, map[string]string{}
	var mu sync.Mutex
	var programs []exploring.Program
	for i, o := range list {
		name := fmt.Sprint(i)
		programs = append(programs, exploring.Program{Name: name, Explore: func(p *program.Program) {
			db := New(p, Schema(outsideSchema))
			p.Session("s", func(s *program.Session) {
				c, err := db.Open(s).Conn(context.Background())
				s.Assert(err == nil, err)
				a := replies(c, o.statements)
				mu.Lock()
				got[name] = a
				mu.Unlock()
				_ = c.Close()
			})
		}})
	}
	sink := &outsideErrors{errs: errs}
	r := &exploring.Run{Package: "test", Sink: sink, Options: exploring.Options{Levels: []isolation.Level{level}, Patience: 10 * time.Minute, MaxOps: 1000, Workers: 1, Recheck: -1}}
	r.Programs(t.Context(), programs)
	return got, errs
}

// outsideErrors keeps the errors of explorations.
type outsideErrors struct {
	mu   sync.Mutex
	errs map[string]string
}

func (*outsideErrors) Turn(string, string, *dpor.Exploration) {}

func (o *outsideErrors) Event(event any) {
	if e, is := event.(*report.Error); is {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.errs[e.Program] = e.At + ": " + e.Message
	}
}

// recordOutside writes what a MariaDB answers.
func recordOutside(t *testing.T) {
	server := scratchtest.Start(t, scratch.MariaDB, nil)
	config, err := driver.ParseDSN(server.DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	config.MultiStatements, config.ParseTime = true, true
	connector, err := driver.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, o := range readOutside(t) {
		db := sql.OpenDB(connector)
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.ExecContext(t.Context(), "DROP DATABASE IF EXISTS app; DROP DATABASE IF EXISTS other; CREATE DATABASE app CHARACTER SET utf8mb4; USE app; SET time_zone = '+00:00'; "+outsideSchema); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n\t%s\n", strings.Join(o.statements, ";; "), replies(c, o.statements))
		c.Close()
		db.Close()
	}
	if err := os.WriteFile(outsideFile, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
