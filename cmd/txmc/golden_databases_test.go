package main_test

import (
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
}

func onDatabase(t *testing.T, cmd command, dir, levels string, verdicts map[string]string) {
	out, status := cmd.run(t, "explore", "--iso="+levels, "--save=none", "--vet=off", "./"+dir)
	if status != 1 {
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
	out = regexp.MustCompile(`\d+\.\d\ds\n`).ReplaceAllString(out, "0.00s\n")
	golden := filepath.Join(root, dir, "explore.golden")
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
