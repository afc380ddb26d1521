// Random SQL programs: statements of all kinds on two tables with primary keys, a
// unique key and a foreign key, by two or three sessions.

package pg_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

var (
	programs   = flag.Int("programs", 1000, "random SQL programs to explore at all levels")
	serials    = flag.Int("serials", 200, "random SQL programs to compare with all serial orders")
	randomSeed = flag.Uint64("seed", 1, "seed of random SQL programs")
)

const (
	randomSchema = `CREATE TABLE p (id int PRIMARY KEY, u int UNIQUE, v int NOT NULL);
		CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p, v int NOT NULL);`
	randomRows = `INSERT INTO p VALUES (1, 1, 0), (2, 2, 1); INSERT INTO c VALUES (1, 1, 0);`
)

// statement is a statement of a random program.
type statement struct {
	kind    string // see kinds
	table   string // p or c
	id, u   int    // keys; of c, u is the parent
	v       int
	guarded bool // behind a savepoint, to which an error goes back
	undone  bool // to which it goes back in any case
}

// kinds of statements, with their SQL: %[1]s the table, %[2]d the id, %[3]d the
// unique value or the parent, %[4]d the value.
var kinds = map[string]string{
	"get":     "SELECT id, v FROM %[1]s WHERE id = %[2]d",
	"range":   "SELECT id, v FROM %[1]s WHERE id >= %[2]d ORDER BY id",
	"count":   "SELECT count(*), coalesce(sum(v), 0) FROM %[1]s",
	"unique":  "SELECT id, v FROM p WHERE u = %[3]d",
	"lock":    "SELECT id, v FROM %[1]s WHERE id = %[2]d FOR UPDATE",
	"share":   "SELECT id, v FROM %[1]s WHERE id = %[2]d FOR SHARE",
	"join":    "SELECT c.id, p.v FROM c JOIN p ON p.id = c.p ORDER BY c.id",
	"set":     "UPDATE %[1]s SET v = %[4]d WHERE id = %[2]d",
	"last":    "UPDATE %[1]s SET v = %[4]d WHERE id = %[2]d", // the value read last, and one
	"add":     "UPDATE %[1]s SET v = v + 1 WHERE id = %[2]d",
	"bump":    "UPDATE %[1]s SET v = v + 1 WHERE id = %[2]d RETURNING id, v",
	"least":   "UPDATE %[1]s SET v = v + 1 WHERE id = %[2]d AND v <= %[4]d",
	"old":     "UPDATE %[1]s SET v = v + 1 WHERE id = %[2]d RETURNING id, (SELECT o.v FROM %[1]s o WHERE o.id = %[1]s.id)",
	"raise":   "UPDATE %[1]s SET v = v + 10 WHERE v >= %[4]d",
	"rename":  "UPDATE p SET u = %[3]d WHERE id = %[2]d",
	"move":    "UPDATE p SET id = %[3]d WHERE id = %[2]d",
	"adopt":   "UPDATE c SET p = %[3]d WHERE id = %[2]d",
	"delete":  "DELETE FROM %[1]s WHERE id = %[2]d",
	"clear":   "DELETE FROM %[1]s WHERE v >= %[4]d",
	"insert":  "INSERT INTO %[1]s VALUES (%[2]d, %[3]d, %[4]d)",
	"absent":  "INSERT INTO p SELECT %[2]d, %[3]d, %[4]d WHERE NOT EXISTS (SELECT 1 FROM p WHERE id = %[2]d)",
	"copy":    "INSERT INTO c SELECT %[3]d, id, v FROM p WHERE id = %[2]d",
	"next":    "INSERT INTO c SELECT coalesce(max(id), 0) + 1, %[3]d, %[4]d FROM c",
	"nothing": "INSERT INTO p VALUES (%[2]d, %[3]d, %[4]d) ON CONFLICT DO NOTHING",
	"upsert":  "INSERT INTO p VALUES (%[2]d, %[3]d, %[4]d) ON CONFLICT (id) DO UPDATE SET v = p.v + excluded.v",
	"merge":   "INSERT INTO p VALUES (%[2]d, %[3]d, %[4]d) ON CONFLICT (u) DO UPDATE SET v = p.v + excluded.v",
}

// often are the kinds that make transactions depend on each other most; they come up
// as often as all others together.
var often = []string{"get", "get", "range", "set", "last", "last", "add", "least", "insert", "unique", "delete"}

func (s statement) sql(last int) string {
	v := s.v
	if s.kind == "last" {
		v = last + 1
	}
	text := fmt.Sprintf(kinds[s.kind]+" -- %[1]s %[2]d %[3]d %[4]d", s.table, s.id, s.u, v)
	text, _, _ = strings.Cut(text, " --")
	return text
}

// randomProgram is sessions of transactions of statements. A transaction of one
// statement without a savepoint is committed by itself.
type randomProgram [][][]statement

// newRandomProgram returns two sessions of one or two transactions, or three of one.
func newRandomProgram(r *rand.Rand) randomProgram {
	shape := [][]int{{4}, {2, 2}, {3, 1}}[r.IntN(3)] // the most statements in a session's transactions
	p := make(randomProgram, 2)
	if r.IntN(4) == 0 {
		p, shape = make(randomProgram, 3), []int{2}
	}
	for i := range p {
		for _, most := range shape {
			tx := make([]statement, most-r.IntN(most/2+1))
			for k := range tx {
				tx[k] = newStatement(r)
				tx[k].guarded = len(tx) > 1 && r.IntN(5) == 0
				tx[k].undone = tx[k].guarded && r.IntN(2) == 0
			}
			p[i] = append(p[i], tx)
		}
	}
	return p
}

