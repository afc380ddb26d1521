package stress

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/server/database"
)

// The server's log of a run of a file with SQL. The log has whole rows. The server itself says
// after the run which versions they are, by the expressions of the lines versions, and for which of
// them the conditions of predicates hold.
//
// Where the file does not say which version a row is, the run ends with an error, as a verdict
// would be about something else. There are three cases: a row changes and its value does not; a
// key comes back after its deletion; a condition holds for an initial row, which setup has made.

// rowLog is what the log says of the tables with versions.
type rowLog struct {
	w       *templates
	rows    []loggedRow
	deleted []history.Deletion // by messages, in the order of the log
	at      []int              // the number of rows before each of them
}

// loggedRow is a row that was inserted, updated or deleted.
type loggedRow struct {
	table   *tracked
	row     string // as text of the table's type
	setup   bool   // it was there before the log
	deleted bool
	key     string // when the server has said it
	value   int64
}

func (w *templates) log() logReader { return &rowLog{w: w, rows: slices.Clone(w.writes.setup)} }

// line understands a line of test_decoding.
func (l *rowLog) line(line string) error {
	if v, at, ok := message(line); ok {
		l.deleted, l.at = append(l.deleted, history.Deletion{Version: v, At: at}), append(l.at, len(l.rows))
		return nil
	}
	name, what, columns, ok := changed(line)
	in := l.w.tracked[name]
	if !ok || in == nil {
		return nil
	}
	if what != "INSERT" && what != "UPDATE" && what != "DELETE" {
		return in.wrong("%s of %s, which leaves no version of any row", what, in.table)
	}
	row, err := decoded(columns)
	if err != nil {
		return err
	}
	list := make([]sql.NullString, len(in.columns))
	for i, c := range in.columns {
		list[i] = row[c]
		if list[i].String == "unchanged-toast-datum" {
			return in.wrong("a value of %s in column %s is too long for the log", in.table, c)
		}
	}
	l.rows = append(l.rows, loggedRow{table: in, row: composite(list), deleted: what == "DELETE"})
	return nil
}

// judge asks the server about the rows: they are in tables of their own from then on.
func (l *rowLog) judge(ctx context.Context, c database.Conn) error {
	for _, in := range l.w.sorted() {
		if _, err := c.Do(ctx, fmt.Sprintf("CREATE TEMP TABLE txmc_of_%[1]s (txmc_n bigint, txmc_deleted boolean, txmc_r %[1]s)", in.table)); err != nil {
			return err
		}
	}
	for from := 0; from < len(l.rows); {
		var values []string
		in, to := l.rows[from].table, from
		for ; to < len(l.rows) && to < from+rowsAtOnce && l.rows[to].table == in; to++ {
			values = append(values, fmt.Sprintf("(%d, %t, %s)", to, l.rows[to].deleted, quoted(l.rows[to].row)))
		}
		if _, err := c.Do(ctx, "INSERT INTO txmc_of_"+in.table+" VALUES "+strings.Join(values, ", ")); err != nil {
			return err
		}
		from = to
	}
	for _, in := range l.w.sorted() {
		r, err := c.Do(ctx, fmt.Sprintf("SELECT txmc_n, %s FROM (SELECT txmc_n, (txmc_r).* FROM txmc_of_%s) AS %s", in.as, in.table, in.table))
		if err != nil {
			return in.wrong("%w", err)
		}
		for _, row := range r.Rows {
			n, err := strconv.Atoi(row[0].String)
			if err != nil || n >= len(l.rows) {
				return wrongAnswer(fmt.Sprintf("%q is no number of a row", row[0].String))
			}
			if l.rows[n].key, l.rows[n].value, err = in.version(row[1:]); err != nil {
				return err
			}
		}
	}
	return nil
}

const rowsAtOnce = 1000

// forget drops the tables of judge. They are of the types of the workload's tables, which cannot
// be dropped before them. The server would drop them when the connection has been closed; on a
// busy machine that may be later than it is asked to drop the others.
func (l *rowLog) forget(ctx context.Context, c database.Conn) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	for _, in := range l.w.sorted() {
		if _, err := c.Do(ctx, "DROP TABLE IF EXISTS txmc_of_"+in.table); err != nil {
			return err
		}
	}
	return nil
}

