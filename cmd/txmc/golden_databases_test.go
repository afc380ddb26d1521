package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// onPostgres says at which of PostgreSQL's levels, pg-rc, pg-rr and pg-ser, each program
// of testdata/databases breaks. It is written by hand from PostgreSQL's documentation, and
// not taken from the command.
var onPostgres = map[string]string{
	"ExploreDepositInGo":         "FAIL ok ok", // lost update; 40001
	"ExploreDepositByUpdate":     "ok ok ok",
	"ExploreWithdrawUnchecked":   "FAIL ok ok",
	"ExploreWithdrawChecked":     "ok ok ok",
	"ExploreOnCall":              "FAIL FAIL ok", // write skew
	"ExploreCounterWithoutRetry": "ok FAIL FAIL", // 40001 is not expected
	"ExploreCounterWithRetry":    "ok ok ok",
	"ExploreTransfers":           "FAIL FAIL FAIL", // a deadlock is not expected
	"ExploreTransfersWithRetry":  "ok ok ok",
	"ExploreMailBeforeCommit":    "ok ok FAIL", // a commit fails
	"ExploreMailAfterCommit":     "ok ok ok",

	"ExploreRefreshUnchecked":     "FAIL ok ok",
	"ExploreRefreshChecked":       "ok ok ok",
	"ExploreDeliverByGet":         "FAIL FAIL FAIL", // sent before 40001
	"ExploreDeliverForUpdate":     "ok ok ok",
	"ExploreDepositCommitDropped": "ok FAIL FAIL", // 40001
	"ExploreDepositCommitChecked": "ok ok ok",
	"ExploreHitsInGo":             "FAIL FAIL ok", // 23505; who has looked first gets 40001 at SERIALIZABLE (13.2.3)
	"ExploreHitsOnConflict":       "ok ok ok",
}

// onInnoDB says the same of testdata/databases/mysql, at innodb-rc, innodb-rr, innodb-rr-si
// and innodb-ser, and then at PostgreSQL's levels. It is written by hand from both manuals.
var onInnoDB = map[string]string{
	"ExploreDeposit":        "FAIL FAIL ok ok FAIL ok ok", // lost update; 1020, deadlock; 40001
	"ExploreDepositLocked":  "ok ok ok ok ok ok ok",
	"ExploreOnCall":         "FAIL FAIL FAIL ok FAIL FAIL ok", // write skew; deadlock; 40001
	"ExploreSignup":         "ok FAIL FAIL FAIL ok ok FAIL",   // gap locks; inserts on one page of an index are read there
	"ExploreSignupByInsert": "ok ok ok ok ok ok ok",
	"ExploreClaim":          "FAIL FAIL FAIL FAIL ok ok ok", // 1062 undoes the statement alone
	"ExploreQueue":          "ok ok ok ok ok ok ok",
	"ExploreQueueUnlocked":  "FAIL FAIL ok ok FAIL ok ok",
	"ExploreNoWait":         "FAIL FAIL FAIL FAIL ok ok ok", // 1205 undoes the statement alone
}

// ofKernels says of testdata/databases/postgres, whose transactions ask for their levels, which
// programs break.
var ofKernels = map[string]string{
	"ExploreMoves":              "FAIL", // a deadlock is not expected
	"ExploreMovesRetried":       "ok",
	"ExploreOnCall":             "FAIL", // write skew at REPEATABLE READ
	"ExploreOnCallSerializable": "ok",   // 40001, and again
	"ExploreMailBeforeCommit":   "FAIL", // a commit fails
	"ExploreMailAfterCommit":    "ok",
	"ExploreHits":               "FAIL", // 23505
	"ExploreHitsUpsert":         "ok",
	"ExploreJobs":               "FAIL", // one job is taken twice
	"ExploreJobsSkipLocked":     "ok",
	"ExploreJoin":               "ok", // 23505 of an index on an expression is expected
	"ExploreAdvisory":           "ok",
	"ExploreAdvisoryForgotten":  "FAIL",
	"ExploreReminders":          "FAIL", // a lock is tried after the snapshot
	"ExploreRemindersAgain":     "ok",
	"ExploreTotal":              "FAIL", // each query of a function has a snapshot
	"ExploreTotalAtOnce":        "ok",
	"ExploreRaises":             "FAIL", // a deadlock of two single statements
	"ExploreRaisesInOrder":      "ok",
}

