package mysql

import (
	"bufio"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/dpor/sqltest/corpus"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// Statements with the answers that a MariaDB 10.11 has given. A file has the statements of a
// schema, each on a line that begins with "+ ", and statements one after another, each with the
// answer below, indented. Behind "-- args" are arguments of a prepared statement: i5 and u5 are
// numbers with a sign and without, f1.5 is a double, s is a text and n is NULL. The statements of
// some files are made by a function of grids; others are written by hand. With -update the answers
// come from a server anew.

// answered is a statement with its answer.
type answeredStatement struct{ text, answer string }

// recorded programs are files of testdata/recorded by name.
type recordedProgram struct {
	file       string
	schema     []string
	statements []answeredStatement
}

// updates reports whether there is -update, a flag of the package's other tests.
func updates() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

func recordedPrograms(t *testing.T) (list []recordedProgram) {
	files, err := filepath.Glob("testdata/recorded/*.txt")
	if err != nil || len(files) == 0 && !updates() {
		t.Fatal(err, files)
	}
	for _, file := range files {
		p := recordedProgram{file: file}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(strings.NewReader(string(b))); lines.Scan(); {
			line := lines.Text()
			if schema, is := strings.CutPrefix(line, "+ "); is {
				p.schema = append(p.schema, schema)
			} else if answer, is := strings.CutPrefix(line, "\t"); is {
				p.statements[len(p.statements)-1].answer = answer
			} else if line != "" && line[0] != '#' {
				p.statements = append(p.statements, answeredStatement{text: line})
			}
		}
		list = append(list, p)
	}
	return list
}

// TestRecorded has the answers of the engine.
func TestRecorded(t *testing.T) {
	t.Parallel()
	for _, p := range recordedPrograms(t) {
		t.Run(filepath.Base(p.file), func(t *testing.T) {
			t.Parallel()
			c := connect(t, strings.Join(p.schema, ";\n"), false)
			for _, s := range p.statements {
				if got := recordedAnswer(t.Context(), c, s.text); got != s.answer {
					t.Errorf("%s\n got %s\nwant %s", s.text, got, s.answer)
				}
			}
		})
	}
}

// TestRecordedOnModel has those of the engine on the model of InnoDB.
func TestRecordedOnModel(t *testing.T) {
	t.Parallel()
	for _, p := range recordedPrograms(t) {
		if len(p.schema) == 2 {
			continue // of one table, with its rows
		}
		t.Run(filepath.Base(p.file), func(t *testing.T) {
			t.Parallel()
			b, err := newModelled(newConfig([]Option{Schema(strings.Join(p.schema, ";\n"))}), "innodb-rr")
			if err != nil {
				t.Fatal(err)
			}
			m := newOnModel(t, b, 1)
			defer m.end()
			for _, s := range p.statements {
				if got := recordedAnswer(t.Context(), m.conns[0], s.text); got != s.answer {
					t.Errorf("%s\n got %s\nwant %s", s.text, got, s.answer)
				}
			}
		})
	}
}

// TestRecordedOnServer has those of a server.
func TestRecordedOnServer(t *testing.T) {
	t.Parallel()
	programs := recordedPrograms(t)
	if updates() {
		programs = withGrids(programs)
	}
	server := scratchtest.Start(t, scratch.MariaDB, nil)
	for i, p := range programs {
		c := connectServer(t, server, fmt.Sprint("recorded", i), p.schema)
		for k, s := range p.statements {
			got := recordedAnswer(t.Context(), c, s.text)
			if got != s.answer && !updates() {
				t.Errorf("%s: %s\n  got %s\nwrote %s", p.file, s.text, got, s.answer)
			}
			p.statements[k].answer = got
		}
		if updates() {
			p.write(t)
		}
	}
}

// connectServer is a connection to a new database of a server.
func connectServer(t *testing.T, server *scratch.Server, database string, schema []string) *sql.Conn {
	t.Helper()
	config, err := driver.ParseDSN(server.DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	config.InterpolateParams, config.ParseTime = false, true
	connector, err := driver.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append([]string{"CREATE DATABASE " + database + " CHARACTER SET utf8mb4", "USE " + database}, schema...) {
		if _, err := c.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return c
}

func (p *recordedProgram) write(t *testing.T) {
	var b strings.Builder
	for _, s := range p.schema {
		fmt.Fprintf(&b, "+ %s\n", s)
	}
	b.WriteString("\n")
	for _, s := range p.statements {
		fmt.Fprintf(&b, "%s\n\t%s\n", s.text, s.answer)
	}
	if err := os.WriteFile(p.file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// recordedAnswer is an answer on one line: the labels and the rows, sorted where the statement
// does not, or the counts, or the number of an error.
func recordedAnswer(ctx context.Context, c *sql.Conn, statement string) string {
	text, list, _ := strings.Cut(statement, " -- args ")
	var args []any
	for _, a := range strings.Fields(list) {
		args = append(args, recordedArgument(a))
	}
	word, _, _ := strings.Cut(strings.ToUpper(strings.TrimLeft(text, "(")), " ")
	if word != "SELECT" && word != "WITH" && word != "SHOW" {
		r, err := c.ExecContext(ctx, text, args...)
		if err != nil {
			return failure(err)
		}
		n, _ := r.RowsAffected() // the driver knows it always
		return fmt.Sprint("affected ", n)
	}
	rows, err := c.QueryContext(ctx, text, args...)
	if err != nil {
		return failure(err)
	}
	a, err := corpus.Read(rows, recorded)
	if err != nil {
		return failure(err)
	}
	var values []string
	for _, row := range a.Rows {
		values = append(values, fmt.Sprint(row))
	}
	if !strings.Contains(strings.ToUpper(text), "ORDER BY") {
		slices.Sort(values)
	}
	return strings.ReplaceAll(fmt.Sprint(a.Columns, " ", values), "\n", `\n`)
}

func recordedArgument(a string) any {
	switch a[0] {
	case 'i':
		n, _ := strconv.ParseInt(a[1:], 10, 64)
		return n
	case 'u':
		n, _ := strconv.ParseUint(a[1:], 10, 64)
		return n
	case 'f':
		n, _ := strconv.ParseFloat(a[1:], 64)
		return n
	case 's':
		return a[1:]
	}
	return nil
}
