package mock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

const outsideSchema = `CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1);
CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM t; CREATE UNIQUE INDEX ON m (n);
CREATE SEQUENCE q; CREATE SEQUENCE qc CACHE 5;
CREATE TABLE x (r int4range, EXCLUDE USING gist (r WITH &&));
CREATE TABLE nn (id int UNIQUE NULLS NOT DISTINCT);
CREATE FUNCTION trg() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE FOREIGN DATA WRAPPER w;`

// outside are the statements of testdata/outside.txt by what is done with them: "!", "*", "+" or " ".
func outside(t *testing.T) (list [][2]string) {
	t.Helper()
	b, err := os.ReadFile("testdata/outside.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "#") {
			list = append(list, [2]string{line[:1], strings.TrimSpace(line[2:])})
		}
	}
	return list
}

// TestOutside: each statement either is told of as what is not done as on a server, or is answered as by one.
func TestOutside(t *testing.T) {
	t.Parallel()
	list := outside(t)
	if len(list) < 200 {
		t.Fatalf("%d statements", len(list))
	}
	onServer := realAnswers(t, list)
	for level, marks := range map[isolation.Level]string{isolation.SI: "!", isolation.PgRC: "!*"} {
		var told atomic.Pointer[string]
		s, err := NewServer(Options{Level: level, Refused: func(why string) { told.Store(&why) }}, pg.Schema(outsideSchema))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, line := range list {
			if deadlinetest.Over(t) {
				break
			}
			if line[0] == "+" {
				continue // it would change what the others see
			}
			told.Store(nil)
			answer := answerOf(t, &s.Config().Config, line[1])
			why := ""
			if s := told.Load(); s != nil {
				why = *s
			}
			refused := why != ""
			if want := strings.Contains(marks, line[0]); refused != want {
				t.Errorf("%v: %s: told %q, want %v (%s)", level, line[1], why, want, answer)
			}
			if refused && !strings.HasPrefix(why, fmt.Sprintf("the statement %q: ", wire.Shorten(line[1]))) {
				t.Errorf("%v: %s: told %s", level, line[1], why)
			}
			if want, ok := onServer[line[1]]; ok && level == isolation.PgRC && !refused && answer != want {
				t.Errorf("%v: %s: %q, a server says %q", level, line[1], answer, want)
			}
		}
	}
}

// TestOutsideSchema: statements that change the schema are answered as by a server.
func TestOutsideSchema(t *testing.T) {
	t.Parallel()
	list := slices.DeleteFunc(outside(t), func(line [2]string) bool { return line[0] != "+" })
	onServer := realAnswers(t, list)
	for level, first := range map[isolation.Level]int{isolation.SI: 0, isolation.PgRC: 1} {
		for n := first; n < len(list); n += deadlinetest.Of(1, 12) {
			if deadlinetest.Over(t) {
				break
			}
			told := ""
			s, err := NewServer(Options{Level: level, Refused: func(why string) { told = why }}, pg.Schema(outsideSchema))
			if err != nil {
				t.Fatal(err)
			}
			answer := answerOf(t, &s.Config().Config, list[n][1])
			s.Close()
			if told != "" {
				t.Errorf("%v: %s: told %q (%s)", level, list[n][1], told, answer)
			}
			if want, ok := onServer[list[n][1]]; ok && answer != want {
				t.Errorf("%v: %s: %q, a server says %q", level, list[n][1], answer, want)
			}
		}
	}
}

// realAnswers are those of a real server to the statements that are not refused, in full tests, and where one is installed.
func realAnswers(t *testing.T, list [][2]string) map[string]string {
	if !deadlinetest.Full() || scratch.Installed(scratch.Postgres) != nil {
		return nil
	}
	server := scratchtest.Start(t, scratch.Postgres, nil)
	c, err := pgx.ParseConfig(server.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for _, line := range list {
		if line[0] != " " && line[0] != "+" {
			continue
		}
		if a := answerOf(t, &c.Config, "DROP SCHEMA public CASCADE; DROP FOREIGN DATA WRAPPER IF EXISTS w; CREATE SCHEMA public; "+outsideSchema); strings.Contains(a, "!") {
			t.Fatalf("before %s: %s", line[1], a)
		}
		answers[line[1]] = answerOf(t, &c.Config, line[1])
	}
	return answers
}

// answerOf is what a client of its own is answered: command tags without numbers, and the SQLSTATE of an error.
func answerOf(t *testing.T, config *pgconn.Config, sql string) string {
	t.Helper()
	ctx := context.Background()
	c, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	results, err := c.Exec(ctx, sql).ReadAll()
	var words []string
	for _, r := range results {
		if tag := numbers.ReplaceAllString(r.CommandTag.String(), ""); tag != "" {
			words = append(words, tag)
		}
	}
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		words = append(words, "!"+e.Code)
	case err != nil:
		words = append(words, "!"+err.Error())
	}
	return strings.Join(words, " ")
}

var numbers = regexp.MustCompile(`[ 0-9]+$`)