// ofApplications says of the examples in SQL which programs break on PostgreSQL where the
// code asks for no level, at READ COMMITTED. It is written by hand from the documentation.
var ofApplications = map[string]map[string]string{
	"sqlcoupon":    {"ExploreRedeem": "FAIL", "ExploreRedeemLocked": "ok", "ExploreRedeemCounted": "ok"}, // FOR UPDATE, and then a new snapshot
	"sqlorder":     {"ExploreOrder": "FAIL", "ExploreOrderGuarded": "ok"},                                // the UPDATE looks again
	"sqlpayment":   {"ExplorePay": "FAIL", "ExplorePayOnce": "ok"},
	"sqlpool":      {"ExploreVotes": "FAIL"}, // a batch is a transaction: neither counts the other's vote
	"sqlqueue":     {"ExploreTake": "FAIL", "ExploreTakeLocked": "ok"},
	"sqlseats":     {"ExploreReserve": "FAIL", "ExploreReserveLocked": "ok"},
	"sqltransfers": {"ExploreTransfer": "FAIL", "ExploreAdd": "ok"}, // computed in Go; balance = balance - x
	"sqlusername":  {"ExploreChecked": "FAIL", "ExploreUnique": "ok"},
}

var verdictLine = regexp.MustCompile(`(?m)^(ok|FAIL) +(Explore\w+) +iso=((?:pg|innodb)-[\w-]+)`)

// TestDatabases runs the command on the programs whose rightness depends on what a
// database does.
func TestDatabases(t *testing.T) {
	t.Parallel()
	cmd := build(t)
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		onDatabase(t, cmd, "testdata/databases", "pg-rc,pg-rr,pg-ser", onPostgres)
	})
	t.Run("mysql", func(t *testing.T) {
		t.Parallel()
		onDatabase(t, cmd, "testdata/databases/mysql", "innodb-rc,innodb-rr,innodb-rr-si,innodb-ser,pg-rc,pg-rr,pg-ser", onInnoDB)
	})
	t.Run("sql", func(t *testing.T) {
		t.Parallel()
		if !inFull() {
			t.Skip("with -full the kernels in SQL are explored")
		}
		onDatabase(t, cmd, "testdata/databases/postgres", "", ofKernels)
	})
	for pkg, want := range ofApplications {
		t.Run(pkg, func(t *testing.T) {
			t.Parallel()
			if !inFull() && pkg != "sqlqueue" {
				t.Skip("with -full every example in SQL is explored")
			}
			verdictsOn(t, cmd, "testdata/"+pkg, "", want)
		})
	}
}

// verdictsOn explores at levels, "" for the default, and compares the verdicts.
func verdictsOn(t *testing.T, cmd command, dir, levels string, verdicts map[string]string) (out string) {
	args := []string{"explore", "--save=none", "--vet=off", "./" + dir}
	if levels != "" {
		args = append(args, "--iso="+levels)
	}
	out, status := cmd.run(t, args...)
	if breaks := strings.Contains(fmt.Sprint(verdicts), "FAIL"); (status == 1) != breaks {
		t.Errorf("status %d", status)
	}
	got := map[string][]string{}
	for _, m := range verdictLine.FindAllStringSubmatch(out, -1) {
		got[m[2]] = append(got[m[2]], m[1])
	}
	for name, want := range verdicts {
		if list := strings.Join(got[name], " "); list != want {
			t.Errorf("%s: at %s %s; want %s", name, levels, list, want)
		}
	}
	if len(got) != len(verdicts) {
		t.Errorf("%d programs, want %d", len(got), len(verdicts))
	}
	return out
}

func onDatabase(t *testing.T, cmd command, dir, levels string, verdicts map[string]string) {
	compareGolden(t, filepath.Join(root, dir, "explore.golden"), verdictsOn(t, cmd, dir, levels, verdicts))
}

// TestDatabaseLevels runs the table of what holds at PostgreSQL's levels, and what that
// costs.
func TestDatabaseLevels(t *testing.T) {
	t.Parallel()
	cmd := build(t)
	out, status := cmd.run(t, "levels", "--db=postgres", "./testdata/databases")
	if status != 0 {
		t.Errorf("status %d", status)
	}
	compareGolden(t, filepath.Join(root, "testdata", "databases", "levels.golden"), out)
}

// TestAdvise runs the search for the weakest levels: axiomatic ones, and PostgreSQL's of
// programs in Go and in SQL, these with -full.
func TestAdvise(t *testing.T) {
	t.Parallel()
	cmd := build(t)
	for dir, args := range map[string][]string{"writeskew": nil, "databases": {"--db=postgres", "--run=Withdraw|OnCall|Transfers"}, "databases/postgres": {"--run=OnCall|Mail"}} {
		if args != nil && !inFull() && !*update {
			continue
		}
		out, status := cmd.run(t, append([]string{"advise", "./testdata/" + dir}, args...)...)
		if want := strings.Count(out, "no levels make everything hold"); status != min(want, 1) {
			t.Errorf("%s: status %d", dir, status)
		}
		compareGolden(t, filepath.Join(root, "testdata", dir, "advise.golden"), out)
	}
}

// compareGolden compares a report with a file, but for its times.
func compareGolden(t *testing.T, golden, out string) {
	t.Helper()
	out = regexp.MustCompile(`\d+\.\d\ds\n`).ReplaceAllString(out, "0.00s\n")
	if *update {
		if err := os.WriteFile(golden, []byte(out), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out); diff != "" {
		t.Errorf("%s: -want +got\n%s", golden, diff)
	}
}
