package main_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// Programs of variables have no database in SQL, so that the command cannot confirm what the
// model of PostgreSQL says of them. Here a variable is a row, and the steps of each violation run
// on a real server. The same must be read, the same session must wait, and the same errors and
// values must come out.

// variablePackages are the examples without SQL; one of them without -full.
func variablePackages(t *testing.T) (list []string) {
	t.Helper()
	if !inFull() {
		return []string{"./testdata/lostupdate"}
	}
	root := filepath.Join("..", "..")
	files, err := filepath.Glob(filepath.Join(root, "testdata", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	dirs := map[string]bool{"./testdata/databases/mysql": true}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		dir, err := filepath.Rel(root, filepath.Dir(f))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "func Explore") && !strings.Contains(string(text), `"github.com/txmc/txmc/pg"`) {
			dirs["./"+filepath.ToSlash(dir)] = true
		}
	}
	return slices.Sorted(maps.Keys(dirs))
}

// TestVariablesOnServer confirms them.
func TestVariablesOnServer(t *testing.T) {
	scratchtest.Need(t, scratch.Postgres)
	t.Parallel()
	cmd := build(t)
	out, _ := cmd.run(t, append([]string{"explore", "--iso=pg-rc,pg-rr,pg-ser", "--all", "--format=json", "--save=none"}, variablePackages(t)...)...)
	server := scratchtest.Start(t, scratch.Postgres, map[string]string{"enable_seqscan": "off", "enable_bitmapscan": "off", "deadlock_timeout": "1h"})
	confirmed := 0
	raced := map[string]bool{} // programs and levels: whether all their violations are races
	for line := range strings.Lines(out) {
		var v report.Violation
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v: %.200s", err, line)
		}
		if v.Type != report.TypeViolation {
			continue
		}
		at := v.Package + " " + v.Program + " at " + v.Iso
		if races(v.Schedule) {
			if _, known := raced[at]; !known {
				raced[at] = true
			}
			continue
		}
		raced[at] = false
		confirmed++
		if err := onRows(t.Context(), server.DSN("postgres"), &v); err != nil {
			t.Errorf("%s: %v\n%s", at, err, (&report.Text{}).Violation(&v))
		}
	}
	for at, only := range raced {
		if only {
			t.Errorf("%s: all violations are races of several who wait for one row", at)
		}
	}
	if confirmed == 0 || inFull() && confirmed < 60 {
		t.Errorf("%d violations", confirmed)
	}
	t.Logf("%d violations", confirmed)
}

// races reports whether sessions that one commit has woken race for the new version of a row: the
// server decides who is first, and wait again in between.
func races(steps []report.Operation) bool {
	waiting := map[string]bool{}
	for _, o := range steps {
		if o.What == report.StepWaits && waiting[o.Session] {
			return true
		}
		waiting[o.Session] = o.What == report.StepWaits
	}
	return false
}

// rowsOn is an execution in which variables are rows.
type rowsOn struct {
	ctx   context.Context
	dsn   string
	level string
	watch *pgx.Conn
	by    map[string]*rowsSession
}

// rowsSession is a session with a connection.
type rowsSession struct {
	conn    *pgx.Conn
	open    string // the transaction that has begun
	waiting chan answered
}

type answered struct {
	rows [][2]string
	err  error
}

var pgLevels = map[string]string{"pg-rc": "READ COMMITTED", "pg-rr": "REPEATABLE READ", "pg-ser": "SERIALIZABLE"}

// onRows runs the schedule of a violation.
func onRows(ctx context.Context, dsn string, v *report.Violation) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	x := &rowsOn{ctx: ctx, dsn: dsn, level: v.Iso, by: map[string]*rowsSession{}}
	defer func() {
		for _, s := range x.by {
			s.conn.Close(context.WithoutCancel(ctx))
		}
	}()
	var err error
	if x.watch, err = pgx.Connect(ctx, dsn); err != nil {
		return err
	}
	defer x.watch.Close(context.WithoutCancel(ctx))
	if err := x.begin(v.Schedule); err != nil {
		return err
	}
	for i := range v.Schedule {
		if err := x.step(v.Schedule, i); err != nil {
			return fmt.Errorf("step %d, %s's %s: %w", v.Schedule[i].Step, v.Schedule[i].Session, v.Schedule[i].Op, err)
		}
	}
	return x.left(v)
}

