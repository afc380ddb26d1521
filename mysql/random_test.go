// Random SQL programs: statements of all kinds on two tables with primary keys, a
// unique key and a foreign key, by two or three sessions.

package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/isolation"
	txmysql "github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
)

var (
	programs   = flag.Int("programs", 12, "random SQL programs to explore at all levels")
	randomSeed = flag.Uint64("seed", 1, "seed of random SQL programs")
)

const (
	randomSchema = `CREATE TABLE p (id int PRIMARY KEY, u int UNIQUE, v int NOT NULL);
		CREATE TABLE c (id int PRIMARY KEY, p int, v int NOT NULL, FOREIGN KEY (p) REFERENCES p (id));`
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
	"set":     "UPDATE %[1]s SET v = %[4]d WHERE id = %[2]d",
	"last":    "UPDATE %[1]s SET v = %[4]d WHERE id = %[2]d", // the value read last, and one
	"add":     "UPDATE %[1]s SET v = v + 1 WHERE id = %[2]d",
	"raise":   "UPDATE %[1]s SET v = v + 10 WHERE v >= %[4]d",
	"rename":  "UPDATE p SET u = %[3]d WHERE id = %[2]d",
	"delete":  "DELETE FROM %[1]s WHERE id = %[2]d",
	"clear":   "DELETE FROM %[1]s WHERE v >= %[4]d",
	"insert":  "INSERT INTO %[1]s VALUES (%[2]d, %[3]d, %[4]d)",
	"nothing": "INSERT IGNORE INTO p VALUES (%[2]d, %[3]d, %[4]d)",
	"upsert":  "INSERT INTO p VALUES (%[2]d, %[3]d, %[4]d) ON DUPLICATE KEY UPDATE v = v + VALUES(v)",
	"replace": "REPLACE INTO p VALUES (%[2]d, %[3]d, %[4]d)",
	"share":   "SELECT id, v FROM %[1]s WHERE v >= %[4]d LOCK IN SHARE MODE",
}

// order lists the kinds; some come up more often.
var order = []string{"get", "get", "range", "count", "unique", "unique", "lock", "set", "last", "last", "add",
	"raise", "rename", "delete", "clear", "insert", "insert", "insert", "nothing", "upsert", "replace", "share"}

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

func newRandomProgram(r *rand.Rand) randomProgram {
	p := make(randomProgram, 2+r.IntN(5)/4)
	for i := range p {
		n := 1
		if len(p) == 2 {
			n += r.IntN(2)
		}
		for range n {
			tx := make([]statement, 1+r.IntN(4-n-len(p)/3))
			for k := range tx {
				tx[k] = newStatement(r)
				tx[k].guarded = len(tx) > 1 && r.IntN(4) == 0
				tx[k].undone = tx[k].guarded && r.IntN(2) == 0
			}
			p[i] = append(p[i], tx)
		}
	}
	return p
}

func newStatement(r *rand.Rand) statement {
	s := statement{kind: order[r.IntN(len(order))], table: "p", id: 1 + r.IntN(3), u: 1 + r.IntN(3), v: r.IntN(3)}
	if text := kinds[s.kind]; strings.Contains(text, "%[1]s") && r.IntN(3) == 0 {
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
			if _, err := open.ExecContext(ctx, "ROLLBACK TO SAVEPOINT s"); err != nil {
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
	if strings.HasPrefix(text, "SELECT") {
		answer, err = c.rows(q.QueryContext(ctx, text))
	} else {
		var r sql.Result
		if r, err = q.ExecContext(ctx, text); err == nil {
			n, _ := r.RowsAffected() // the driver knows it always
			answer = fmt.Sprint("n", n)
		}
	}
	if e := (*mysql.MySQLError)(nil); errors.As(err, &e) && string(e.SQLState[:2]) == "23" {
		failed, answer, err = true, fmt.Sprint("e", e.Number), nil
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
		db := txmysql.New(q, txmysql.Schema(randomSchema), txmysql.Seed(randomRows))
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

// forPrograms calls f with random programs, and with a client for them.
func forPrograms(t *testing.T, n int, f func(t *testing.T, p randomProgram, c *program.Client)) {
	t.Logf("seed %d", *randomSeed)
	var p randomProgram
	c := newClient(t, declare(&p))
	for i := range n {
		p = newRandomProgram(rand.New(rand.NewPCG(*randomSeed, uint64(i))))
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			f(t, p, c)
			if err := c.Renew(); err != nil {
				t.Fatal(err)
			}
			if t.Failed() {
				t.Logf("\n%s", p)
			}
		})
	}
}
