package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// Programs of SQL text: any tables, any statements. A session sends its statements one
// after another. After an error it sends ROLLBACK and goes on behind the transaction.

// Script is a program of SQL text.
type Script struct {
	Level    string     // as package statement names it
	Schema   []string   // statements that make the tables
	Rows     []string   // and their rows
	Tables   []string   // names, of those that reference others first
	Sessions [][]string // statements; transactions are between BEGIN and COMMIT
	Settings []string   // statements that each session sends before all others
	GoesOn   bool       // a session goes on in its transaction after an error that leaves it open
}

// Text is the program for people.
func (p *Script) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- %s\n%s;\n%s;\n", p.Level, strings.Join(p.Schema, ";\n"), strings.Join(p.Rows, ";\n"))
	for i, s := range p.Sessions {
		fmt.Fprintf(&b, "s%d: %s;\n", i, strings.Join(s, "; "))
	}
	return b.String()
}

// Begin and Commit delimit transactions.
const (
	Begin  = "BEGIN"
	Commit = "COMMIT"
)

// Explicit is the program with BEGIN and COMMIT around each statement in autocommit that may
// lock rows: so a schedule can put others between it and its commit. One session alone stays
// as it is.
func (p *Script) Explicit() *Script {
	if len(p.Sessions) == 1 {
		return p
	}
	q := *p
	q.Sessions = make([][]string, len(p.Sessions))
	for i, s := range p.Sessions {
		for at, text := range s {
			if p.open(i, at) || text == Commit || !locks.MatchString(text) {
				q.Sessions[i] = append(q.Sessions[i], text)
			} else {
				q.Sessions[i] = append(q.Sessions[i], Begin, text, Commit)
			}
		}
	}
	return &q
}

// locks matches statements that may lock rows.
var locks = regexp.MustCompile(`^(INSERT|REPLACE|UPDATE|DELETE)\b|\b(FOR UPDATE|LOCK IN SHARE MODE)\b`)

// Next is the place of the statement that a session sends behind the one at a place: after
// an error, the one behind the transaction.
func (p *Script) Next(session, at int, failed bool) int {
	if failed && p.open(session, at) {
		return p.behind(session, at)
	}
	return at + 1
}

// behind is the place behind the transaction.
func (p *Script) behind(session, at int) int {
	return at + 1 + slices.Index(p.Sessions[session][at:], Commit)
}

// open reports whether a statement is in a transaction.
func (p *Script) open(session, at int) bool {
	in := false
	for _, q := range p.Sessions[session][:at+1] {
		switch q {
		case Begin:
			in = true
		case Commit:
			in = false
		}
	}
	return in
}

// SendSQL sends the statement at a place, and tells the next place. BEGIN goes with the
// statement behind it. After an error that leaves its transaction open, the next place is
// negative, and stands for the ROLLBACK before the place that it negates. The result is
// text: rows, how many rows have changed, or ! and the number of an error; "" of ROLLBACK.
func (p *Script) SendSQL(ctx context.Context, c *sql.Conn, session, at int) (result string, next int, err error) {
	if at < 0 {
		_, err = c.ExecContext(ctx, "ROLLBACK")
		return "", -at, err
	}
	if p.Sessions[session][at] == Begin {
		if _, err = c.ExecContext(ctx, "START TRANSACTION"); err != nil {
			return "", at, err
		}
		at++
	}
	result, err = sendSQL(ctx, c, p.Sessions[session][at])
	var failed *mysql.MySQLError
	if !errors.As(err, &failed) {
		return result, p.Next(session, at, false), err
	}
	next = p.Next(session, at, true)
	if p.GoesOn && failed.Number != deadlock && failed.Number != changed {
		return fmt.Sprint("!", failed.Number), at + 1, nil
	}
	if p.open(session, at) && failed.Number != deadlock && failed.Number != changed {
		next = -next
	}
	return fmt.Sprint("!", failed.Number), next, nil
}

// The errors that roll a transaction back.
const deadlock, changed = 1213, 1020

// asks matches queries.
var asks = regexp.MustCompile(`^(SELECT|WITH|\()`)

func sendSQL(ctx context.Context, c *sql.Conn, q string) (string, error) {
	if !asks.MatchString(q) {
		done, err := c.ExecContext(ctx, q)
		if err != nil {
			return "", err
		}
		if q == Commit {
			return "C", nil
		}
		n, err := done.RowsAffected()
		return fmt.Sprint(n), err
	}
	rows, err := c.QueryContext(ctx, q)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	return table(rows)
}

// table is rows as text: columns between commas, rows between blanks.
func table(rows *sql.Rows) (string, error) {
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var list []string
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		to := make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			return "", err
		}
		var texts []string
		for _, v := range values {
			if !v.Valid {
				v.String = "NULL"
			}
			texts = append(texts, v.String)
		}
		list = append(list, strings.Join(texts, ","))
	}
	return "[" + strings.Join(list, " ") + "]", rows.Err()
}

