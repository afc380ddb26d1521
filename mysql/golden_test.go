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

// innodbNames are InnoDB's levels, weakest first.
var innodbNames = []string{"innodb-rc", "innodb-rr", "innodb-rr-si", "innodb-ser"}

// breaks is how many of the levels, weakest first, break a program: of the axiomatic ones,
// and of InnoDB's.
type breaks struct{ axiomatic, innodb int }

// examples says how many of the levels break each program. The numbers are written by hand
// from the stories that the packages tell.
var examples = map[string]map[string]breaks{
	"counter":  {"ExploreVisit": {1, 2}, "ExploreVisitOnce": {}},
	"delivery": {"ExploreDeliver": {1, 2}, "ExploreDeliverLocked": {}},
	"hours":    {"ExploreNewHour": {1, 1}, "ExploreKnownHour": {}, "ExploreNewHourOnce": {}},
	"oncall":   {"ExploreLeave": {5, 3}, "ExploreLeaveLocked": {}},
	"stock":    {"ExploreBuy": {1, 2}, "ExploreBuyGuarded": {}},
}

// The command explores the examples as it explores programs of users: it builds them with
// the overlay and the build tag.
func TestGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the examples")
	}
	command := built(t)
	for name := range examples {
		t.Run(name, func(t *testing.T) {
			all := strings.Join(slices.Concat(levelNames, innodbNames), ",")
			counts := run(t, command, "explore", name, "--iso="+all, "--all", "--format=json")
			golden(t, name, "counts.golden", tallied(t, name, counts))
			golden(t, name, "explore.golden", run(t, command, "explore", name, "--iso=rc,ser,innodb-rr"))
		})
	}
	t.Run("words", func(t *testing.T) { // are those of the program's database
		out := run(t, command, "explore", "hours", "--run=KnownHour", "--iso=repeatable read,serializable")
		if !strings.Contains(out, "  iso=innodb-rr  ") || !strings.Contains(out, "  iso=innodb-ser  ") {
			t.Errorf("got %s", out)
		}
	})
	t.Run("default", func(t *testing.T) { // is what MySQL does at the level that the code asks for
		for line := range strings.Lines(run(t, command, "explore", "hours", "--run=KnownHour")) {
			if !strings.HasPrefix(line, "ok    ExploreKnownHour  iso=innodb-rr  ") {
				t.Errorf("got %s", line)
			}
		}
	})
}

// built is the command.
func built(t *testing.T) string {
	t.Helper()
	command := filepath.Join(t.TempDir(), "txmc.exe") // a name that every system runs
	if out, err := exec.Command("go", "build", "-C", "..", "-o", command, "./cmd/txmc").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return command
}

// run runs the command on an example, with one worker, so that the violation that it finds
// first is always the same.
func run(t *testing.T, command, what, example string, args ...string) string {
	t.Helper()
	process := exec.CommandContext(t.Context(), command, append([]string{what, "./testdata/" + example}, args...)...)
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
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == violation) || what != "find" && said.Len() > 0 { // find says how far it is
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
		of := examples[example][r.Program]
		breaks := slices.Index(levelNames, r.Iso) < of.axiomatic
		if i := slices.Index(innodbNames, r.Iso); i >= 0 {
			breaks = i < of.innodb
		}
		if !r.Complete || breaks != (r.Violations > 0) {
			t.Errorf("%s at %s: complete %v, %d violations, want it to break: %v", r.Program, r.Iso, r.Complete, r.Violations, breaks)
		}
		b, err := json.Marshal(r.counts)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&lines, string(b))
	}
	if want := len(examples[example]) * (len(levelNames) + len(innodbNames)); n != want {
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