// orders are the versions of each key, the first one first. It says what the file leaves open.
func (l *rowLog) orders() (map[string][]history.Value, error) {
	by, gone, ended, seen := map[string][]history.Value{}, map[string]bool{}, map[string]bool{}, map[history.Version]bool{}
	next := 0
	for n := 0; n <= len(l.rows); n++ {
		for ; next < len(l.deleted) && l.at[next] == n; next++ {
			d := l.deleted[next]
			by[d.Key] = append(by[d.Key], d.Value)
			gone[d.Key] = true
		}
		if n == len(l.rows) {
			break
		}
		x := &l.rows[n]
		v := history.Version{Key: x.key, Value: history.Value{Num: x.value}}
		switch {
		case x.deleted:
			ended[x.key] = true
			continue
		case seen[v]:
			return nil, x.table.wrong("the row of %s was written and still has the value %d: each write sets the value to {value}", x.key, x.value)
		case x.setup && x.value == 0:
			seen[v] = true
			continue
		case x.setup && (len(by[x.key]) > 0 || seen[history.Version{Key: x.key}]):
			return nil, x.table.wrong("setup has made two rows of %s", x.key)
		case x.setup:
		case x.value == 0:
			return nil, x.table.wrong("the row of %s has the initial value 0 after it was written: a write sets the value to {value}", x.key)
		case gone[x.key] || ended[x.key]:
			return nil, x.table.wrong("%s comes back after its deletion: what is inserted is another object in Adya's model, so give each row a key of its own, with {value} say", x.key)
		case l.w.writes.keys[x.value] != x.key:
			return nil, x.table.wrong("a row of %s is version %d of %s, which no write KEY: of the file has written; it has %s", x.table.table, x.value, x.key, l.w.writes.said(x.value))
		}
		seen[v] = true
		by[x.key] = append(by[x.key], v.Value)
	}
	for _, key := range slices.Sorted(maps.Keys(ended)) {
		if !gone[key] {
			return nil, fmt.Errorf("the row of %s was deleted by a statement without delete %s: before it", key, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(gone)) {
		if !ended[key] {
			return nil, fmt.Errorf("delete %s: has deleted a row that is no version of that key", key)
		}
	}
	return by, nil
}

// facts asks the server about the rows, and says what follows.
func (l *rowLog) facts(ctx context.Context, c database.Conn, put func(history.Fact) error) (err error) {
	defer func() {
		if e := l.forget(ctx, c); err == nil {
			err = e
		}
	}()
	if err := l.judge(ctx, c); err != nil {
		return err
	}
	orders, err := l.orders()
	if err != nil {
		return err
	}
	if err := putOrders(orders, l.deleted, put); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(l.w.writes.asked)) {
		t := l.w.writes.asked[name]
		f, err := l.matches(ctx, c, name, &t)
		if err != nil {
			return err
		}
		if err := put(f); err != nil {
			return err
		}
	}
	return nil
}

// said says which key was recorded for a value.
func (w *templateWrites) said(value int64) string {
	if key, ok := w.keys[value]; ok {
		return "written it to " + key
	}
	return "no such write"
}

// matches are the facts about a predicate: for which versions its condition holds.
func (l *rowLog) matches(ctx context.Context, c database.Conn, name string, t *template) (history.Fact, error) {
	in, f := l.w.tracked[t.table], history.Fact{Where: name}
	r, err := c.Do(ctx, fmt.Sprintf("SELECT %[1]s FROM (SELECT (txmc_r).* FROM txmc_of_%[2]s WHERE NOT txmc_deleted) AS %[2]s WHERE (%[3]s)", in.as, in.table, t.where))
	if err != nil {
		return f, t.wrong("%v", err)
	}
	for _, row := range r.Rows {
		key, value, err := in.version(row)
		if err != nil {
			return f, err
		}
		if value == 0 {
			return f, t.wrong("%q holds for %s as setup has made it: a version that can match needs a value, other than 0, in setup", t.where, key)
		}
		f.Matches = append(f.Matches, history.Version{Key: key, Value: history.Value{Num: value}})
	}
	return f, nil
}
