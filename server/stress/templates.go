package stress

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/server/database"
)

// A file with SQL of the user's: how tables are made, and transactions, of which each client
// takes one by chance. A line is a statement; what it says of the history stands before it.
//
//	tables txmc_stress_stock
//	versions txmc_stress_stock: k, v
//	setup
//	  CREATE TABLE txmc_stress_stock (k int PRIMARY KEY, v bigint NOT NULL)
//	  INSERT INTO txmc_stress_stock SELECT i, 0 FROM generate_series(0, {keys} - 1) i
//	transaction 3
//	  read {a}: SELECT v FROM txmc_stress_stock WHERE k = {a}
//	  write {a}: UPDATE txmc_stress_stock SET v = {value} WHERE k = {a}
//	transaction
//	  rows: SELECT k, v FROM txmc_stress_stock WHERE k BETWEEN {a} AND {a} + 4
//	  count of txmc_stress_stock where v > {a}: SELECT count(*) FROM txmc_stress_stock WHERE v > {a}
//	  delete {a}: DELETE FROM txmc_stress_stock WHERE k = {a}
//
// {keys} is --keys, {sessions} is --sessions, and {session} is the client. {value} is a number
// that no other write has, in each statement another one. Any other name is a key, by
// --distribution, the same in all of a transaction. read says that the first column of the only
// row is the value of the key, 0 or NULL the initial one. write says that {value} is written if a
// row was affected. rows says that each row is a key and its value. delete says that the row of a
// key is gone if a row was affected. rows of and count of read by a predicate. A line without a
// colon behind such a word is run, and tells nothing. The line versions is for the certificate:
// see tracked.
type templates struct {
	quiet
	file    string
	owned   []string
	tracked map[string]*tracked // by table; empty without lines versions
	make    []template
	txns    [][]template
	weight  []int
	total   int
	deletes bool // some statement does

	writes *templateWrites // that the certificate needs; nil without it
}

// template is a statement.
type template struct {
	line  int
	what  string // read, write, delete, rows, rows of, count of, or ""
	key   string
	table string // of rows of and count of; of a write, where the certificate needs it
	where string // of rows of and count of: the condition
	sql   string
}

var (
	annotated = regexp.MustCompile(`^(read|write|delete|rows)\b([^:]*):\s*(.*)$`)
	predicate = regexp.MustCompile(`^(rows of|count of) (\S+) where (.+?): ((?i:SELECT|WITH|TABLE|VALUES)\b.*)$`)
	writing   = regexp.MustCompile(`^(?i:INSERT\s+INTO|UPDATE(?:\s+ONLY)?)\s+([a-z0-9_]+)\b`)
)

func parseTemplates(file, text string) (*templates, error) {
	w := &templates{file: file, tracked: map[string]*tracked{}}
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
			begin := func() error { return w.begin(f) }
			if part == "versions" {
				begin = func() error { return w.track(i+1, trimmed) }
			}
			if err := begin(); err != nil {
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
		return fmt.Errorf("expected tables, versions, setup, or transaction with its weight, got %q; statements begin with spaces", strings.Join(f, " "))
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
	if err := t.annotate(); err != nil {
		return err
	}
	w.deletes = w.deletes || t.what == "delete"
	last := len(w.txns) - 1
	w.txns[last] = append(w.txns[last], t)
	return nil
}

// annotate takes what a statement says of the history off it.
func (t *template) annotate() error {
	if m := predicate.FindStringSubmatch(t.sql); m != nil {
		t.what, t.table, t.where, t.sql = m[1], m[2], strings.TrimSpace(m[3]), m[4]
		return nil
	}
	m := annotated.FindStringSubmatch(t.sql)
	if m == nil {
		return nil
	}
	t.what, t.key, t.sql = m[1], strings.TrimSpace(m[2]), m[3]
	if (t.key == "") != (t.what == "rows") {
		return fmt.Errorf("%s: expected read KEY:, write KEY:, delete KEY:, rows:, or rows of TABLE where CONDITION: before the statement", t.what)
	}
	if t.what == "write" && !strings.Contains(t.sql, "{value}") {
		return fmt.Errorf("a write without {value}: every value is written once only, so that it is known who has read it")
	}
	if m := writing.FindStringSubmatch(t.sql); m != nil && t.what == "write" {
		t.table = m[1]
	}
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
	x := &templateTxn{client: c, ctx: ctx, w: w, names: w.names(c)}
	for _, t := range w.choose(c.rng) {
		if err := x.run(&t); err != nil {
			return err
		}
	}
	return nil
}

func (w *templates) names(c *client) map[string]string {
	return map[string]string{"keys": strconv.Itoa(c.Keys), "sessions": strconv.Itoa(c.Sessions), "session": c.name}
}

// templateTxn is a transaction of templates.
type templateTxn struct {
	*client
	ctx   context.Context
	w     *templates
	names map[string]string
	own   []ownRow // what it has written, with the certificate
}

var placeholder = regexp.MustCompile(`\{([a-z][a-z0-9_]*)\}`)

// fill puts values in the place of names.
func (x *templateTxn) fill(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(m string) string {
		name := m[1 : len(m)-1]
		if x.names[name] == "" {
			x.names[name] = strconv.Itoa(int(x.key()))
		}
		return x.names[name]
	})
}

// run runs a statement, and records what it says of the history.
func (x *templateTxn) run(t *template) error {
	value := x.unique()
	x.names["value"] = strconv.FormatInt(value, 10)
	sql, key := x.fill(t.sql), x.fill(t.key)
	if x.w.writes != nil {
		switch t.what {
		case "rows of", "count of":
			return x.selects(t, sql)
		case "write", "delete":
			return x.changes(t, sql, key, value)
		}
	}
	r, err := x.do(x.ctx, "%s", sql)
	if err != nil {
		return err
	}
	switch t.what {
	case "write", "delete":
		if r.Affected > 0 {
			x.wrote(key, value)
		}
	case "read":
		return x.sawFirst(key, r)
	case "rows", "rows of":
		return x.sawRows(t, r)
	}
	return nil
}

// sawFirst records a read of the first column of the only row. Where rows are deleted, nobody
// knows whether a row that is not there is not there yet or not any more.
func (x *templateTxn) sawFirst(key string, r database.Result) error {
	switch {
	case len(r.Rows) > 0:
		return x.saw(key, r.Text(0, 0))
	case !x.w.deletes:
		x.op(history.Read, key, history.Value{Kind: history.Initial})
	}
	return nil
}

// sawRows records reads of a key and its value in each row.
func (x *templateTxn) sawRows(t *template, r database.Result) error {
	for i := range r.Rows {
		if len(r.Rows[i]) < 2 {
			return t.wrong("%s: expected a key and a value in each row, got %d column", t.what, len(r.Rows[i]))
		}
		if err := x.saw(r.Text(i, 0), r.Text(i, 1)); err != nil {
			return err
		}
	}
	return nil
}

// wrong says what a database or a file has wrong at a statement.
func (t *template) wrong(format string, args ...any) error {
	return wrongAnswer(fmt.Sprintf("line %d of the workload: ", t.line) + fmt.Sprintf(format, args...))
}