// assigned takes "key = value" apart, which table rows are shown as.
func assigned(o *report.Operation) (key, value string, ok bool) {
	if o.Result == "" || o.Result == "no row" {
		return o.Key, o.Value, o.Value != ""
	}
	return strings.Cut(o.Result, " = ")
}

// begin makes the rows as they are when each is first seen: keys are texts, and values what
// the report prints.
func (x *rowsOn) begin(steps []report.Operation) error {
	tables, rows, known, seen, wrote := map[string]bool{}, map[string]string{}, map[string]bool{}, map[string]bool{}, map[string]string{}
	for i := range steps {
		o := &steps[i]
		if o.Key == "" {
			continue
		}
		key, value, ok := assigned(o)
		tables[tableOf(key)], tables[tableOf(o.Key)] = true, true
		reads := strings.HasPrefix(o.Op, "select") && ok
		switch {
		case !known[key] && (o.Op == "insert" || o.Result == "no row"):
		case reads && !seen[key] && wrote[key] != o.Transaction:
			if !known[key] || rows[key] == "before" {
				rows[key] = value
			}
			seen[key] = true
		case !known[key]:
			rows[key] = cmp.Or(o.Found, "before")
		}
		if known[key] = true; !reads {
			wrote[key] = o.Transaction
		}
	}
	for table := range tables {
		name := pgx.Identifier{table}.Sanitize()
		if _, err := x.watch.Exec(x.ctx, "DROP TABLE IF EXISTS "+name+"; CREATE TABLE "+name+" (k text PRIMARY KEY, v text NOT NULL)"); err != nil {
			return err
		}
	}
	for key, value := range rows {
		if _, err := x.watch.Exec(x.ctx, "INSERT INTO "+pgx.Identifier{tableOf(key)}.Sanitize()+" VALUES ($1, $2)", key, value); err != nil {
			return err
		}
	}
	return nil
}

// tableOf is the table of a key: user of user/0.
func tableOf(key string) string {
	table, _, _ := strings.Cut(key, "/")
	return table
}

// session is the connection of an operation, in its transaction.
func (x *rowsOn) session(o *report.Operation) (*rowsSession, error) {
	s := x.by[o.Session]
	if s == nil {
		conn, err := pgx.Connect(x.ctx, x.dsn)
		if err != nil {
			return nil, err
		}
		s = &rowsSession{conn: conn}
		x.by[o.Session] = s
	}
	if s.open == o.Transaction {
		return s, nil
	}
	s.open = o.Transaction
	level := pgLevels[x.level]
	if o.Level != "" {
		level = pgLevels[o.Level]
	}
	_, err := s.conn.Exec(x.ctx, "BEGIN ISOLATION LEVEL "+level)
	return s, err
}

// step makes a step, and compares.
func (x *rowsOn) step(steps []report.Operation, i int) error {
	o := &steps[i]
	s, err := x.session(o)
	if err != nil {
		return err
	}
	if o.What != report.StepGoesOn {
		sql, args := x.statement(steps, i)
		if after := victimAfter(steps, i); after > 0 {
			if _, err := s.conn.Exec(x.ctx, fmt.Sprintf("SET LOCAL deadlock_timeout = %d", after.Milliseconds())); err != nil {
				return err
			}
		}
		s.waiting = make(chan answered, 1)
		go func(to chan answered) { to <- ask(x.ctx, s.conn, sql, args) }(s.waiting)
	}
	if o.What == report.StepWaits {
		return x.waits(s)
	}
	select {
	case a := <-s.waiting:
		return differs(o, a)
	case <-time.After(time.Minute):
		return errors.New("the server has not answered")
	}
}

// victimAfter is how long a session waits before it looks for the deadlock that ends it. It is
// longer when another session has yet to begin its wait. It is 0 when the session is no victim.
// All others look after an hour.
func victimAfter(steps []report.Operation, i int) time.Duration {
	if steps[i].What != report.StepWaits {
		return 0
	}
	after := 100 * time.Millisecond
	for _, o := range steps[i+1:] {
		switch {
		case o.Session == steps[i].Session && o.Error == "40P01":
			return after
		case o.Session == steps[i].Session:
			return 0
		case o.What == report.StepWaits:
			after = 3 * time.Second
		}
	}
	return 0
}

