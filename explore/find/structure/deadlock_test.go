package structure

import (
	"testing"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/pg"
)

// Which transactions may wait for each other, on PostgreSQL and, as far as locks of gaps and two modes go, on InnoDB.
func TestDeadlocks(t *testing.T) {
	t.Parallel()
	a, err := access.New(t.Context(), pg.Schema(schema+"CREATE TABLE child (id int PRIMARY KEY, acct int REFERENCES acct);"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	const from, to = "UPDATE acct SET bal = bal - :q WHERE id = :p", "UPDATE acct SET bal = bal + :q WHERE id = :r"
	const x, y, locked = "UPDATE x SET v = 1 WHERE id = :p", "UPDATE y SET v = 1 WHERE id = :p", "SELECT bal FROM acct WHERE id = :p FOR UPDATE"
	for _, test := range []struct {
		name       string
		txns       [][]string
		loop       bool
		pg, innodb bool
	}{
		{"transfer", [][]string{{from, to}}, false, true, true},
		{"one row", [][]string{{from}}, false, false, false},
		{"one row in a loop", [][]string{{from}}, true, true, true},
		{"one row twice", [][]string{{from, "UPDATE acct SET bal = 0 WHERE id = :p"}}, false, false, true}, // a gap, where there is none
		{"locked and changed", [][]string{{locked, from}}, false, false, true},
		{"one order", [][]string{{x, y}}, false, false, false},
		{"two orders", [][]string{{x, y}, {y, x}}, false, true, true},
		{"constants in one order", [][]string{{"UPDATE x SET v = 1 WHERE id = 1", "UPDATE x SET v = 1 WHERE id = 2"}}, false, false, false},
		{"two modes", [][]string{{"SELECT bal FROM acct WHERE id = :p FOR SHARE", from}}, false, true, true},
		{"reads", [][]string{{"SELECT v FROM x WHERE id = :p", "SELECT v FROM y WHERE id = :q"}}, false, false, false},
		{"a child and its parent", [][]string{{"INSERT INTO child VALUES (:q, :p)", "UPDATE acct SET bal = 1 WHERE id = :p"}}, false, false, true},
		{"two keys", [][]string{{"INSERT INTO x VALUES (:p, 1)", "INSERT INTO x VALUES (:q, 1)"}}, false, true, true},
		{"a gap", [][]string{{locked, "INSERT INTO acct VALUES (:p, 1)"}}, false, false, true},
	} {
		for innodb, want := range map[bool]bool{false: test.pg, true: test.innodb} {
			var all []*Transaction
			for _, statements := range test.txns {
				tx := transaction(t, a, test.name, statements...)
				tx.InnoDB = innodb
				for _, s := range tx.Steps {
					s.Loop = test.loop
				}
				all = append(all, tx)
			}
			level := map[bool]Level{false: ReadCommitted, true: Gaps}[innodb]
			list := Deadlocks(all, level)
			if (len(list) > 0) != want {
				t.Errorf("%s, InnoDB %v: %d deadlocks", test.name, innodb, len(list))
			}
			for _, s := range list {
				if !s.Deadlock || len(s.Nodes) != 2 || len(s.Dependencies) != 2 || s.Nodes[0].Out != s.Dependencies[0].From || s.Nodes[1].In != s.Dependencies[0].To {
					t.Errorf("%s: %+v", test.name, s)
				}
			}
		}
	}
}
