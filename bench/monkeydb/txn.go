package monkeydb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/isolation"
)

// errGivesUp is why a transaction rolls back by itself.
var errGivesUp = errors.New("the transaction gives up")

// txn runs the statements of a terminal's transactions. The first error ends them.
type txn struct {
	ctx  context.Context
	conn *pgx.Conn
	tx   pgx.Tx
	err  error
}

func (t *txn) begin() {
	if t.err == nil {
		t.tx, t.err = t.conn.Begin(t.ctx)
	}
}

func (t *txn) commit() {
	if t.err == nil {
		t.err = t.tx.Commit(t.ctx)
	}
}

// giveUp rolls the transaction back.
func (t *txn) giveUp() {
	if t.err == nil {
		t.err = errGivesUp
	}
}

// exec returns how many rows it has changed.
func (t *txn) exec(sql string, args ...any) (n int64) {
	if t.err != nil {
		return 0
	}
	tag, err := t.tx.Exec(t.ctx, sql, args...)
	t.err = err
	return tag.RowsAffected()
}

// ints returns the first column of all rows.
func (t *txn) ints(sql string, args ...any) (list []int) {
	if t.err != nil {
		return nil
	}
	rows, err := t.tx.Query(t.ctx, sql, args...)
	if err == nil {
		list, err = pgx.CollectRows(rows, pgx.RowTo[int])
	}
	t.err = err
	return list
}

// one is the first column of the first row; the transaction gives up when there is none.
func (t *txn) one(sql string, args ...any) int {
	list := t.ints(sql, args...)
	if len(list) == 0 {
		t.giveUp()
		return 0
	}
	return list[0]
}

// run runs a procedure. A transaction that gives up, or that the database refuses for
// what others do, has no effect and is no error.
func (t *txn) run(f func(*txn)) error {
	t.err = nil
	t.begin()
	f(t)
	t.commit()
	if t.err == nil {
		return nil
	}
	if t.tx != nil {
		if err := t.tx.Rollback(t.ctx); err != nil && !errors.Is(err, pgx.ErrTxClosed) {
			return err
		}
	}
	var e *pgconn.PgError
	refused := []string{"40001", "40P01", "23505"} // appendix A of PostgreSQL's documentation
	if errors.Is(t.err, errGivesUp) || errors.As(t.err, &e) && slices.Contains(refused, e.Code) {
		return nil
	}
	return t.err
}

// oltp is a benchmark of OLTP-Bench.
type oltp struct {
	name   string
	tables string // CREATE TABLE …
	rows   string // INSERT …, for a database whose tables are empty
	// transactions is how many a run at a level has, of all terminals together.
	transactions func(isolation.Level) int
	// terminal draws a transaction of the terminal of that number, of so many.
	terminal func(r *rand.Rand, n, of int) func(*txn)
	checks   []check
	// asArtifact makes the mock server draw by sessions, and forget what was rolled back, as
	// the artifact's does.
	asArtifact bool
	// fresh is the part of the reads that are answered rather by what was served least; nil: none.
	fresh func(isolation.Level) float64
}

// check is an assertion: a query that counts what breaks it.
type check struct {
	name  string // as in the paper
	query string
}

// tries is how often the artifact asks for an assertion.
const tries = 5

// run runs an iteration on connections, one for each terminal and one more that asks for
// the assertions, and tells which of them broke.
func (o *oltp) run(ctx context.Context, r *rand.Rand, conns []*pgx.Conn, level isolation.Level) ([]bool, error) {
	terminals := len(conns) - 1
	for range o.transactions(level) {
		n := r.IntN(terminals)
		t := &txn{ctx: ctx, conn: conns[n]}
		if err := t.run(o.terminal(r, n, terminals)); err != nil {
			return nil, fmt.Errorf("%s: %w", o.name, err)
		}
	}
	return o.broken(ctx, conns[terminals])
}

func (o *oltp) broken(ctx context.Context, c *pgx.Conn) ([]bool, error) {
	broken := make([]bool, len(o.checks))
	for range tries {
		for i, check := range o.checks {
			if broken[i] {
				continue
			}
			t := &txn{ctx: ctx, conn: c}
			if err := t.run(func(t *txn) { broken[i] = t.one(check.query) > 0; t.giveUp() }); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", o.name, check.name, err)
			}
		}
	}
	return broken, nil
}

// pick draws an index by weights.
func pick(r *rand.Rand, weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := r.IntN(sum)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// always is a number of transactions at every level.
func always(n int) func(isolation.Level) int { return func(isolation.Level) int { return n } }

// empty is SQL that empties all tables.
func (o *oltp) empty() string {
	var names []string
	for _, m := range tableNames.FindAllStringSubmatch(o.tables, -1) {
		names = append(names, m[1])
	}
	return "TRUNCATE " + strings.Join(names, ", ") + " RESTART IDENTITY; "
}

var tableNames = regexp.MustCompile(`CREATE TABLE (\w+)`)