// statement is the SQL of an operation.
func (x *rowsOn) statement(steps []report.Operation, i int) (string, []any) {
	o := &steps[i]
	for j := i + 1; o.What == report.StepWaits && j < len(steps); j++ { // where there is what it writes
		if steps[j].Session == o.Session {
			o = &steps[j]
			break
		}
	}
	key, value, _ := assigned(o)
	if o.Key != "" && o.Result == "no row" {
		key = o.Key
	}
	table := pgx.Identifier{tableOf(key)}.Sanitize()
	switch o.Op {
	case "commit", "rollback":
		return o.Op, nil
	case "insert":
		return "INSERT INTO " + table + " VALUES ($1, $2)", []any{key, value}
	case "update":
		if o.Unmatched {
			return "UPDATE " + table + " SET v = 'never' WHERE k = $1 AND v <> $2", []any{key, o.Found}
		}
		return "UPDATE " + table + " SET v = $2 WHERE k = $1", []any{key, value}
	case "select limit 1":
		return "SELECT k, v FROM " + table + " WHERE v = $1 ORDER BY k LIMIT 1", []any{value}
	}
	clause, _ := strings.CutPrefix(o.Op, "select")
	return "SELECT k, v FROM " + table + " WHERE k = $1" + clause, []any{key}
}

func ask(ctx context.Context, c *pgx.Conn, sql string, args []any) (a answered) {
	rows, err := c.Query(ctx, sql, args...)
	if err != nil {
		return answered{err: err}
	}
	defer rows.Close()
	for rows.Next() {
		var r [2]string
		if err := rows.Scan(&r[0], &r[1]); err != nil {
			return answered{err: err}
		}
		a.rows = append(a.rows, r)
	}
	a.err = rows.Err()
	return a
}

// waits looks whether a session waits for a lock.
func (x *rowsOn) waits(s *rowsSession) error {
	for {
		var n int
		if err := x.watch.QueryRow(x.ctx, "SELECT cardinality(pg_blocking_pids($1))", s.conn.PgConn().PID()).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return nil
		}
		select {
		case a := <-s.waiting:
			var failed *pgconn.PgError
			if s.waiting <- a; errors.As(a.err, &failed) && failed.Code == "40P01" {
				return nil // it has waited
			}
			return fmt.Errorf("does not wait: %v %v", a.rows, a.err)
		case <-time.After(time.Millisecond):
		}
	}
}

// differs says what the server has answered where the model has something else.
func differs(o *report.Operation, a answered) error {
	code := ""
	var failed *pgconn.PgError
	if errors.As(a.err, &failed) {
		code = failed.Code
	}
	if code != o.Error || a.err != nil && failed == nil {
		return fmt.Errorf("the error is %q (%v), want %q", code, a.err, o.Error)
	}
	if !strings.HasPrefix(o.Op, "select") || o.Error != "" {
		return nil
	}
	key, value, found := assigned(o)
	switch {
	case !found && len(a.rows) == 0:
	case found && len(a.rows) == 1 && a.rows[0] == [2]string{key, value}:
	default:
		return fmt.Errorf("read %v, want %s %s %s", a.rows, key, value, o.Result)
	}
	return nil
}

// left compares what is left.
func (x *rowsOn) left(v *report.Violation) error {
	written := map[string]bool{}
	for i := range v.Schedule {
		if key, _, ok := assigned(&v.Schedule[i]); ok {
			written[key] = true
		}
	}
	for _, l := range v.Left {
		if !written[l.Key] {
			continue
		}
		a := ask(x.ctx, x.watch, "SELECT k, v FROM "+pgx.Identifier{tableOf(l.Key)}.Sanitize()+" WHERE k = $1", []any{l.Key})
		if a.err != nil || len(a.rows) != 1 || a.rows[0][1] != l.Value {
			return fmt.Errorf("%s is left as %v (%v), want %s", l.Key, a.rows, a.err, l.Value)
		}
	}
	return nil
}
