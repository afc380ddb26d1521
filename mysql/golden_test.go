package mysql_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files of the examples")

var levelNames = []string{"rc", "ra", "cc", "pc", "si", "ser"}

// examples says how many of the levels, weakest first, break each program. The numbers are
// written by hand from the stories that the packages tell.
var examples = map[string]map[string]int{
	"counter":  {"ExploreVisit": 1, "ExploreVisitOnce": 0},
	"delivery": {"ExploreDeliver": 1, "ExploreDeliverLocked": 0},
	"hours":    {"ExploreNewHour": 1, "ExploreKnownHour": 0, "ExploreNewHourOnce": 0},
	"oncall":   {"ExploreLeave": 5, "ExploreLeaveLocked": 0},
	"stock":    {"ExploreBuy": 1, "ExploreBuyGuarded": 0},
}

// The command explores the examples as it explores programs of users: it builds them with
// the overlay and the build tag.
func TestGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the examples")
	}
	command := filepath.Join(t.TempDir(), "txmc.exe") // a name that every system runs
	if out, err := exec.Command("go", "build", "-C", "..", "-o", command, "./cmd/txmc").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for name := range examples {
		t.Run(name, func(t *testing.T) {
			counts := run(t, command, name, "--iso=all", "--all", "--format=json")
			golden(t, name, "counts.golden", tallied(t, name, counts))
			golden(t, name, "explore.golden", run(t, command, name, "--iso=rc,ser"))
		})
	}
}

// run runs the command on an example, with one worker, so that the violation that it finds
// first is always the same.
func run(t *testing.T, command, example string, args ...string) string {
	t.Helper()
	process := exec.CommandContext(t.Context(), command, append([]string{"explore", "./testdata/" + example}, args...)...)
	process.Env = append(os.Environ(), "GOMAXPROCS=1", "XDG_CACHE_HOME=")
	home := t.TempDir()
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		process.Env = append(process.Env, name+"="+strings.TrimSpace(string(value)))
	}
	process.Env = append(process.Env, "HOME="+home)
	var out, said bytes.Buffer
	process.Stdout, process.Stderr = &out, &said
	err := process.Run()
	const violation = 1 // exit status
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == violation) || said.Len() > 0 {
		t.Fatalf("%v\n%s", err, said.String())
	}
	return out.String()
}

// counts are what is the same in every run.
type counts struct {
	Program    string `json:"program"`
	Iso        string `json:"iso"`
	Histories  int    `json:"histories"`
	EndStates  int    `json:"end_states"`
	Violations int    `json:"violations"`
}

// tallied are the counts of a complete exploration, whose verdicts it compares with those
// of the table.
func tallied(t *testing.T, example, out string) string {
	t.Helper()
	var lines strings.Builder
	n := 0
	for line := range strings.Lines(out) {
		var r struct {
			Type     string `json:"type"`
			Complete bool   `json:"complete"`
			counts
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Type != "result" {
			continue
		}
		n++
		breaks := slices.Index(levelNames, r.Iso) < examples[example][r.Program]
		if !r.Complete || breaks != (r.Violations > 0) {
			t.Errorf("%s at %s: complete %v, %d violations, want it to break: %v", r.Program, r.Iso, r.Complete, r.Violations, breaks)
		}
		b, err := json.Marshal(r.counts)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&lines, string(b))
	}
	if want := len(examples[example]) * len(levelNames); n != want {
		t.Errorf("%d results, want %d", n, want)
	}
	return lines.String()
}

var seconds = regexp.MustCompile(`\d+\.\d\ds`)

// golden compares a text with a file of an example, but for times.
func golden(t *testing.T, example, name, got string) {
	t.Helper()
	got = seconds.ReplaceAllString(got, "TIME")
	file := filepath.Join("testdata", example, name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; -update rewrites it. Got:\n%s", file, got)
	}
}
