package integration_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

var update = flag.Bool("update", false, "rewrite the reports of bugs")

var (
	times      = regexp.MustCompile(`(?m)\b\d+\.\d\ds$`)
	versions   = regexp.MustCompile(`PostgreSQL \d+(\.\d+)+`)
	executions = regexp.MustCompile(`in the last of \d+ executions`)
)

// Bugs that were reported of programs on gorm, and what has mended them: docs/bugs.md of the
// module around this one shows the reports.
func TestBugs(t *testing.T) {
	scratchtest.Need(t, scratch.Postgres)
	name, err := command()
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := filepath.Glob("bugs/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal(dirs, err)
	}
	for _, dir := range dirs {
		cmd := exec.CommandContext(t.Context(), name, "explore", "./"+dir, "--confirm=postgres:temp", "--save=none", "--workers=1")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, _ := cmd.Output() // its status says that a program is wrong
		if strings.Contains(stderr.String(), "TXMC_PGLITE") {
			t.Skip(stderr.String())
		}
		got := times.ReplaceAllString(string(out), "TIME")
		got = versions.ReplaceAllString(got, "PostgreSQL VERSION")
		got = executions.ReplaceAllString(got, "in the last of several executions")
		if !strings.HasPrefix(got, "FAIL  ExploreBug ") || !strings.Contains(got, "\nok    ExploreFix ") {
			t.Errorf("%s: want the bug to fail, and not what has mended it:\n%s%s", dir, got, stderr.String())
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