// Outcome is the outcome's text.
func (p *Script) Outcome(results [][]string, tables []string) string {
	var b strings.Builder
	for i, r := range results {
		fmt.Fprintf(&b, "s%d%v ", i, r)
	}
	for i, t := range p.Tables {
		fmt.Fprintf(&b, "%s%s", t, tables[i])
	}
	return b.String()
}

// Final reads a table, in an order that its rows decide.
func Final(table string) string { return "SELECT * FROM " + table + " ORDER BY 1, 2" }

// Outcomes runs every interleaving of a program, depth first, and tells the outcomes with
// a schedule that leads to each, as the sessions of its steps. It gives up after so many
// interleavings: then whole is false.
func (r *Runner) Outcomes(ctx context.Context, p *Script, most int) (outcomes map[string]string, whole bool, err error) {
	outcomes = map[string]string{}
	var prefix []int
	for range most {
		x := &scripted{Runner: r, p: p, at: make([]int, len(p.Sessions)), results: make([][]string, len(p.Sessions)), blocked: make([]bool, len(p.Sessions))}
		if err := x.execute(ctx, prefix); err != nil {
			return nil, false, fmt.Errorf("schedule %v: %w", x.taken, err)
		}
		if _, known := outcomes[x.outcome]; !known {
			outcomes[x.outcome] = fmt.Sprint(x.taken)
		}
		if prefix = x.next(); prefix == nil {
			return outcomes, true, nil
		}
	}
	return outcomes, false, nil
}

// scripted is a run of a Script.
type scripted struct {
	*Runner
	p        *Script
	at       []int // where each session is
	results  [][]string
	blocked  []bool
	inflight int

	taken   []int
	ready   [][]int
	outcome string
}

// answered is what a statement of a Script has returned.
type answered struct {
	session int
	result  string
	next    int
	err     error
}

func (x *scripted) execute(ctx context.Context, prefix []int) error {
	if err := x.restart(ctx); err != nil {
		return err
	}
	replies := make(chan answered, len(x.p.Sessions))
	for {
		var ready []int
		for i := range x.at {
			if !x.blocked[i] && x.at[i] < len(x.p.Sessions[i]) {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			break
		}
		s := ready[0]
		if k := len(x.taken); k < len(prefix) {
			s = prefix[k]
		}
		if !slices.Contains(ready, s) {
			return fmt.Errorf("session %d is blocked where it was not before", s)
		}
		x.taken, x.ready = append(x.taken, s), append(x.ready, ready)
		x.blocked[s] = true
		x.inflight++
		at := x.at[s]
		go func() {
			result, next, err := x.p.SendSQL(ctx, x.sessions[s], s, at)
			replies <- answered{s, result, next, err}
		}()
		if err := x.collect(ctx, replies); err != nil {
			return err
		}
	}
	if x.inflight > 0 {
		return errors.New("every session is blocked")
	}
	return x.finish(ctx)
}

// collect takes the replies of a step.
func (x *scripted) collect(ctx context.Context, replies chan answered) error {
	return x.quiesce(ctx, &x.inflight, func() (bool, error) {
		select {
		case a := <-replies:
			x.blocked[a.session] = false
			x.at[a.session] = a.next
			if a.result != "" {
				x.results[a.session] = append(x.results[a.session], a.result)
			}
			return true, a.err
		default:
			return false, nil
		}
	})
}

// restart makes the tables anew.
func (x *scripted) restart(ctx context.Context) error {
	if err := run(ctx, x.keeper, "COMMIT"); err != nil {
		return err
	}
	list := []string{"DROP TABLE IF EXISTS " + strings.Join(x.p.Tables, ", ")}
	if err := run(ctx, x.monitor, slices.Concat(list, x.p.Schema, x.p.Rows)...); err != nil {
		return err
	}
	for i := range x.p.Sessions {
		if err := x.setLevel(ctx, i, x.p.Level); err != nil {
			return err
		}
		if err := run(ctx, x.sessions[i], append([]string{"SET innodb_lock_wait_timeout = DEFAULT"}, x.p.Settings...)...); err != nil {
			return err
		}
	}
	return run(ctx, x.keeper, "START TRANSACTION WITH CONSISTENT SNAPSHOT")
}

func (x *scripted) finish(ctx context.Context) error {
	var tables []string
	for _, t := range x.p.Tables {
		rows, err := x.monitor.QueryContext(ctx, Final(t))
		if err != nil {
			return err
		}
		text, err := table(rows)
		rows.Close()
		if err != nil {
			return err
		}
		tables = append(tables, text)
	}
	x.outcome = x.p.Outcome(x.results, tables)
	return nil
}

// next is the prefix of the next schedule in lexicographic order, nil after the last one.
func (x *scripted) next() []int {
	for k := len(x.taken) - 1; k >= 0; k-- {
		for _, s := range x.ready[k] {
			if s > x.taken[k] {
				return append(slices.Clone(x.taken[:k]), s)
			}
		}
	}
	return nil
}
