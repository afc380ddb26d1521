// Package mariadb runs programs of package statement on a MariaDB server, once per
// interleaving. Tests import it.
package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/isolation/statement"
)

// Runner has connections to a server: one a session, one that looks at the
// server, and one whose read view keeps purge from removing deleted records. A
// server has one runner at a time, because the runner counts the server's
// waiting transactions.
type Runner struct {
	// Purge lets purge run: nothing keeps it from removing deleted records.
	Purge bool

	db       *sql.DB
	monitor  *sql.Conn
	keeper   *sql.Conn
	sessions []*sql.Conn
	levels   []string // of the sessions
	replies  chan reply
}

// reply is what a session's action returned.
type reply struct {
	session int
	result  statement.Result
	err     error // the connection broke
}

// Connect opens connections for so many sessions to the server at an address.
func Connect(ctx context.Context, dsn string, sessions int) (*Runner, error) {
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		return nil, err
	}
	r := &Runner{db: db, levels: make([]string, sessions), replies: make(chan reply, sessions)}
	conns := make([]*sql.Conn, sessions+2)
	for i := range conns {
		if conns[i], err = db.Conn(ctx); err == nil {
			err = run(ctx, conns[i], "CREATE DATABASE IF NOT EXISTS test", "USE test")
		}
		if err != nil {
			db.Close()
			return nil, err
		}
	}
	r.monitor, r.keeper, r.sessions = conns[0], conns[1], conns[2:]
	return r, nil
}

