package mysql_test

import (
	"context"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// settled are programs of two sessions whose statements set what transactions do: the sessions'
// statements, and the schema.
var settled = []struct {
	name, schema string
	sessions     [2][]string
}{
	{"foreign keys that are not checked", "CREATE TABLE p (id INT PRIMARY KEY); CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id)); INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 1)",
		[2][]string{{"SET foreign_key_checks = 0", "INSERT INTO c VALUES (2, 9)", "BEGIN", "DELETE FROM p WHERE id = 1", "ROLLBACK"}, {"INSERT INTO c VALUES (3, 1)", "DELETE FROM p WHERE id = 1"}}},
	{"safe updates", "CREATE TABLE t (id INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 5), (2, 5)",
		[2][]string{{"SET sql_safe_updates = 1", "UPDATE t SET n = 6", "UPDATE t SET n = 7 WHERE id = 1", "DELETE FROM t"}, {"UPDATE t SET n = n + 1"}}},
	{"chains", "CREATE TABLE t (id INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 5)",
		[2][]string{{"SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "BEGIN", "UPDATE t SET n = n + 1", "COMMIT AND CHAIN", "SELECT n FROM t", "SELECT n FROM t", "ROLLBACK"}, {"UPDATE t SET n = n + 10"}}},
	{"read uncommitted", "CREATE TABLE t (id INT PRIMARY KEY, n INT, KEY (n)); INSERT INTO t VALUES (1, 5), (2, 6)",
		[2][]string{{"SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED", "BEGIN", "SELECT n FROM t WHERE n > 5 ORDER BY n", "SELECT COUNT(*) FROM t", "COMMIT"}, {"BEGIN", "UPDATE t SET n = 9 WHERE id = 1", "INSERT INTO t VALUES (3, 7)", "DELETE FROM t WHERE id = 2", "ROLLBACK"}}},
	{"writes at read uncommitted", "CREATE TABLE t (id INT PRIMARY KEY, n INT, KEY (n)); INSERT INTO t VALUES (1, 5), (3, 6)",
		[2][]string{{"SET SESSION tx_isolation = 'READ-UNCOMMITTED'", "BEGIN", "UPDATE t SET n = n + 1 WHERE n >= 5", "INSERT INTO t SELECT 2, MAX(n) FROM t", "COMMIT"}, {"BEGIN", "INSERT INTO t VALUES (4, 5)", "UPDATE t SET n = 8 WHERE id = 4", "COMMIT"}}},
	{"read only", "CREATE TABLE t (id INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 5)",
		[2][]string{{"SET SESSION TRANSACTION READ ONLY", "UPDATE t SET n = 6", "START TRANSACTION READ WRITE", "UPDATE t SET n = n * 2", "COMMIT"}, {"UPDATE t SET n = n + 1"}}},
}

// waited are programs in which a wait for a lock may end by a time limit.
var waited = [][2][]string{
	{{"SET max_statement_time = 1", "UPDATE t SET n = 6 WHERE id = 1"}, {"BEGIN", "UPDATE t SET n = 7 WHERE id = 1", "COMMIT"}},
	{{"BEGIN", "SELECT n FROM t WHERE id = 1 FOR UPDATE WAIT 1", "UPDATE t SET n = n + 1 WHERE id = 1", "COMMIT"}, {"UPDATE t SET n = 7 WHERE id = 1"}},
	{{"SET STATEMENT max_statement_time = 1 FOR UPDATE t SET n = 6 WHERE id = 1", "UPDATE t SET n = n + 1 WHERE id = 1"}, {"BEGIN", "UPDATE t SET n = 7 WHERE id = 1", "ROLLBACK"}},
}

// settle is a program of such sessions. They ignore errors.
func settle(schema string, sessions [2][]string) func(p *program.Program) {
	return func(p *program.Program) {
		db := mysql.New(p, mysql.Schema(schema))
		for i, name := range []string{"a", "b"} {
			p.Session(name, func(s *program.Session) {
				c, err := db.Open(s).Conn(context.Background())
				s.Assert(err == nil, err)
				defer c.Close()
				for _, text := range sessions[i] {
					if rows, err := c.QueryContext(context.Background(), text); err == nil {
						for rows.Next() {
						}
						rows.Close()
					}
				}
			})
		}
	}
}

// What settings do, and READ UNCOMMITTED, is what a MariaDB server does: the sets of outcomes are
// equal.
func TestSettingsOnServer(t *testing.T) {
	at := lent(t)
	at.Compare = true
	for i, x := range settled {
		for _, c := range reportsOf[*report.ServerComparison](runOn(t, at, settle(x.schema, x.sessions), serverLevels(i)...)) {
			if c.Differ() > 0 || !c.Complete || c.Outcomes == 0 {
				t.Errorf("%s: %s", x.name, (&report.Text{}).ServerComparison(c))
			}
		}
	}
	if got := reportsOf[*report.ServerComparison](runOn(t, at, settle(settled[3].schema, settled[4].sessions), isolation.InnoRU)); len(got) != 1 || got[0].Differ() > 0 {
		t.Error("innodb-ru")
	}
	list := waited
	if !*fullServer {
		list = waited[:1] // they wait a second each time
	}
	for _, sessions := range list {
		for _, c := range reportsOf[*report.ServerComparison](runOn(t, at, settle(settled[1].schema, sessions), isolation.InnoRR)) {
			if c.Differ() > 0 || c.Outcomes < 2 {
				t.Errorf("%q: %s", sessions, (&report.Text{}).ServerComparison(c))
			}
		}
	}
}
