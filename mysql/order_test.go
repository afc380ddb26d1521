package mysql_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
)

// A LIMIT ends a scan in the order of an index. So two sessions that take the first of
// the remaining rows, by whatever order, lock one row each.
func TestLimitLocksOneRow(t *testing.T) {
	const schema = `CREATE TABLE job (queue int, id int, state varchar(10) NOT NULL, at int, PRIMARY KEY (queue, id), KEY by_at (queue, at), KEY by_state (state));
		CREATE TABLE task (id int PRIMARY KEY, worker int, at int NOT NULL, KEY by_worker (worker, at));`
	const rows = `INSERT INTO job VALUES (1, 1, 'new', 3), (1, 2, 'new', 2), (1, 3, 'done', 1), (2, 4, 'new', 0);
		INSERT INTO task VALUES (1, NULL, 7), (2, NULL, 5), (3, 8, 1)`
	for query, want := range map[string]string{
		"SELECT id FROM job WHERE queue = 1 ORDER BY id LIMIT 1 FOR UPDATE":                                    "1",
		"SELECT id FROM job WHERE queue = 1 ORDER BY id DESC LIMIT 1 FOR UPDATE":                               "3",
		"SELECT id FROM job WHERE queue = 1 AND state = 'new' ORDER BY queue DESC, id DESC LIMIT 1 FOR UPDATE": "2",
		"SELECT id FROM job WHERE state = 'new' ORDER BY queue, id LIMIT 1 FOR UPDATE SKIP LOCKED":             "1",
		"SELECT id FROM job WHERE state = 'new' ORDER BY queue DESC, id DESC LIMIT 1 FOR UPDATE":               "4",
		"SELECT id FROM job WHERE state = 'new' ORDER BY state, queue, id LIMIT 1 FOR UPDATE":                  "1",
		"SELECT id FROM job WHERE queue = 1 AND at > 1 ORDER BY at LIMIT 1 FOR UPDATE":                         "2",
		"SELECT id FROM task WHERE worker IS NULL ORDER BY at LIMIT 1 FOR UPDATE":                              "2",
		"SELECT id FROM task WHERE worker IS NULL ORDER BY at DESC LIMIT 1 FOR UPDATE":                         "1",
	} {
		got := sqltest.Explore(t, func(p *program.Program) {
			db := mysql.New(p, mysql.Schema(schema), mysql.Seed(rows))
			p.Session("s", func(s *program.Session) {
				var id string
				s.Assert(db.Open(s).QueryRow(query).Scan(&id) == nil, "the query fails")
				s.Observe("id", id)
			})
		}, isolation.RC)
		if got.Outcomes["id="+want+" "] != 1 || got.Locks != 1 {
			t.Errorf("%s: %v, want %s; %d rows locked, want 1", query, got.Outcomes, want, got.Locks)
		}
	}
}

// A server sorts by a column even where all rows have NULL in it. It also sorts the rows of
// a value or NULL. So LIMIT ends nothing early: each row is locked (MariaDB 10.11: Using
// filesort).
func TestSortByNull(t *testing.T) {
	const schema = `CREATE TABLE task (id int PRIMARY KEY, worker int, at int NOT NULL, batch int, KEY by_worker (worker, at), KEY one (batch));`
	const rows = `INSERT INTO task VALUES (1, NULL, 7, NULL), (2, NULL, 5, 1), (3, 8, 1, 2)`
	for query, want := range map[string]string{
		"SELECT id FROM task FORCE INDEX (by_worker) WHERE worker IS NULL ORDER BY worker LIMIT 1 FOR UPDATE":               "2",
		"SELECT id FROM task FORCE INDEX (by_worker) WHERE worker IS NULL ORDER BY worker DESC LIMIT 1 FOR UPDATE":          "2",
		"SELECT id FROM task FORCE INDEX (by_worker) WHERE worker IS NULL ORDER BY worker DESC, at DESC LIMIT 1 FOR UPDATE": "1",
		"SELECT id FROM task FORCE INDEX (one) WHERE batch = 1 OR batch IS NULL ORDER BY batch DESC LIMIT 1 FOR UPDATE":     "2",
		"SELECT id FROM task FORCE INDEX (by_worker) WHERE worker <=> NULL ORDER BY worker, at LIMIT 1 FOR UPDATE":          "2",
	} {
		got := sqltest.Explore(t, func(p *program.Program) {
			db := mysql.New(p, mysql.Schema(schema), mysql.Seed(rows))
			p.Session("s", func(s *program.Session) {
				var id string
				s.Assert(db.Open(s).QueryRow(query).Scan(&id) == nil, "the query fails")
				s.Observe("id", id)
			})
		}, isolation.RC)
		if got.Outcomes["id="+want+" "] != 1 || got.Locks != 2 {
			t.Errorf("%s: %v, want %s; %d rows locked, want 2", query, got.Outcomes, want, got.Locks)
		}
	}
}

// Both ends of an index are found without reading what lies between.
func TestOrderByIndex(t *testing.T) {
	const schema = `CREATE TABLE n (id int PRIMARY KEY, k int, w varchar(5), KEY by_k (k));`
	const rows = `INSERT INTO n VALUES (1, 3, 'c'), (2, NULL, 'a'), (3, 1, 'b'), (4, 3, 'B')`
	for query, want := range map[string]string{
		"SELECT id FROM n ORDER BY id":                    "1 2 3 4 ",
		"SELECT id FROM n ORDER BY id DESC":               "4 3 2 1 ",
		"SELECT id FROM n ORDER BY k, id":                 "2 3 1 4 ",
		"SELECT id FROM n WHERE k >= 1 ORDER BY k":        "3 1 4 ",
		"SELECT id FROM n WHERE k = 3 ORDER BY id DESC":   "4 1 ",
		"SELECT id FROM n ORDER BY k DESC, id ASC":        "1 4 3 2 ",
		"SELECT id FROM n WHERE id > 1 ORDER BY w, id":    "2 3 4 ",
		"SELECT id FROM n ORDER BY id LIMIT 2 OFFSET 1":   "2 3 ",
		"SELECT id FROM n WHERE id IN (4, 1) ORDER BY id": "1 4 ",
	} {
		got := sqltest.Explore(t, func(p *program.Program) {
			db := mysql.New(p, mysql.Schema(schema), mysql.Seed(rows))
			p.Session("s", func(s *program.Session) { s.Observe("ids", ids(context.Background(), db.Open(s), query)) })
		}, isolation.SER)
		if got.Outcomes["ids="+want+" "] != 1 {
			t.Errorf("%s: %v, want %s", query, got.Outcomes, want)
		}
	}
}

func ids(ctx context.Context, db *sql.DB, query string) (list string) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return err.Error()
		}
		list += fmt.Sprint(id, " ")
	}
	return list
}
