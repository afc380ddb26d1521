package stress

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"github.com/txmc/txmc/history"
)

// A file with SQL of the user's: how tables are made, and transactions, of which each client
// takes one by chance. A line is a statement; what it says of the history stands before it.
//
//	tables txmc_stress_stock
//	setup
//	  CREATE TABLE txmc_stress_stock (k int PRIMARY KEY, v bigint NOT NULL)
//	  INSERT INTO txmc_stress_stock SELECT i, 0 FROM generate_series(0, {keys} - 1) i
//	transaction 3
//	  read {a}: SELECT v FROM txmc_stress_stock WHERE k = {a}
//	  write {a}: UPDATE txmc_stress_stock SET v = {value} WHERE k = {a}
//	transaction
//	  rows: SELECT k, v FROM txmc_stress_stock WHERE k BETWEEN {a} AND {a} + 4
//
// {keys} is --keys, {sessions} --sessions, {session} the client; {value} a number that no
// other write has, in each statement another; any other name a key, by --distribution, the
// same in all of a transaction. read says that the first column of the only row is the value of
// the key, 0 or NULL the initial one; write that {value} is written if a row was
// affected; rows that each row is a key and its value. A line without a colon behind such a
// word is run, and tells nothing.
type templates struct {
	quiet
	file   string
	owned  []string
	make   []template
	txns   [][]template
	weight []int
	total  int
}

// template is a statement.
type template struct {
	line int
	what string // read, write, rows, or ""
	key  string
	sql  string
}

var annotated = regexp.MustCompile(`^(read|write|rows)\b([^:]*):\s*(.*)$`)

func parseTemplates(file, text string) (*templates, error) {
	w := &templates{file: file}
	part := ""
	for i, line := range strings.Split(text, "\n") {
		wrong := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", file, i+1, fmt.Sprintf(format, args...))
		}
		trimmed := strings.TrimSuffix(strings.TrimSpace(line), ";")
		if trimmed == "" || strings.HasPrefix(trimmed, "--") || strings.HasPrefix(trimmed, "#") {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			f := strings.Fields(trimmed)
			part = f[0]
			if err := w.begin(f); err != nil {
				return nil, wrong("%v", err)
			}
			continue
		}
		if err := w.statement(part, template{line: i + 1, sql: trimmed}); err != nil {
			return nil, wrong("%v", err)
		}
	}
	if len(w.txns) == 0 {
		return nil, fmt.Errorf("%s: there is no transaction: a line transaction, and below it statements with spaces before them", file)
	}
	return w, nil
}

// begin begins a part.
func (w *templates) begin(f []string) error {
	switch {
	case f[0] == "setup" && len(f) == 1:
	case f[0] == "tables":
		for _, t := range f[1:] {
			if !tableName.MatchString(t) {
				return fmt.Errorf("the table %q: a table is dropped before and after the run, so that its name must begin with txmc_stress_", t)
			}
			w.owned = append(w.owned, t)
		}
	case f[0] == "transaction" && len(f) <= 2:
		weight := 1
		if len(f) == 2 {
			n, err := strconv.Atoi(f[1])
			if err != nil || n < 1 || n > 1000 {
				return fmt.Errorf("the weight %q: expected a number from 1 to 1000", f[1])
			}
			weight = n
		}
		w.txns, w.weight, w.total = append(w.txns, nil), append(w.weight, weight), w.total+weight
	default:
		return fmt.Errorf("expected tables, setup, or transaction with its weight, got %q; statements begin with spaces", strings.Join(f, " "))
	}
	return nil
}

var tableName = regexp.MustCompile(`^txmc_stress_[a-z0-9_]+$`)

func (w *templates) statement(part string, t template) error {
	switch part {
	case "setup":
		w.make = append(w.make, t)
		return nil
	case "transaction":
	default:
		return fmt.Errorf("a statement before setup and transaction")
	}
	if m := annotated.FindStringSubmatch(t.sql); m != nil {
		t.what, t.key, t.sql = m[1], strings.TrimSpace(m[2]), m[3]
		if (t.key == "") != (t.what == "rows") {
			return fmt.Errorf("%s: expected read KEY:, write KEY: or rows: before the statement", t.what)
		}
		if t.what == "write" && !strings.Contains(t.sql, "{value}") {
			return fmt.Errorf("a write without {value}: every value is written once only, so that it is known who has read it")
		}
	}
	last := len(w.txns) - 1
	w.txns[last] = append(w.txns[last], t)
	return nil
}

func (w *templates) name() string     { return w.file }
func (w *templates) tables() []string { return w.owned }

func (w *templates) setup(r *run) (list []string) {
	for _, t := range w.make {
		list = append(list, strings.NewReplacer("{keys}", strconv.Itoa(r.Keys), "{sessions}", strconv.Itoa(r.Sessions)).Replace(t.sql))
	}
	return list
}

func (w *templates) choose(rng *rand.Rand) []template {
	n := rng.IntN(w.total)
	for i, weight := range w.weight {
		if n -= weight; n < 0 {
			return w.txns[i]
		}
	}
	return nil
}

func (w *templates) transaction(ctx context.Context, c *client) error {
	keys := map[string]string{"keys": strconv.Itoa(c.Keys), "sessions": strconv.Itoa(c.Sessions), "session": c.name}
	for _, t := range w.choose(c.rng) {
		if err := t.run(ctx, c, keys); err != nil {
			return err
		}
	}
	return nil
}

var placeholder = regexp.MustCompile(`\{([a-z][a-z0-9_]*)\}`)

// fill puts values in the place of names.
func fill(c *client, text string, names map[string]string) string {
	return placeholder.ReplaceAllStringFunc(text, func(m string) string {
		name := m[1 : len(m)-1]
		if names[name] == "" {
			names[name] = strconv.Itoa(int(c.key()))
		}
		return names[name]
	})
}

func (t *template) run(ctx context.Context, c *client, names map[string]string) error {
	value := c.unique()
	names["value"] = strconv.FormatInt(value, 10)
	r, err := c.do(ctx, "%s", fill(c, t.sql, names))
	if err != nil {
		return err
	}
	key := fill(c, t.key, names)
	switch {
	case t.what == "write" && r.Affected > 0:
		c.wrote(key, value)
	case t.what == "read" && len(r.Rows) == 0:
		c.op(history.Read, key, history.Value{Kind: history.Initial})
	case t.what == "read":
		return c.saw(key, r.Text(0, 0))
	case t.what == "rows":
		for i := range r.Rows {
			if len(r.Rows[i]) < 2 {
				return wrongAnswer(fmt.Sprintf("line %d of the workload: rows: expected a key and a value in each row, got %d column", t.line, len(r.Rows[i])))
			}
			if err := c.saw(r.Text(i, 0), r.Text(i, 1)); err != nil {
				return err
			}
		}
	}
	return nil
}
