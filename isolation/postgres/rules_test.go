package postgres

import (
	"testing"

	"github.com/txmc/txmc/isolation/statement/rules"
)

// Claims about PostgreSQL. Sources are sections of its documentation, or functions of it.
type rule rules.Rule

var claims = []rule{
	{"SAVEPOINT takes no snapshot", "13.2.2", "rr", []string{"save; get 1", "upd 1 +1"}, "01100", "0:S 1:1 1:C 0:1=11 0:C"},
	{"a transaction at REPEATABLE READ has the snapshot of its first statement", "13.2.2", "rr",
		[]string{"get 2; get 1", "upd 1 +1"}, "01100", "0:2=20 1:1 1:C 0:1=10 0:C"},
	{"a statement at READ COMMITTED has a snapshot of its own", "13.2.1", "rc",
		[]string{"get 1; get 1", "upd 1 +1"}, "01100", "0:1=10 1:1 1:C 0:1=11 0:C"},
	{"an updated row moves to the end of a sequential scan", "heap_update", "rc", []string{"upd 1 +1; scan"}, "000", "0:1 0:2=20,1=11 0:C"},
	{"an update waits, and computes from the newest version", "13.2.1", "rc",
		[]string{"upd 1 +1", "upd 1 +2; get 1"}, "01011", "0:1 - 0:C,1:1 1:1=13 1:C"},
	{"a row that no longer matches after the wait stays locked", "EvalPlanQual", "rc",
		[]string{"upd 2 -5", "updfrom 20 +1", "get 2 update nowait"}, "01021", "0:1 - 0:C,1:0 2:!55P03 1:C"},
	{"rows that match only after the statement began are not seen", "13.2.1", "rc",
		[]string{"upd all +10", "delfrom 20; scan"}, "01011", "0:2 - 0:C,1:1 1:1=20 1:C"},
	{"a row that was updated since the snapshot is an error", "13.2.2", "rr",
		[]string{"upd 1 +1", "get 2; upd 1 +2"}, "1001", "1:2=20 0:1 0:C 1:!40001"},
	{"a row that was only locked since the snapshot is none", "13.2.2", "rr",
		[]string{"get 1 update", "get 2; upd 1 +2"}, "10101", "1:2=20 0:1=10 - 0:C,1:1 1:C"},
	{"an update that was rolled back is none", "13.2.2", "rr",
		[]string{"upd 1 +1; abort", "get 2; upd 1 +2"}, "10101", "1:2=20 0:1 - 0:R,1:1 1:C"},

	{"FOR SHARE overtakes a waiting UPDATE", "README.tuplock", "rc",
		[]string{"get 1 share", "upd 1 +1", "get 1 share"}, "012021", "0:1=10 - 2:1=10 0:C 2:C,1:1 1:C"},
	{"FOR KEY SHARE does not wait for an update that leaves keys alone", "13.3.2", "rc",
		[]string{"upd 1 +1", "get 1 keyshare"}, "0101", "0:1 1:1=10 0:C 1:C"},
	{"and such an update is no error for it", "13.3.2", "rr",
		[]string{"upd 1 +1", "get 2; get 1 keyshare"}, "10011", "1:2=20 0:1 0:C 1:1=10 1:C"},
	{"FOR KEY SHARE waits for an update of a unique column", "13.3.2", "rc",
		[]string{"u 1 8", "get 1 keyshare"}, "0101", "0:1 - 0:C,1:1=10 1:C"},
	{"an update of a unique column to the same value changes no key", "heap_update", "rc",
		[]string{"u 1 0", "get 1 keyshare"}, "0101", "0:1 1:1=10 0:C 1:C"},
	{"an update under one's own FOR UPDATE counts as a key update", "compute_new_xmax_infomask", "rc",
		[]string{"get 1 update; upd 1 +1", "get 1 keyshare"}, "00101", "0:1=10 0:1 - 0:C,1:1=11 1:C"},
	{"an update waits for all who share the row", "13.3.2", "rc",
		[]string{"get 1 share", "get 1 share", "upd 1 +1"}, "012012", "0:1=10 1:1=10 - 0:C 1:C,2:1 2:C"},
	{"who shares the row does not queue behind those who wait for him", "heap_lock_tuple", "rc",
		[]string{"get 1 share; get 1 update", "get 1 share", "get 1 update"}, "0120102", "0:1=10 1:1=10 - - 1:C,0:1=10 0:C,2:1=10 2:C"},
	{"and neither does his update", "heap_update", "rc",
		[]string{"get 1 share; upd 1 +1", "get 1 share", "upd 1 +1"}, "0120102", "0:1=10 1:1=10 - - 1:C,0:1 0:C,2:1 2:C"},
	{"NOWAIT fails where it would wait", "SELECT", "rc", []string{"upd 1 +1", "get 1 update nowait"}, "010", "0:1 1:!55P03 0:C"},
	{"SKIP LOCKED leaves locked rows out", "SELECT", "rc", []string{"upd 1 +1", "scan all update skip"}, "0101", "0:1 1:2=20 0:C 1:C"},
	{"locks of a savepoint go when it is rolled back", "13.3.2", "rc",
		[]string{"save; upd 1 +1; back; get 2", "upd 1 +5"}, "0010001", "0:S 0:1 - 0:R,1:1 0:2=20 0:C 1:C"},

	{"an insert waits for another one with the same key", "_bt_check_unique", "rc",
		[]string{"ins 3 5", "ins 3 6"}, "010", "0:1 - 0:C,1:!23505"},
	{"and goes on when that one is rolled back", "_bt_check_unique", "rc",
		[]string{"ins 3 5; abort", "ins 3 6"}, "0101", "0:1 - 0:R,1:1 1:C"},
	{"it waits for one who only updates the row with the key", "_bt_check_unique", "rc",
		[]string{"upd 1 +1", "ins 1 6"}, "010", "0:1 - 0:C,1:!23505"},
	{"while it waits in one index, its key in an earlier one is taken", "ExecInsertIndexTuples", "rc",
		[]string{"ins 3 5 7", "ins 4 5 7", "ins 4 5 8"}, "0120", "0:1 - - 0:C,1:!23505,2:1"},
	{"a row that the snapshot does not have is a duplicate", "_bt_check_unique", "rr",
		[]string{"ins 3 5", "get 1; ins 3 6"}, "1001", "1:1=10 0:1 0:C 1:!23505"},
	{"a serialization failure comes before a duplicate", "_bt_check_unique", "ser",
		[]string{"count all; ins 3 5", "get 3; ins 3 6"}, "01001", "0:n2/30 1:- 0:1 0:C 1:!40001"},
	{"ON CONFLICT DO UPDATE changes a row that the snapshot does not have", "13.2.1", "rc",
		[]string{"ins 3 5", "ins 3 7 0 update; get 3"}, "01011", "0:1 - 0:C,1:1 1:3=12 1:C"},
	{"at REPEATABLE READ such a row is an error", "ExecOnConflictUpdate", "rr",
		[]string{"ins 3 5", "get 1; ins 3 7 0 update"}, "1010", "1:1=10 0:1 - 0:C,1:!40001"},
	{"ON CONFLICT DO NOTHING leaves it alone", "13.2.1", "rc",
		[]string{"ins 3 5", "ins 3 7 0 nothing"}, "0101", "0:1 - 0:C,1:0 1:C"},
	{"an index that does not arbitrate raises duplicates", "INSERT", "rc",
		[]string{"ins 3 5 7", "ins 4 5 7 nothing-id"}, "0100", "0:1 - 0:C,1:!23505"},

	{"a child locks its parent", "RI_FKey_check_ins", "rc", []string{"child 1 1", "del 1"}, "010", "0:1 - 0:C,1:!23503"},
	{"against deletion, not against an update", "RI_FKey_check_ins", "rc", []string{"child 1 1", "upd 1 +1"}, "0101", "0:1 1:1 0:C 1:C"},
	{"a child waits for the deletion of its parent", "RI_FKey_check_ins", "rc", []string{"del 1", "child 1 1"}, "010", "0:1 - 0:C,1:!23503"},
	{"a child that goes to another parent locks that one", "RI_FKey_check_upd", "rc",
		[]string{"child 1 1; updchild 1 2", "del 2"}, "00101", "0:1 0:1 - 0:C,1:!23503"},
	{"a child that was refers to nobody any more", "RI_FKey_noaction_del", "rc",
		[]string{"child 1 1", "updchild 1 2", "del 1"}, "001122", "0:1 0:C 1:1 1:C 2:1 2:C"},
	{"a deletion waits for nobody who takes its child away, and fails", "RI_FKey_noaction_del", "rc",
		[]string{"child 1 1", "updchild 1 2", "del 1"}, "00121", "0:1 0:C 1:1 2:!23503 1:C"},
	{"a deletion finds children that its snapshot does not have", "RI_FKey_noaction_del", "rr",
		[]string{"child 1 1", "get 2; del 1"}, "1001", "1:2=20 0:1 0:C 1:!23503"},

	{"an error releases the locks at once", "AbortTransaction", "rc",
		[]string{"upd 1 +1; ins 2 5; goon", "upd 1 +1"}, "01001", "0:1 - 0:!23505,1:1 0:R 1:C"},
	{"after an error every statement fails, and COMMIT rolls back", "BEGIN", "rc",
		[]string{"ins 1 5; get 1; goon"}, "000", "0:!23505 0:!25P02 0:R"},
	{"ROLLBACK TO ends the error", "SAVEPOINT", "rc",
		[]string{"upd 1 +1; save; ins 1 5; back; get 1; goon"}, "000000", "0:1 0:S 0:!23505 0:R 0:1=11 0:C"},
	{"a deadlock ends with an error of a member", "13.3.4", "rc",
		[]string{"upd 1 +1; upd 2 +1", "upd 2 +1; upd 1 +1"}, "01010", "0:1 1:1 - 1:!40P01,0:1 0:C"},

	{"a reader that commits first is serializable before the writer", "README-SSI", "ser",
		[]string{"get 1; upd 2 +1", "get 2"}, "001100", "0:1=10 0:1 1:2=20 1:C 0:C"},
	{"two reads by key that find nothing, then two inserts", "README-SSI", "ser",
		[]string{"get 3; ins 4 5", "get 4; ins 3 5"}, "010101", "0:- 1:- 0:1 1:1 0:C 1:!40001"},
	{"locks on three rows of a page become one on the page", "max_pred_locks_per_page", "ser",
		[]string{"get 1; get 2; get 3; upd 1 +1", "get 1; upd 4 +1", "ins 3 5; ins 4 5"}, "22200011001",
		"2:1 2:1 2:C 0:1=10 0:2=20 0:3=5 1:1=10 1:1 0:1 0:C 1:!40001"},
	{"those on two rows do not", "max_pred_locks_per_page", "ser",
		[]string{"get 1; get 2; upd 1 +1", "get 1; upd 4 +1", "ins 3 5; ins 4 5"}, "2220011001",
		"2:1 2:1 2:C 0:1=10 0:2=20 1:1=10 1:1 0:1 0:C 1:C"},
	{"a read-only transaction is in danger if its snapshot has the first commit", "README-SSI", "ser",
		[]string{"scan; upd 1 -10", "upd 2 +5", "readonly; get 3; scan"}, "01122200", "0:1=10,2=20 1:1 1:C 2:- 2:1=10,2=25 2:C 0:!40001"},
	{"and not if its snapshot is older", "README-SSI", "ser",
		[]string{"scan; upd 1 -10", "upd 2 +5", "readonly; get 3; scan"}, "02110202", "0:1=10,2=20 2:- 1:1 1:C 0:1 2:1=10,2=20 0:C 2:C"},
	{"a READ ONLY transaction does not write", "ExecCheckXactReadOnly", "rc", []string{"readonly; get 1; upd 1 +1"}, "00", "0:1=10 0:!25006"},
	{"and locks no rows", "ExecCheckXactReadOnly", "rr", []string{"readonly; get 1 keyshare"}, "0", "0:!25006"},
	{"a DEFERRABLE transaction waits until its snapshot is safe", "GetSafeSnapshot", "ser",
		[]string{"scan; upd 1 -10", "deferrable; scan"}, "01001", "0:1=10,2=20 - 0:1 0:C,1:1=10,2=20 1:C"},
	{"and takes another one if it is not", "GetSafeSnapshot", "ser",
		[]string{"scan; upd 1 -10", "upd 2 +5", "deferrable; scan"}, "01120022", "0:1=10,2=20 1:1 1:C - 0:1 0:C,2:2=25,1=0 2:C"},
	{"it does not wait where nobody writes at SERIALIZABLE", "GetSafeSnapshot", "ser",
		[]string{"readonly; scan", "deferrable; scan"}, "0101", "0:1=10,2=20 1:1=10,2=20 0:C 1:C"},
	{"who commits without a write counts as read-only", "README-SSI", "ser",
		[]string{"scan; upd 1 -10", "upd 2 +5", "get 3; scan"}, "02112200", "0:1=10,2=20 2:- 1:1 1:C 2:1=10,2=20 2:C 0:1 0:C"},
	{"who reads around a pivot that has committed fails", "README-SSI", "ser",
		[]string{"get 1; upd 2 +1", "upd 1 +1", "get 3; get 2"}, "0211002", "0:1=10 2:- 1:1 1:C 0:1 0:C 2:!40001"},
	{"a transaction that rolls back conflicts with nobody", "README-SSI", "ser",
		[]string{"get 1; upd 2 +1; abort", "get 2; upd 1 +1"}, "010101", "0:1=10 1:2=20 0:1 1:1 0:R 1:C"},
}

// TestRules checks each claim.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, r := range claims {
		rules.Check(t, rules.Rule(r), func(t *testing.T, level string, sessions []string, schedule string) string {
			return trace(t, sessionsOf(t, level, sessions...), schedule)
		})
	}
}
