package main_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// bugs is where publicly reported bugs are, written anew: a directory is a program with two
// functions, ExploreBug and ExploreFix. Those that need libraries are in nested modules, whose
// tests do the same.
const bugs = "testdata/bugs"

// fewBugs are those that every run of the tests explores.
var fewBugs = []string{"subscriptions", "totals"}

// TestBugs explores the bugs, and what has mended them, and runs each violation on a server.
func TestBugs(t *testing.T) {
	t.Parallel()
	names := fewBugs
	if inFull() || *update {
		names = entries(t, filepath.Join(root, bugs))
	}
	scratchtest.Need(t, scratch.Postgres)
	args := []string{"explore", "--confirm=postgres:temp", "--save=none", "--progress=off"}
	for _, name := range names {
		args = append(args, "./"+path.Join(bugs, name))
	}
	out, _ := build(t).run(t, args...)
	reports := map[string]string{}
	starts := bugLine.FindAllStringSubmatchIndex(out, -1)
	for i, m := range starts {
		end := len(out)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		name, verdict := out[m[4]:m[5]], out[m[2]:m[3]]
		if want := map[string]string{"Bug": "FAIL", "Fix": "ok"}[out[m[6]:m[7]]]; verdict != want {
			t.Errorf("%s: %s, want %s", out[m[0]:m[1]], verdict, want)
		}
		reports[name] += out[m[0]:end]
	}
	for _, name := range names {
		checkReport(t, filepath.Join(root, bugs, name, "report.golden"), reports[name])
	}
}

var (
	bugLine    = regexp.MustCompile(`(?m)^(ok|FAIL) +\S*/bugs/(\w+)\.Explore(Bug|Fix) .*$`)
	executions = regexp.MustCompile(`in the last of \d+ executions`)
	free       = regexp.MustCompile(`(?s)  (?:not seen|confirmed) on [^\n]*\n  In step \d+ others run.*?\n\n`)
)

// checkReport compares a report with its file, or rewrites that.
func checkReport(t *testing.T, file, got string) {
	t.Helper()
	got = executions.ReplaceAllString(withoutTimes(got), "in the last of several executions")
	got = free.ReplaceAllString(got, "  others run inside a statement: runs of a server that nobody holds have it by chance\n\n")
	compareFile(t, file, got)
}

// entries are the names in a directory, in their order.
func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return slices.Sorted(slices.Values(names))
}
