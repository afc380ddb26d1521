package stress

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/server/database"
)

// Predicate reads of a file with SQL, with the certificate. The statement runs as it is, beside
// a query that exports its snapshot. A second transaction reads on that snapshot of each row of
// the table which version it is, and whether the condition holds. The transaction's own rows,
// which that snapshot lacks, are known by RETURNING, and the second transaction judges them
// too. After the run the server says whether the condition holds for versions that nobody has
// seen: see templatelog.go. So the condition must be about the row alone. The server tells that
// too: such a condition may have an index.

// ownRow is a row that a transaction has written, or a key whose row it has deleted.
type ownRow struct {
	table *tracked
	row   string // as text of the table's type; "" when it was deleted
	key   string // of a row that was deleted
	value int64
}

// templateWrites is what a certificate is made of beside the log.
type templateWrites struct {
	mu    sync.Mutex
	setup []loggedRow         // that setup has made
	keys  map[int64]string    // by value: the key that was recorded
	asked map[string]template // predicates by name, with their conditions
}

// prepare makes the log tell whole rows, and tries each predicate while nobody else is there.
func (w *templates) prepare(ctx context.Context, r *run, c database.Conn) error {
	for _, t := range w.sorted() {
		columns, err := c.Do(ctx, fmt.Sprintf("SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum", t.table))
		if err != nil {
			return t.wrong("%w", err)
		}
		for i := range columns.Rows {
			t.columns = append(t.columns, columns.Text(i, 0))
		}
		if _, err := c.Do(ctx, "ALTER TABLE "+t.table+" REPLICA IDENTITY FULL"); err != nil {
			return t.wrong("%w", err)
		}
		rows, err := c.Do(ctx, fmt.Sprintf("SELECT txmc_row::text FROM %s txmc_row", t.table))
		if err != nil {
			return t.wrong("%w", err)
		}
		for i := range rows.Rows {
			w.writes.setup = append(w.writes.setup, loggedRow{table: t, row: rows.Text(i, 0), setup: true})
		}
	}
	for _, txn := range w.txns {
		x := &templateTxn{client: newClient(r, 0), ctx: ctx, w: w}
		x.names = w.names(x.client)
		x.names["value"] = "0"
		for _, t := range txn {
			if t.where == "" {
				continue
			}
			if err := x.try(&t, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// try looks whether a condition is one of the row, and whether the statement selects by it.
func (x *templateTxn) try(t *template, c database.Conn) error {
	where := x.fill(t.where)
	_, err := c.Do(x.ctx, fmt.Sprintf("BEGIN; CREATE TEMP TABLE %[1]s (LIKE %[1]s) ON COMMIT DROP; CREATE INDEX ON pg_temp.%[1]s ((1)) WHERE %[2]s; ROLLBACK", t.table, where))
	if err != nil {
		c.Do(x.ctx, "ROLLBACK")
		return t.wrong("the condition %q must be one of the row alone, without other rows and clocks: %v", where, err)
	}
	found, err := c.Do(x.ctx, fmt.Sprintf("SELECT %s FROM %s WHERE %s", x.w.tracked[t.table].as, t.table, where))
	if err != nil {
		return t.wrong("%v", err)
	}
	r, err := c.Do(x.ctx, x.fill(t.sql))
	if err != nil {
		return t.wrong("%v", err)
	}
	if same, err := t.gives(r, found); err != nil || !same {
		return cmp.Or(err, t.wrong("the statement does not give the %s of %s where %s: while nobody else was there the condition has selected %d rows", t.what[:5], t.table, where, len(found.Rows)))
	}
	return nil
}

// gives reports whether a statement has given what was found.
func (t *template) gives(r, found database.Result) (bool, error) {
	if t.what == "count of" {
		n, err := t.number(r, 0)
		return n == int64(len(found.Rows)), err
	}
	pairs := func(r database.Result) (list []string, err error) {
		for _, row := range r.Rows {
			if len(row) < 2 {
				return nil, t.wrong("%s: expected a key and a value in each row, got %d column", t.what, len(row))
			}
			list = append(list, row[0].String+"\x00"+cmp.Or(row[1].String, "0"))
		}
		slices.Sort(list)
		return list, nil
	}
	a, err := pairs(r)
	if err != nil {
		return false, err
	}
	b, err := pairs(found)
	return slices.Equal(a, b), err
}

// number is the number in a column of the only row.
func (t *template) number(r database.Result, column int) (int64, error) {
	if len(r.Rows) != 1 || len(r.Rows[0]) <= column {
		return 0, t.wrong("%s: expected a row with a number, got %d rows", t.what, len(r.Rows))
	}
	n, err := strconv.ParseInt(r.Text(0, column), 10, 64)
	if err != nil {
		return 0, t.wrong("%s: %q is no number", t.what, r.Text(0, column))
	}
	return n, nil
}

// changes runs and records a statement that writes or deletes a row.
func (x *templateTxn) changes(t *template, text, key string, value int64) error {
	in := x.w.tracked[t.table]
	if in != nil {
		text += " RETURNING *"
	}
	r, err := x.do(x.ctx, "%s", text)
	switch {
	case err != nil:
		return err
	case r.Affected == 0:
		return nil
	case r.Affected > 1:
		return t.wrong("%s %s: %d rows: with --certificate each row needs a statement of its own, as the rest have no key", t.what, key, r.Affected)
	}
	x.wrote(key, value)
	x.w.writes.mu.Lock()
	x.w.writes.keys[value] = key
	x.w.writes.mu.Unlock()
	if t.what == "delete" {
		x.own = append(x.own, ownRow{key: key, value: value})
		_, err := x.do(x.ctx, "SELECT pg_logical_emit_message(true, '%s', %s || '@' || pg_current_xact_id())", messages, quoted(fmt.Sprintf("%s=%d", key, value)))
		return err
	}
	if in != nil {
		x.own = append(x.own, ownRow{table: in, row: composite(r.Rows[0][:min(len(in.columns), len(r.Rows[0]))])})
	}
	return nil
}

// quoted is a text in SQL.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// composite is a row as text of its type.
func composite(row []sql.NullString) string {
	var b strings.Builder
	for i, column := range row {
		b.WriteByte("(,"[min(i, 1)])
		if column.Valid {
			b.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `""`).Replace(column.String) + `"`)
		}
	}
	return b.String() + ")"
}

// selects runs and records a predicate read.
func (x *templateTxn) selects(t *template, text string) error {
	r, err := x.do(x.ctx, "WITH txmc_saw AS MATERIALIZED (SELECT pg_export_snapshot() AS txmc_name, pg_current_snapshot()::text AS txmc_of) "+
		"SELECT txmc_name, txmc_of, txmc_rows.* FROM txmc_saw LEFT JOIN (SELECT true AS txmc_is, txmc_all.* FROM (%s) txmc_all) txmc_rows ON true", text)
	if err != nil {
		return err
	}
	set := &versionSet{items: map[string]item{}}
	if err := set.setSnapshot(r.Text(0, 1)); err != nil {
		return err
	}
	where := x.fill(t.where)
	name := where
	if len(x.w.tracked) > 1 {
		name = t.table + " where " + where
	}
	x.w.writes.mu.Lock()
	x.w.writes.asked[name] = template{line: t.line, table: t.table, where: where}
	x.w.writes.mu.Unlock()
	if err := x.versionSet(set, t, where, r.Text(0, 0)); err != nil {
		return err
	}
	given := database.Result{}
	for _, row := range r.Rows {
		if row[2].Valid {
			given.Rows = append(given.Rows, row[3:])
		}
	}
	return x.selected(t, name, set, given)
}

// matched is the group of versions for which the condition holds.
const matched = 1

// versionSet reads the table on a snapshot.
func (x *templateTxn) versionSet(set *versionSet, t *template, where, snapshot string) error {
	second, err := x.shadow(x.ctx)
	if err != nil {
		return err
	}
	in := x.w.tracked[t.table]
	query := fmt.Sprintf("SELECT %s, ((%s) IS TRUE)::int FROM %s", in.as, where, in.table)
	var own []string
	for _, o := range x.own {
		if o.table == in {
			own = append(own, fmt.Sprintf("(%d, %s::%s)", len(own)+1, quoted(o.row), in.table))
		}
	}
	all := fmt.Sprintf("SELECT 0, * FROM (%s) txmc_there", query)
	if own != nil {
		mine := fmt.Sprintf("SELECT txmc_n, %s, ((%s) IS TRUE)::int FROM (SELECT txmc_n, (txmc_r).* FROM (VALUES %s) txmc_own(txmc_n, txmc_r)) AS %s", in.as, where, strings.Join(own, ", "), in.table)
		all = fmt.Sprintf("SELECT * FROM (%s UNION ALL %s) txmc_both ORDER BY 1", all, mine)
	}
	r, err := second.Do(x.ctx, fmt.Sprintf("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT '%s'; %s; COMMIT", snapshot, all))
	if err != nil {
		x.noShadow()
		return fmt.Errorf("the snapshot's version set: %w", err)
	}
	for _, row := range r.Rows { // own ones come last
		key, value, err := in.version(row[1:])
		if err != nil {
			return wrongAnswer(err.Error())
		}
		group, err := strconv.ParseInt(row[3].String, 10, 64)
		if err != nil {
			return wrongAnswer(in.wrong("expected two expressions, a key and a value").Error())
		}
		set.items[key] = item{key: key, grp: group, v: value}
	}
	for _, o := range x.own {
		if o.table == nil {
			set.items[o.key] = item{key: o.key, grp: dead, v: o.value}
		}
	}
	return nil
}

// selected records a predicate read, and what it has found.
func (x *templateTxn) selected(t *template, name string, set *versionSet, given database.Result) error {
	w := &history.Where{Name: name, Snapshot: set.snapshot}
	var found []history.Version
	for _, key := range slices.Sorted(maps.Keys(set.items)) {
		i := set.items[key]
		if i.v == 0 {
			continue // the initial version
		}
		v := history.Version{Key: key, Value: history.Value{Num: i.v}}
		w.Saw = append(w.Saw, v)
		if i.grp == matched {
			found = append(found, v)
		}
	}
	x.txn.Ops = append(x.txn.Ops, history.Op{Kind: history.Predicate, Where: w})
	if t.what == "count of" {
		n, err := t.number(given, 0)
		if w.Result = found; err == nil && n != int64(len(found)) {
			w.Result = append(w.Result, history.Version{Key: "count", Value: history.Value{Num: n}})
		}
		return err
	}
	before := len(x.txn.Ops)
	if err := x.sawRows(t, given); err != nil {
		return err
	}
	for _, op := range x.txn.Ops[before:] {
		if op.Value.Kind != history.Initial {
			w.Result = append(w.Result, history.Version{Key: op.Key, Value: op.Value})
		}
	}
	return nil
}
