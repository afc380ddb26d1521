package structure

import (
	"context"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/pg"
)

const schema = `
CREATE TABLE acct (id int PRIMARY KEY, bal int NOT NULL);
CREATE TABLE entry (id int, line int, what int, PRIMARY KEY (id, line));
CREATE TABLE x (id int PRIMARY KEY, v int); CREATE TABLE y (id int PRIMARY KEY, v int); CREATE TABLE z (id int PRIMARY KEY, v int);`

// transaction is one with these statements. Parameters are named: :p is the parameter p.
func transaction(t *testing.T, a *access.Analyser, name string, statements ...string) *Transaction {
	t.Helper()
	tx := &Transaction{Transaction: &source.Transaction{Call: &source.Call{Name: name}, Name: name}}
	for _, sql := range statements {
		s := &source.Statement{Transaction: tx.Transaction, Number: len(tx.Steps)}
		for _, p := range []string{"p", "q", "r"} {
			if strings.Contains(sql, ":"+p) {
				s.Args = append(s.Args, &source.Value{Op: source.Param, Path: p})
				sql = strings.ReplaceAll(sql, ":"+p, "$"+string(rune('0'+len(s.Args))))
			}
		}
		effect, err := a.Analyse(t.Context(), sql)
		if err != nil {
			t.Fatal(sql, err)
		}
		tx.Steps = append(tx.Steps, &Step{Statement: s, Effect: effect, Of: tx})
	}
	return tx
}

// Which transactions have cycles with themselves and with each other, at each level: the
// examples of the literature.
func TestFind(t *testing.T) {
	t.Parallel()
	a, err := access.New(t.Context(), pg.Schema(schema))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	const read, write, add = "SELECT bal FROM acct WHERE id = :p", "UPDATE acct SET bal = :q WHERE id = :p", "UPDATE acct SET bal = bal + :q WHERE id = :p"
	for _, test := range []struct {
		name   string
		txns   [][]string
		rc, si bool
	}{
		{"lost update", [][]string{{read, write}}, true, false},
		{"locked read", [][]string{{read + " FOR UPDATE", write}}, false, false},
		{"atomic update", [][]string{{add}}, false, false},
		{"locked before", [][]string{{"SELECT 1 FROM acct WHERE id = :p FOR UPDATE", read, write}}, false, false},
		{"another row is locked", [][]string{{"SELECT 1 FROM acct WHERE id = :r FOR UPDATE", read, write}}, true, false},
		{"write skew", [][]string{{read, "UPDATE acct SET bal = :q WHERE id = :r"}}, true, true},
		{"write skew of constants", [][]string{
			{"SELECT bal FROM acct WHERE id = 1", "UPDATE acct SET bal = 0 WHERE id = 2"}, {"SELECT bal FROM acct WHERE id = 2", "UPDATE acct SET bal = 0 WHERE id = 1"},
		}, true, true},
		{"other constants", [][]string{
			{"SELECT bal FROM acct WHERE id = 1", "UPDATE acct SET bal = 0 WHERE id = 2"}, {"SELECT bal FROM acct WHERE id = 3", "UPDATE acct SET bal = 0 WHERE id = 4"},
		}, false, false},
		{"fractured read", [][]string{{read, "SELECT bal FROM acct WHERE id = :q"}, {"UPDATE acct SET bal = 0 WHERE id = :p", "UPDATE acct SET bal = 0 WHERE id = :q"}}, true, false},
		{"one read of both", [][]string{{"SELECT bal FROM acct"}, {"UPDATE acct SET bal = 0 WHERE id = :p", "UPDATE acct SET bal = 0 WHERE id = :q"}}, false, false},
		{"phantom", [][]string{{"SELECT what FROM entry WHERE id = :p FOR UPDATE", "INSERT INTO entry VALUES (:p, :q, 0)"}}, true, true},
		{"other columns", [][]string{{"SELECT line FROM entry WHERE id = :p", "UPDATE entry SET what = 0 WHERE id = :p"}}, false, false},
		{"three transactions", [][]string{
			{"SELECT v FROM x", "UPDATE y SET v = 1"}, {"SELECT v FROM y", "UPDATE z SET v = 1"}, {"SELECT v FROM z", "UPDATE x SET v = 1"},
		}, false, false}, // it has six statements
	} {
		var all []*Transaction
		for _, statements := range test.txns {
			all = append(all, transaction(t, a, test.name, statements...))
		}
		for _, l := range []struct {
			level Level
			want  bool
		}{{ReadCommitted, test.rc}, {Snapshot, test.si}, {Serializable, false}} {
			list, complete := Find(t.Context(), t.Context(), all, l.level, 4, false)
			if got := len(list) > 0; got != l.want || !complete {
				t.Errorf("%s at %d: %d structures", test.name, l.level, len(list))
			}
			for _, s := range list {
				if s.Length() > 4 || !l.level.Allows(s) {
					t.Errorf("%s: a structure of %d statements", test.name, s.Length())
				}
			}
		}
	}
}

