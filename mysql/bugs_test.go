package mysql_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

var (
	times      = regexp.MustCompile(`(?m)\b\d+\.\d\ds$`)
	versions   = regexp.MustCompile(`MariaDB \d+(\.\d+)+`)
	executions = regexp.MustCompile(`in the last of \d+ executions`)
)

// Bugs that were reported of programs on MySQL, and what has mended them: docs/bugs.md of the
// module around this one shows the reports.
func TestBugs(t *testing.T) {
	scratchtest.Need(t, scratch.MariaDB)
	command := built(t)
	dirs, err := filepath.Glob("testdata/bugs/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal(dirs, err)
	}
	for _, dir := range dirs {
		out := run(t, command, "explore", "bugs/"+filepath.Base(dir), "--confirm=mariadb:temp", "--save=none")
		got := times.ReplaceAllString(out, "TIME")
		got = versions.ReplaceAllString(got, "MariaDB VERSION")
		got = executions.ReplaceAllString(got, "in the last of several executions")
		if !strings.HasPrefix(got, "FAIL  ExploreBug ") || !strings.Contains(got, "\nok    ExploreFix ") {
			t.Errorf("%s: want the bug to fail, and not what has mended it:\n%s", dir, got)
			continue
		}
		file := filepath.Join(dir, "report.golden")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != got {
			t.Errorf("%s differs (%v); go test . -run TestBugs -update rewrites it. Got:\n%s", file, err, got)
		}
	}
}