// newStatement returns a statement, most often on the first rows.
func newStatement(r *rand.Rand) statement {
	few := func() int { return []int{1, 1, 1, 2, 2, 3}[r.IntN(6)] }
	s := statement{kind: often[r.IntN(len(often))], table: "p", id: few(), u: few(), v: r.IntN(3)}
	if r.IntN(2) == 0 {
		all := slices.Sorted(maps.Keys(kinds))
		s.kind = all[r.IntN(len(all))]
	}
	text := kinds[s.kind]
	if strings.Contains(text, "INTO c") || strings.Contains(text, "UPDATE c") || strings.Contains(text, "%[1]s") && r.IntN(4) == 0 {
		s.table = "c"
	}
	return s
}

func (p randomProgram) String() string {
	var b strings.Builder
	for i, session := range p {
		for _, tx := range session {
			fmt.Fprintf(&b, "session %d:", i)
			for _, s := range tx {
				mark := map[[2]bool]string{{true, false}: " guarded", {true, true}: " undone"}[[2]bool{s.guarded, s.undone}]
				fmt.Fprintf(&b, " %s;%s", s.sql(-1), mark)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// querier runs statements: a database, or a transaction.
type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

// client is what a session's code knows.
type client struct {
	seen strings.Builder // what it has observed
	last int             // the value read last
}

// transaction runs a transaction as an application does.
func (c *client) transaction(db *sql.DB, tx []statement) error {
	ctx := context.Background()
	if len(tx) == 1 {
		_, err := c.statement(ctx, db, tx[0])
		return err
	}
	open, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer open.Rollback()
	for _, s := range tx {
		if s.guarded {
			if _, err := open.ExecContext(ctx, "SAVEPOINT s"); err != nil {
				return err
			}
		}
		failed, err := c.statement(ctx, open, s)
		if err != nil || failed && !s.guarded {
			return err
		}
		if s.undone || failed {
			if _, err := open.ExecContext(ctx, "ROLLBACK TO s"); err != nil {
				return err
			}
		}
	}
	return open.Commit()
}

// statement runs a statement and notes what it answers.
func (c *client) statement(ctx context.Context, q querier, s statement) (failed bool, err error) {
	text := s.sql(c.last)
	var answer string
	if strings.HasPrefix(text, "SELECT") || strings.Contains(text, "RETURNING") {
		answer, err = c.rows(q.QueryContext(ctx, text))
	} else {
		var r sql.Result
		if r, err = q.ExecContext(ctx, text); err == nil {
			n, _ := r.RowsAffected() // pgx knows it always
			answer = fmt.Sprint("n", n)
		}
	}
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) && e.Code[:2] == "23" {
		failed, answer, err = true, e.Code+e.ConstraintName, nil
	}
	c.seen.WriteString(answer + " ")
	return failed, err
}

func (c *client) rows(rows *sql.Rows, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer rows.Close()
	answer := "r"
	for rows.Next() {
		var id, v int
		if err := rows.Scan(&id, &v); err != nil {
			return "", err
		}
		c.last = v
		answer += fmt.Sprintf("(%d,%d)", id, v)
	}
	return answer, rows.Err()
}

// declare declares a program that p points to when it runs: so all programs share
// a database.
func declare(p *randomProgram) func(*program.Program) {
	return func(q *program.Program) {
		db := pg.New(q, pg.Schema(randomSchema), pg.Seed(randomRows))
		for i := range mostSessions {
			q.Session(fmt.Sprint("s", i), func(s *program.Session) {
				if i < len(*p) {
					c := &client{}
					c.session(db.Open(s), (*p)[i])
					s.Observe(fmt.Sprint(i), c.seen.String())
				}
			})
		}
	}
}

const mostSessions = 3

// session runs a session's transactions, up to an error that is none of SQL.
func (c *client) session(db *sql.DB, list [][]statement) {
	for _, tx := range list {
		if err := c.transaction(db, tx); err != nil {
			c.seen.WriteString(err.Error())
			return
		}
	}
}

var allLevels = []isolation.Level{isolation.RC, isolation.RA, isolation.CC, isolation.PC, isolation.SI, isolation.SER}

// trial is a random program to be explored.
type trial struct {
	randomProgram
	client *program.Client
	levels []isolation.Level // all, in an order that changes: the first finds out which rows there can be
}

// explore explores the program at a level, with what the levels before have found.
func (p trial) explore(t *testing.T, level isolation.Level) explored {
	t.Helper()
	return exploreAt(t, p.client, level)
}

// forPrograms calls f with n random programs that it can decide. Now and then the
// client is made anew, so that no rows are known. One client of four runs
// behaviours again as explorations do, to see whether they repeat.
func forPrograms(t *testing.T, n int, f func(t *testing.T, p trial) bool) {
	t.Logf("seed %d", *randomSeed)
	const perClient = 50
	var p trial
	undecided := 0
	for i := 0; n > 0 && !t.Failed(); i++ {
		if i%perClient == 0 {
			recheck := -1
			if i/perClient%4 == 0 {
				recheck = program.DefaultRecheck
			}
			p.client = newClientWith(t, declare(&p.randomProgram), program.Options{Recheck: recheck})
		}
		r := rand.New(rand.NewPCG(*randomSeed, uint64(i)))
		p.randomProgram, p.levels = newRandomProgram(r), slices.Clone(allLevels)
		r.Shuffle(len(p.levels), func(i, j int) { p.levels[i], p.levels[j] = p.levels[j], p.levels[i] })
		if f(t, p) {
			n--
		} else {
			undecided++
		}
		if err := p.client.Renew(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			t.Logf("program %d of seed %d:\n%s", i, *randomSeed, p)
		}
	}
	t.Logf("%d programs had too many histories to be decided", undecided)
}
