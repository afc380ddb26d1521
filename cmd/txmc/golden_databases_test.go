package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// onDatabases says at which of PostgreSQL's levels, pg-rc, pg-rr and pg-ser, each
// program of testdata/databases breaks. It is written by hand from PostgreSQL's
// documentation, and not taken from the command.
var onDatabases = map[string]string{
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
}

var verdictLine = regexp.MustCompile(`(?m)^(ok|FAIL) +(Explore\w+) +iso=(pg-\w+)`)

// TestDatabases runs the command on the programs whose rightness depends on what a
// database does.
func TestDatabases(t *testing.T) {
	t.Parallel()
	cmd := build(t)
	out, status := cmd.run(t, "explore", "--iso=pg-rc,pg-rr,pg-ser", "--save=none", "--vet=off", "./testdata/databases")
	if status != 1 {
		t.Errorf("status %d", status)
	}
	got := map[string][]string{}
	for _, m := range verdictLine.FindAllStringSubmatch(out, -1) {
		got[m[2]] = append(got[m[2]], m[1])
	}
	for name, want := range onDatabases {
		if list := strings.Join(got[name], " "); list != want {
			t.Errorf("%s: at pg-rc, pg-rr, pg-ser %s; want %s", name, list, want)
		}
	}
	if len(got) != len(onDatabases) {
		t.Errorf("%d programs, want %d", len(got), len(onDatabases))
	}
	out = regexp.MustCompile(`\d+\.\d\ds\n`).ReplaceAllString(out, "0.00s\n")
	golden := filepath.Join(root, "testdata", "databases", "explore.golden")
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
