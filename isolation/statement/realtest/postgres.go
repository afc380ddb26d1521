package realtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/isolation/statement"
)

// Postgres drives a PostgreSQL server. It has a connection for each session, and one
// that watches who is blocked. deadlock_timeout has to be DeadlockTimeout: a step in
// which somebody begins to wait lasts longer.
type Postgres struct {
	dsn     string
	program *statement.Program
	lines   [][]line // by session; one each, but for programs with DEFERRABLE transactions
	at      []int    // which line a session's statements take
	monitor *pgconn.PgConn
	replies chan Reply
	early   []Reply // replies that came while another session's was waited for
	busy    []bool
	checked []bool // the wait has lasted longer than the deadlock check
}

// line is a connection of a session, and what it is to send.
type line struct {
	conn *pgconn.PgConn
	work chan []string
}

// DeadlockTimeout is the server's deadlock_timeout.
const DeadlockTimeout = time.Millisecond

// checkTime is longer than the deadlock check of a wait takes.
const checkTime = 4 * DeadlockTimeout

const pgSchema = `CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, u int UNIQUE);
CREATE TABLE c (id int PRIMARY KEY, tid int NOT NULL)`

// NewPostgres connects n sessions and makes the tables, in an empty database.
func NewPostgres(ctx context.Context, dsn string, n int) (*Postgres, error) {
	pg := &Postgres{dsn: dsn, lines: make([][]line, n), at: make([]int, n),
		replies: make(chan Reply, n), busy: make([]bool, n), checked: make([]bool, n)}
	var err error
	if pg.monitor, err = pgconn.Connect(ctx, dsn); err != nil {
		return nil, err
	}
	if err := run(ctx, pg.monitor, pgSchema); err != nil {
		return nil, errors.Join(err, pg.monitor.Close(ctx))
	}
	for session := range n {
		if err := pg.connect(ctx, session); err != nil {
			pg.Close(ctx)
			return nil, err
		}
	}
	return pg, nil
}

// connect gives a session one more line.
func (pg *Postgres) connect(ctx context.Context, session int) error {
	c, err := pgconn.Connect(ctx, pg.dsn)
	if err != nil {
		return err
	}
	l := line{c, make(chan []string, 1)}
	pg.lines[session] = append(pg.lines[session], l)
	go func() {
		for sql := range l.work {
			pg.replies <- answer(ctx, c, session, sql)
		}
	}()
	return run(ctx, c, "SET enable_bitmapscan = off")
}

// line is where a session's statements go.
func (pg *Postgres) line(session int) line { return pg.lines[session][pg.at[session]] }

// Close ends the connections.
func (pg *Postgres) Close(ctx context.Context) {
	for _, lines := range pg.lines {
		for _, l := range lines {
			close(l.work)
			l.conn.Close(ctx)
		}
	}
	pg.monitor.Close(ctx)
}

func run(ctx context.Context, c *pgconn.PgConn, sql string) error {
	_, err := c.Exec(ctx, sql).ReadAll()
	return err
}

// answer sends texts one after the other and returns the result of the last
// statement.
func answer(ctx context.Context, c *pgconn.PgConn, session int, texts []string) Reply {
	var last *pgconn.Result
	for _, sql := range texts {
		res, err := c.Exec(ctx, sql).ReadAll()
		var pe *pgconn.PgError
		switch {
		case errors.As(err, &pe):
			return Reply{Session: session, Result: statement.Fail(pe.Code)}
		case err != nil:
			return Reply{Session: session, Err: err}
		}
		last = res[len(res)-1]
	}
	result, err := pgResult(last)
	return Reply{Session: session, Result: result, Err: err}
}

func pgResult(r *pgconn.Result) (statement.Result, error) {
	switch tag := r.CommandTag.String(); {
	case tag == "COMMIT":
		return statement.Result{Kind: statement.Committed}, nil
	case tag == "ROLLBACK":
		return statement.Result{Kind: statement.RolledBack}, nil
	case tag == "SAVEPOINT":
		return statement.Result{Kind: statement.Saved}, nil
	case !r.CommandTag.Select():
		return statement.Result{Kind: statement.Count, N: int(r.CommandTag.RowsAffected())}, nil
	}
	var pairs []statement.IDValue
	for _, row := range r.Rows {
		a, err := strconv.Atoi(string(row[0]))
		if err != nil {
			return statement.Result{}, err
		}
		b, err := strconv.Atoi(string(row[1]))
		if err != nil {
			return statement.Result{}, err
		}
		pairs = append(pairs, statement.IDValue{ID: a, V: b})
	}
	if len(pairs) == 1 && r.FieldDescriptions[0].Name == "count" {
		return statement.Result{Kind: statement.Aggregate, N: pairs[0].ID, Sum: pairs[0].V}, nil
	}
	return statement.Result{Kind: statement.Rows, Rows: pairs}, nil
}

var pgLevels = map[string]string{statement.ReadCommitted: "READ COMMITTED",
	statement.RepeatableRead: "REPEATABLE READ", statement.Serializable: "SERIALIZABLE"}

