// Package mariadb runs programs of package statement on a MariaDB server, once per
// interleaving. Tests import it.
package mariadb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver

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
	return run(ctx, r.monitor, append([]string{"DROP TABLE IF EXISTS c, t"}, Schema(p)...)...)
}

// reset puts the rows into their initial state.
func (r *Runner) reset(ctx context.Context, p *statement.Program) error {
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
	if err := run(ctx, r.monitor, Rows(p)...); err != nil {
		return err
	}
	if r.Purge {
		return nil
	}
	return run(ctx, r.keeper, "START TRANSACTION WITH CONSISTENT SNAPSHOT")
}

// setLevel sets the session's level.
func (r *Runner) setLevel(ctx context.Context, session int, level string) error {
	if r.levels[session] == level {
		return nil
	}
	r.levels[session] = level
	return run(ctx, r.sessions[session], SetLevel(level)...)
}

// send runs an action on its session's connection.
func (r *Runner) send(ctx context.Context, p *statement.Program, session int, a statement.Action) {
	go func() {
		res, err := Send(ctx, r.sessions[session], p, session, a)
		r.replies <- reply{session, res, err}
	}()
}

// settle waits until each action in flight has returned or waits for a lock. InnoDB
// looks for deadlocks when a wait begins. So nothing moves when as many transactions
// wait as actions are in flight.
func (r *Runner) settle(ctx context.Context, inflight int) (out []reply, err error) {
	err = r.quiesce(ctx, &inflight, func() (bool, error) {
		select {
		case a := <-r.replies:
			if a.err == nil {
				out = append(out, a)
			}
			return true, a.err
		default:
			return false, nil
		}
	})
	return out, err
}

// quiesce takes replies until as many actions are in flight as transactions wait.
func (r *Runner) quiesce(ctx context.Context, inflight *int, take func() (bool, error)) error {
	quiet := 0
	for wait := 100 * time.Microsecond; *inflight > 0; wait = min(2*wait, time.Millisecond) {
		took, err := take()
		if err != nil {
			return err
		}
		if took {
			*inflight--
			quiet = 0
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		waiting, err := r.waiting(ctx)
		if err != nil {
			return err
		}
		if waiting != *inflight {
			quiet = 0
		} else if quiet++; quiet >= 2 {
			return nil
		}
	}
	return nil
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
