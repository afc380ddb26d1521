package innodb

import (
	"testing"

	"github.com/txmc/txmc/isolation/statement/rules"
)

// Claims about InnoDB. Sources are sections of the MySQL manual, or functions of InnoDB.
type rule rules.Rule

var claims = []rule{
	{"the first plain SELECT makes the read view, not BEGIN and not a locking read", "Consistent Nonlocking Reads", "rr",
		[]string{"get 2 update; get 1; get 1", "upd 1 +1", "upd 1 +1"}, "0110220", "0:2=20 1:1 1:C 0:1=11 2:1 2:C 0:1=11"},
	{"a statement at READ COMMITTED has a read view of its own", "Consistent Nonlocking Reads", "rc",
		[]string{"get 1; get 1", "upd 1 +1"}, "0110", "0:1=10 1:1 1:C 0:1=11"},
	{"a locking read sees the newest version", "Locking Reads", "rr",
		[]string{"get 1; get 1 update; get 1", "upd 1 +1"}, "01100", "0:1=10 1:1 1:C 0:1=11 0:1=10"},
	{"an update makes what it wrote visible, and so others' changes below it", "Consistent Nonlocking Reads", "rr",
		[]string{"get 1; upd 1 +5; get 1", "upd 1 +1"}, "01100", "0:1=10 1:1 1:C 0:1 0:1=16"},
	{"a plain SELECT at SERIALIZABLE locks", "Transaction Isolation Levels", "ser",
		[]string{"get 1", "upd 1 +1"}, "010", "0:1=10 - 0:C,1:1"},

	{"an equality on the primary key locks the record alone", "InnoDB Locking", "rr",
		[]string{"get 2 update", "ins 3 30"}, "01", "0:2=20 1:1"},
	{"one that finds nothing locks the gap", "InnoDB Locking", "rr",
		[]string{"get 3 update", "ins 3 30"}, "010", "0:- - 0:C,1:1"},
	{"not at READ COMMITTED", "InnoDB Locking", "rc",
		[]string{"get 3 update", "ins 3 30"}, "01", "0:- 1:1"},
	{"gap locks of two transactions do not conflict, their inserts do", "InnoDB Locking", "rr",
		[]string{"get 3 update; ins 3 30", "get 3 update; ins 3 31"}, "0101", "0:- 1:- - 1:!1213,0:1"},
	{"a scan locks all records and gaps at REPEATABLE READ", "Locks Set", "rr",
		[]string{"scan 30 update", "upd 1 +1", "ins 9 9"}, "0120", "0:4=40 - - 0:C,1:1,2:1"},
	{"at READ COMMITTED it keeps the rows that match", "Transaction Isolation Levels", "rc",
		[]string{"scan 30 update", "upd 1 +1", "ins 9 9"}, "012", "0:4=40 1:1 2:1"},
	{"a row that it had to wait for stays locked", "row_unlock_for_mysql", "rc",
		[]string{"upd 1 +1", "scan 30 update", "get 1 update nowait"}, "0102", "0:1 - 0:C,1:4=40 2:!1205"},
	{"a range of a secondary index locks its end too", "Locks Set", "rr",
		[]string{"range v 5 15 update", "upd 2 +1", "ins 9 25"}, "0120", "0:1=10 - 2:1 0:C,1:1"},
	{"at READ COMMITTED the row behind the range stays locked", "row_unlock_for_mysql", "rc",
		[]string{"range v 5 15 update", "upd 2 +1"}, "010", "0:1=10 - 0:C,1:1"},
	{"in the primary key it does not", "row_unlock_for_mysql", "rc",
		[]string{"range id 0 1 update", "upd 2 +1"}, "01", "0:1=10 1:1"},
	{"READ COMMITTED passes a committed deletion without a lock", "row_search_mvcc", "rc",
		[]string{"del 2", "scan all update", "ins 2 5"}, "00122", "0:1 0:C 1:1=10,4=40 2:1 2:C"},

	{"an UPDATE at READ COMMITTED does not wait for a row whose last committed version does not match", "Transaction Isolation Levels", "rc",
		[]string{"upd 1 +50", "updfrom 30 +1"}, "01", "0:1 1:1"},
	{"it waits for one that matches, and judges again", "Transaction Isolation Levels", "rc",
		[]string{"upd 4 -30", "updfrom 30 +1"}, "010", "0:1 - 0:C,1:0"},
	{"DELETE waits for every row", "Transaction Isolation Levels", "rc",
		[]string{"upd 1 +50", "delfrom 30"}, "010", "0:1 - 0:C,1:2"},

	{"an insert waits for another one with the same key", "Locks Set", "rc",
		[]string{"ins 3 30", "ins 3 31"}, "010", "0:1 - 0:C,1:!1062"},
	{"and goes on when that one is rolled back", "Locks Set", "rc",
		[]string{"ins 3 30; abort", "ins 3 31"}, "010", "0:1 - 0:R,1:1"},
	{"a failed insert keeps a shared lock on the duplicate", "Locks Set", "rc",
		[]string{"goon; ins 1 5", "upd 1 +1", "get 1 share"}, "0210", "0:!1062 2:1=10 - 0:C"},
	{"after an error the transaction goes on", "InnoDB Error Handling", "rr",
		[]string{"goon; upd 2 +1; ins 1 5; get 2", "get 2 update"}, "00100", "0:1 0:!1062 - 0:2=21 0:C,1:2=21"},
	{"a duplicate in a secondary index is locked with the gap before it, at READ COMMITTED too", "row_ins_scan_sec_index_for_duplicate", "rc",
		[]string{"goon; ins 3 30 7", "u 2 6", "u 4 8"}, "012", "0:!1062 - 2:1"},
	{"INSERT IGNORE leaves a duplicate alone", "INSERT", "rr",
		[]string{"ins 1 5 0 nothing", "upd 1 +1"}, "010", "0:0 - 0:C,1:1"},
	{"ON DUPLICATE KEY UPDATE locks the duplicate exclusively", "Locks Set", "rr",
		[]string{"ins 1 5 0 update", "get 1 share"}, "010", "0:2 - 0:C,1:1=15"},
	{"an update to the same values writes nothing", "UPDATE", "rr",
		[]string{"u 1 7", "get 1"}, "00", "0:0 0:C"},
	{"a record that is removed leaves its locks to the gap", "lock_rec_inherit_to_gap", "rr",
		[]string{"ins 3 30; abort", "get 3 update", "ins 3 31"}, "0102", "0:1 - 0:R,1:- -"},

	{"who closes the cycle is the victim if the weights are equal", "Deadlock Detection", "rc",
		[]string{"upd 1 +1; upd 2 +1", "upd 2 +1; upd 1 +1"}, "0101", "0:1 1:1 - 1:!1213,0:1"},
	{"the lighter one is, otherwise", "Deadlock Detection", "rc",
		[]string{"upd 1 +1; upd 2 +1", "upd 4 +1; upd 2 +1; upd 1 +1"}, "01101", "0:1 1:1 1:1 - 0:!1213,1:1"},
	{"a waiting exclusive lock stops shared ones behind it", "InnoDB Locking", "rc",
		[]string{"get 1 share", "upd 1 +1", "get 1 share"}, "0120", "0:1=10 - - 0:C,1:1"},
	{"NOWAIT undoes the statement, not the transaction", "Locking Reads", "rr",
		[]string{"upd 2 +1", "goon; upd 1 +1; get 2 update nowait"}, "01101", "0:1 1:1 1:!1205 0:C 1:C"},
	{"SKIP LOCKED leaves locked rows out", "Locking Reads", "rr",
		[]string{"upd 1 +1", "scan all update skip"}, "01", "0:1 1:2=20,4=40"},

	{"innodb_snapshot_isolation: a row that changed since the view ends the transaction", "innodb_snapshot_isolation", "rr-si",
		[]string{"get 2; upd 1 +1", "upd 1 +1"}, "0110", "0:2=20 1:1 1:C 0:!1020"},
	{"nothing is checked before the view is made", "innodb_snapshot_isolation", "rr-si",
		[]string{"get 2 update; upd 1 +1", "upd 1 +1"}, "0110", "0:2=20 1:1 1:C 0:1"},
	{"while the writer runs, the row is waited for", "innodb_snapshot_isolation", "rr-si",
		[]string{"get 2; upd 1 +1", "upd 1 +1"}, "0101", "0:2=20 1:1 - 1:C,0:!1020"},

	{"a child locks its parent shared", "FOREIGN KEY Constraints", "rc",
		[]string{"child 1 2", "upd 2 +1", "get 2 share"}, "02102", "0:1 2:2=20 - 0:C 2:C,1:1"},
	{"a child waits for the deletion of its parent", "FOREIGN KEY Constraints", "rc",
		[]string{"del 2", "child 1 2"}, "010", "0:1 - 0:C,1:!1452"},
	{"a parent with children is not deleted", "FOREIGN KEY Constraints", "rr",
		[]string{"child 1 2", "del 2"}, "010", "0:1 - 0:C,1:!1451"},
	{"a deletion that found no children locks the gap", "row_ins_check_foreign_constraint", "rr",
		[]string{"goon; del 2; ins 2 5", "child 1 1"}, "01", "0:1 -"},

	{"ROLLBACK TO keeps locks", "SAVEPOINT", "rr",
		[]string{"get 2; save; upd 1 +1; back", "upd 1 +5"}, "000010", "0:2=20 0:S 0:1 0:R - 0:C,1:1"},
	{"but not if no table had been used before the savepoint", "SAVEPOINT", "rr",
		[]string{"save; upd 1 +1; back", "upd 1 +5"}, "0001", "0:S 0:1 0:R 1:1"},
	{"a new primary key is a deletion and an insert", "row_upd_clust_rec_by_insert", "rr",
		[]string{"id 1 3", "get 3 share", "get 1 share"}, "0120", "0:1 - - 0:C,1:3=10,2:-"},
}

// TestRules checks each claim.
func TestRules(t *testing.T) {
	for _, r := range claims {
		rules.Check(t, rules.Rule(r), trace)
	}
}