// REPEATABLE READ of InnoDB loses updates, as UPDATEs see the newest version. Locks hold off
// rows that were not there, but for a read that is older than they are.
func TestInnoDB(t *testing.T) {
	t.Parallel()
	a, err := access.New(t.Context(), pg.Schema(schema))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	const read, write, lock = "SELECT bal FROM acct WHERE id = :p", "UPDATE acct SET bal = :q WHERE id = :p", "SELECT 1 FROM acct WHERE id = :p FOR UPDATE"
	writes := []string{"UPDATE acct SET bal = 0 WHERE id = :p", "UPDATE acct SET bal = 0 WHERE id = :q"}
	for _, test := range []struct {
		name   string
		txns   [][]string
		rc, rr bool
	}{
		{"lost update", [][]string{{read, write}}, true, true},
		{"locked read", [][]string{{read + " FOR UPDATE", write}}, false, false},
		{"locked before", [][]string{{lock, read, write}}, false, false},
		{"locked too late", [][]string{{"SELECT v FROM x", lock, read, write}}, false, true},
		{"write skew", [][]string{{read, "UPDATE acct SET bal = :q WHERE id = :r"}}, true, true},
		{"fractured read", [][]string{{read, "SELECT bal FROM acct WHERE id = :q"}, writes}, true, false},
		{"a read behind a locked one", [][]string{{read, "SELECT bal FROM acct WHERE id = :q FOR UPDATE"}, writes}, true, true},
		{"a snapshot before", [][]string{{"SELECT v FROM x", "SELECT bal FROM acct WHERE id = :p FOR UPDATE", "SELECT bal FROM acct WHERE id = :q"}, writes}, false, true},
		{"phantom", [][]string{{"SELECT what FROM entry WHERE id = :p", "INSERT INTO entry VALUES (:p, :q, 0)"}}, true, true},
		{"locked phantom", [][]string{{"SELECT what FROM entry WHERE id = :p FOR UPDATE", "INSERT INTO entry VALUES (:p, :q, 0)"}}, true, false},
	} {
		var all []*Transaction
		for _, statements := range test.txns {
			tx := transaction(t, a, test.name, statements...)
			tx.InnoDB = true
			all = append(all, tx)
		}
		for level, want := range map[Level]bool{ReadCommitted: test.rc, Gaps: test.rr, Serializable: false} {
			if list, _ := Find(t.Context(), t.Context(), all, level, 4, false); len(list) > 0 != want {
				t.Errorf("%s at %d: %d structures", test.name, level, len(list))
			}
		}
		for _, tx := range all {
			tx.Level = "rr"
		}
		if list, _ := Find(t.Context(), t.Context(), all, ReadCommitted, 4, false); len(list) > 0 != test.rr {
			t.Errorf("%s: %d structures of transactions that ask for repeatable read", test.name, len(list))
		}
	}
}

// Longer cycles are found when they are asked for, each once.
func TestLength(t *testing.T) {
	t.Parallel()
	a, err := access.New(t.Context(), pg.Schema(schema))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	all := []*Transaction{
		transaction(t, a, "a", "SELECT v FROM x WHERE id = 1", "UPDATE y SET v = 1 WHERE id = 1"),
		transaction(t, a, "b", "SELECT v FROM y WHERE id = 1", "UPDATE z SET v = 1 WHERE id = 1"),
		transaction(t, a, "c", "SELECT v FROM z WHERE id = 1", "UPDATE x SET v = 1 WHERE id = 1"),
	}
	for length, want := range map[int]int{4: 0, 5: 0, 6: 1} {
		if list, _ := Find(t.Context(), t.Context(), all, Snapshot, length, false); len(list) != want {
			t.Errorf("length %d: %d structures", length, len(list))
		}
	}
	all[0].Level, all[1].Level, all[2].Level = "ser", "ser", "ser"
	if list, _ := Find(t.Context(), t.Context(), all, ReadCommitted, 6, false); len(list) != 0 {
		t.Errorf("%d structures of serializable transactions", len(list))
	}
}