// Prepare sets the foreign key. In a program with DEFERRABLE transactions each transaction of
// a session has a connection of its own. Else pg_safe_snapshot_blocking_pids could mistake it:
// the function finds a process by the first transaction of it that the server remembers, which
// may have ended (GetSafeSnapshotBlockingPids of predicate.c).
func (pg *Postgres) Prepare(ctx context.Context, p *statement.Program) error {
	pg.program = p
	clear(pg.at)
	for session, txns := range p.Sessions {
		for deferrable(p) && len(pg.lines[session]) < len(txns) {
			if err := pg.connect(ctx, session); err != nil {
				return err
			}
		}
	}
	sql := "TRUNCATE t, c; ALTER TABLE c DROP CONSTRAINT IF EXISTS fk"
	if p.HasChild {
		sql += "; ALTER TABLE c ADD CONSTRAINT fk FOREIGN KEY (tid) REFERENCES t (id)"
	}
	return run(ctx, pg.monitor, sql)
}

func deferrable(p *statement.Program) bool {
	return slices.ContainsFunc(p.Sessions, func(txns []statement.Transaction) bool {
		return slices.ContainsFunc(txns, func(t statement.Transaction) bool { return t.Deferrable })
	})
}

// Reset puts the tables into the program's initial state.
func (pg *Postgres) Reset(ctx context.Context) error {
	var b strings.Builder
	b.WriteString("TRUNCATE t, c;")
	for _, r := range pg.program.Rows {
		fmt.Fprintf(&b, "INSERT INTO t VALUES (%d, %d, %s);", r.ID, r.V, statement.Null(r.U))
	}
	for _, r := range pg.program.Children {
		fmt.Fprintf(&b, "INSERT INTO c VALUES (%d, %d);", r.ID, r.Tid)
	}
	return run(ctx, pg.monitor, b.String())
}

// Send starts a session's action. BEGIN goes with the first statement. The level
// of a statement in autocommit is the session's default.
func (pg *Postgres) Send(session int, a statement.Action) {
	t := &pg.program.Sessions[session][a.Txn]
	level := pgLevels[pg.program.LevelOf(t)]
	sql := []string{a.SQL(pg.program, session)}
	if pg.at[session] = 0; deferrable(pg.program) {
		pg.at[session] = a.Txn
	}
	switch {
	case a.First:
		sql[0] = "BEGIN ISOLATION LEVEL " + level + modes(t) + ";" + sql[0]
	case t.Auto:
		sql = append([]string{"SET default_transaction_isolation = '" + strings.ToLower(level) + "'"}, sql...)
	}
	pg.SendText(session, sql)
}

// modes are the modes of a transaction beside its level.
func modes(t *statement.Transaction) (text string) {
	if t.ReadOnly {
		text = " READ ONLY"
	}
	if t.Deferrable {
		text += " DEFERRABLE"
	}
	return text
}

// SendText sends texts of a session, one after the other. The result is that of the last
// statement; one of rows has two columns of integers.
func (pg *Postgres) SendText(session int, texts []string) {
	pg.busy[session], pg.checked[session] = true, false
	pg.line(session).work <- texts
}

// Run runs a text on the connection that watches. p is the program that is run after it.
func (pg *Postgres) Run(ctx context.Context, p *statement.Program, text string) error {
	pg.program = p
	clear(pg.at)
	return run(ctx, pg.monitor, text)
}

// Everywhere runs a text in all sessions, while none has anything to do.
func (pg *Postgres) Everywhere(ctx context.Context, text string) error {
	for session := range pg.lines {
		if err := run(ctx, pg.line(session).conn, text); err != nil {
			return err
		}
	}
	return nil
}

// RollbackNow sends ROLLBACK and waits for its end.
func (pg *Postgres) RollbackNow(ctx context.Context, session int) error {
	pg.line(session).work <- []string{"ROLLBACK"}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case r := <-pg.replies:
			if r.Session == session {
				return r.Err
			}
			pg.early = append(pg.early, r)
		}
	}
}

// Final reads the tables.
func (pg *Postgres) Final(ctx context.Context) (final statement.Tables, err error) {
	res, err := pg.monitor.Exec(ctx, "SELECT id, v, coalesce(u, 0) FROM t; SELECT id, tid FROM c").ReadAll()
	if err != nil {
		return final, err
	}
	for _, row := range res[0].Rows {
		n, err := numbers(row)
		if err != nil {
			return final, err
		}
		final.T = append(final.T, statement.Row{ID: n[0], V: n[1], U: n[2]})
	}
	for _, row := range res[1].Rows {
		n, err := numbers(row)
		if err != nil {
			return final, err
		}
		final.C = append(final.C, statement.ChildRow{ID: n[0], Tid: n[1]})
	}
	return final, nil
}

func numbers(row [][]byte) ([]int, error) {
	out := make([]int, len(row))
	for i, text := range row {
		n, err := strconv.Atoi(string(text))
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}