func run(ctx context.Context, c *sql.Conn, statements ...string) error {
	for _, q := range statements {
		if _, err := c.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return nil
}

// Close ends the connections.
func (r *Runner) Close() error { return r.db.Close() }

// prepare makes the program's tables.
func (r *Runner) prepare(ctx context.Context, p *statement.Program) error {
	if err := run(ctx, r.keeper, "COMMIT"); err != nil {
		return err
	}
	index := ""
	if p.IndexV {
		index = ", KEY (v)"
	}
	child := "DO 0"
	if p.HasChild {
		child = "CREATE TABLE c (id int PRIMARY KEY, tid int NOT NULL, FOREIGN KEY (tid) REFERENCES t (id)) ENGINE=InnoDB"
	}
	return run(ctx, r.monitor, "DROP TABLE IF EXISTS c, t",
		"CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, u int UNIQUE NULL"+index+") ENGINE=InnoDB", child)
}

// reset puts the rows into their initial state.
func (r *Runner) reset(ctx context.Context, p *statement.Program) error {
	var rows []string
	for _, row := range p.Rows {
		rows = append(rows, fmt.Sprintf("(%d, %d, %s)", row.ID, row.V, statement.Null(row.U)))
	}
	if err := run(ctx, r.keeper, "COMMIT"); err != nil {
		return err
	}
	if p.HasChild {
		if err := r.prepare(ctx, p); err != nil { // a table that is referenced cannot be truncated
			return err
		}
	} else if err := run(ctx, r.monitor, "TRUNCATE TABLE t"); err != nil {
		return err
	}
	if err := run(ctx, r.monitor, "INSERT INTO t (id, v, u) VALUES "+strings.Join(rows, ", ")); err != nil {
		return err
	}
	for _, c := range p.Children {
		if err := run(ctx, r.monitor, fmt.Sprintf("INSERT INTO c (id, tid) VALUES (%d, %d)", c.ID, c.Tid)); err != nil {
			return err
		}
	}
	if r.Purge {
		return nil
	}
	return run(ctx, r.keeper, "START TRANSACTION WITH CONSISTENT SNAPSHOT")
}

var isolation = map[string]string{
	statement.ReadCommitted:  "READ COMMITTED",
	statement.RepeatableRead: "REPEATABLE READ",
	statement.SnapshotReads:  "REPEATABLE READ",
	statement.Serializable:   "SERIALIZABLE",
}

// setLevel sets the session's level.
func (r *Runner) setLevel(ctx context.Context, session int, level string) error {
	if r.levels[session] == level {
		return nil
	}
	r.levels[session] = level
	on := "OFF"
	if level == statement.SnapshotReads {
		on = "ON"
	}
	return run(ctx, r.sessions[session], "SET SESSION TRANSACTION ISOLATION LEVEL "+isolation[level], "SET SESSION innodb_snapshot_isolation="+on)
}

// send runs an action on its session's connection.
func (r *Runner) send(ctx context.Context, p *statement.Program, session int, a statement.Action) {
	go func() {
		res, err := r.act(ctx, p, session, a)
		var failed *mysql.MySQLError
		if errors.As(err, &failed) {
			res, err = statement.Fail(fmt.Sprint(failed.Number)), nil
		}
		r.replies <- reply{session, res, err}
	}()
}

func (r *Runner) act(ctx context.Context, p *statement.Program, session int, a statement.Action) (statement.Result, error) {
	c := r.sessions[session]
	if a.First {
		if err := run(ctx, c, "START TRANSACTION"); err != nil {
			return statement.Result{}, err
		}
	}
	q := a.SQL(p, session)
	if a.Kind == statement.Run && strings.HasPrefix(q, "SELECT") {
		return query(ctx, c, q)
	}
	done, err := c.ExecContext(ctx, q)
	if err != nil {
		return statement.Result{}, err
	}
	switch a.Kind {
	case statement.Commit:
		return statement.Result{Kind: statement.Committed}, nil
	case statement.Rollback:
		return statement.Result{Kind: statement.RolledBack}, nil
	}
	switch p.Sessions[session][a.Txn].Stmts[a.Stmt].Op {
	case statement.Save:
		return statement.Result{Kind: statement.Saved}, nil
	case statement.BackTo:
		return statement.Result{Kind: statement.RolledBack}, nil
	}
	n, err := done.RowsAffected()
	return statement.Result{Kind: statement.Count, N: int(n)}, err
}

// query runs a SELECT of two integers a row.
func query(ctx context.Context, c *sql.Conn, q string) (statement.Result, error) {
	res := statement.Result{Kind: statement.Rows}
	rows, err := c.QueryContext(ctx, q)
	if err != nil {
		return res, err
	}
	defer rows.Close()
	for rows.Next() {
		var x, y int
		if err := rows.Scan(&x, &y); err != nil {
			return res, err
		}
		if strings.HasPrefix(q, "SELECT count") {
			res = statement.Result{Kind: statement.Aggregate, N: x, Sum: y}
		} else {
			res.Rows = append(res.Rows, statement.IDValue{ID: x, V: y})
		}
	}
	return res, rows.Err()
}

// settle waits until each action in flight has returned or waits for a lock.
// InnoDB looks for deadlocks when a wait begins, so nothing moves when as many
// transactions wait as actions are in flight.
func (r *Runner) settle(ctx context.Context, inflight int) ([]reply, error) {
	var out []reply
	quiet := 0
	for wait := time.Millisecond; inflight > 0; wait = 300 * time.Microsecond {
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case a := <-r.replies:
			if a.err != nil {
				return out, a.err
			}
			out = append(out, a)
			inflight--
			quiet = 0
			continue
		case <-time.After(wait):
		}
		waiting, err := r.waiting(ctx)
		if err != nil {
			return out, err
		}
		if waiting != inflight {
			quiet = 0
		} else if quiet++; quiet >= 2 {
			break
		}
	}
	return out, nil
}

// waiting counts the transactions that wait for a lock.
func (r *Runner) waiting(ctx context.Context) (int, error) {
	var kind, name, text string
	if err := r.monitor.QueryRowContext(ctx, "SHOW ENGINE INNODB STATUS").Scan(&kind, &name, &text); err != nil {
		return 0, err
	}
	_, text, _ = strings.Cut(text, "LIST OF TRANSACTIONS") // behind the report of the last deadlock
	return strings.Count(text, "\nLOCK WAIT "), nil
}

// final reads the tables.
func (r *Runner) final(ctx context.Context, p *statement.Program) (t statement.Tables, err error) {
	err = r.each(ctx, "SELECT id, v, coalesce(u, 0) FROM t", func(id, v, u int) {
		t.T = append(t.T, statement.Row{ID: id, V: v, U: u})
	})
	if err == nil && p.HasChild {
		err = r.each(ctx, "SELECT id, tid, 0 FROM c", func(id, tid, _ int) {
			t.C = append(t.C, statement.ChildRow{ID: id, Tid: tid})
		})
	}
	return t, err
}

// each calls visit with the rows of a query.
func (r *Runner) each(ctx context.Context, q string, visit func(a, b, c int)) error {
	rows, err := r.monitor.QueryContext(ctx, q)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var a, b, c int
		if err := rows.Scan(&a, &b, &c); err != nil {
			return err
		}
		visit(a, b, c)
	}
	return rows.Err()
}