// A call of several transactions has cycles that no level forbids: such a cycle leaves the call
// by an earlier transaction than it enters it. A cycle that passes the call the other way is
// forbidden as others are.
func TestSplit(t *testing.T) {
	t.Parallel()
	a, err := access.New(t.Context(), pg.Schema(schema))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	const read, write, lock = "SELECT bal FROM acct WHERE id = :p", "UPDATE acct SET bal = :q WHERE id = :p", "SELECT bal FROM acct WHERE id = :p FOR UPDATE"
	for _, test := range []struct {
		name        string
		calls       [][][]string // transactions of calls
		rc, si, ser bool
	}{
		{"look and write", [][][]string{{{read}, {write}}}, true, true, true},
		{"look with a lock, and write", [][][]string{{{lock}, {write}}}, true, true, true},
		{"write and look", [][][]string{{{write}, {read}}}, true, true, true}, // one finds the write of the other, of which it overwrites what it has found
		{"in one transaction", [][][]string{{{lock, write}}}, false, false, false},
		{"two writes", [][][]string{{{"UPDATE x SET v = :q WHERE id = :p"}, {"UPDATE y SET v = :q WHERE id = :p"}}, {{"SELECT v FROM x"}}}, true, true, true},
		{"a writer of one", [][][]string{{{"UPDATE x SET v = :q WHERE id = :p"}, {"SELECT v FROM y"}}, {{"UPDATE y SET v = 1"}}}, false, false, false},
		{"two looks at others", [][][]string{{{"SELECT v FROM x"}, {"SELECT v FROM y"}}, {{"UPDATE x SET v = 1"}}, {{"UPDATE y SET v = 1"}}}, false, false, false},
		{"forwards around a snapshot", [][][]string{ // it reads x before, and writes y after, what the call does in this order
			{{"UPDATE x SET v = 1"}, {"SELECT v FROM y"}}, {{"SELECT v FROM x", "UPDATE y SET v = 1"}}}, true, true, true}, // or it meets what is between
	} {
		var all []*Transaction
		for i, transactions := range test.calls {
			call := &source.Call{Name: string(rune('a' + i))}
			for _, statements := range transactions {
				tx := transaction(t, a, test.name, statements...)
				tx.Call = call
				call.Transactions = append(call.Transactions, tx.Transaction)
				all = append(all, tx)
			}
		}
		counts := map[Level]int{}
		for level, want := range map[Level]bool{ReadCommitted: test.rc, Snapshot: test.si, Serializable: test.ser} {
			split := func(list []*Structure) (n int) {
				for _, s := range list {
					if s.Split() {
						n++
					}
				}
				return n
			}
			list, _ := Find(t.Context(), t.Context(), all, level, 4, true)
			if counts[level] = split(list); (counts[level] > 0) != want {
				t.Errorf("%s at %d: %d structures", test.name, level, counts[level])
			}
			plain, _ := Find(t.Context(), t.Context(), all, level, 4, false)
			if n := split(plain); n > 0 || len(list)-split(list) != len(plain) {
				t.Errorf("%s at %d: %d structures of transactions, %d of them of calls", test.name, level, len(plain), n)
			}
		}
		if strings.HasPrefix(test.name, "forwards") && counts[Snapshot] <= counts[Serializable] {
			t.Errorf("%s: %v structures", test.name, counts)
		}
	}
}

// Cycles of two are known when there is no time for longer ones.
func TestLongLast(t *testing.T) {
	t.Parallel()
	a, err := access.New(t.Context(), pg.Schema("CREATE TABLE x (id int PRIMARY KEY, v int)"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	all := []*Transaction{transaction(t, a, "add", "SELECT v FROM x WHERE id = :p", "UPDATE x SET v = 0 WHERE id = :p")}
	long, over := context.WithCancel(t.Context())
	over()
	if list, complete := Find(t.Context(), long, all, ReadCommitted, 4, false); len(list) == 0 || complete {
		t.Errorf("%d structures, complete %v", len(list), complete)
	}
}
