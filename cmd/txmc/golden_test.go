package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/requests/requeststest"
)

var (
	update = flag.Bool("update", false, "rewrite the golden files of the examples")
	full   = flag.Bool("full", false, "go through every example and page, and run all of each script, and not some of them")
)

// root is the module's directory as seen from this one; the command runs there,
// as the documentation tells.
const root = "../.."

var allLevels = []string{"rc", "ra", "cc", "pc", "si", "ser"}

// examples says how many of allLevels, weakest first, break each program; it holds at
// the others. Breaking is monotone, since each level allows whatever the next one
// allows. The numbers are written by hand from the stories that the packages tell. They
// are not taken from the command: so accepting a golden file cannot hide a wrong
// verdict.
var examples = map[string]map[string]int{
	"bank": {
		"ExploreTransfer":  1, // one account from before a transfer, the other from after it
		"ExploreReceipts":  4, // lost update
		"ExploreOverdraft": 5, // write skew
	},
	"cart":          {"ExploreCheckout": 4},                                                    // lost update
	"causality":     {"ExploreAlbum": 2},                                                       // two steps back
	"correct":       {"ExploreOrders": 0},                                                      // needs committed reads only
	"course":        {"ExploreEnrol": 5},                                                       // write skew
	"dangling":      {"ExplorePack": 2},                                                        // session order
	"document":      {"ExploreSave": 4},                                                        // lost update
	"fracturedread": {"ExploreFriends": 1},                                                     // half a transaction
	"longfork":      {"ExploreScore": 3},                                                       // two orders of commits
	"lostupdate":    {"ExploreLikes": 4},                                                       // the bare pattern
	"payment":       {"ExploreRetry": 1, "ExploreFailover": 4},                                 // own writes; lost update
	"seats":         {"ExploreReserve": 4},                                                     // lost update
	"sqlcoupon":     {"ExploreRedeem": 5, "ExploreRedeemLocked": 5, "ExploreRedeemCounted": 0}, // write skew by a phantom
	"sqlorder":      {"ExploreOrder": 1, "ExploreOrderGuarded": 0},                             // lost update
	"sqlpayment":    {"ExplorePay": 5, "ExplorePayOnce": 0},                                    // write skew by a phantom
	"sqlpool":       {"ExploreVotes": 5},                                                       // write skew by a phantom
	"sqlqueue":      {"ExploreTake": 1, "ExploreTakeLocked": 0},                                // lost update
	"sqlseats":      {"ExploreReserve": 5, "ExploreReserveLocked": 0},                          // write skew by a phantom
	"sqltransfers":  {"ExploreTransfer": 1, "ExploreAdd": 0},                                   // lost update
	"sqlusername":   {"ExploreChecked": 5, "ExploreUnique": 0},                                 // write skew by a phantom
	"stack":         {"ExplorePop": 4},                                                         // lost update
	"tweets":        {"ExploreFollow": 5, "ExploreReload": 2},                                  // write skew; monotonic reads
	"username":      {"ExploreTable": 5, "ExploreIndex": 4},                                    // write skew; lost update
	"writeskew":     {"ExploreOnCall": 5, "ExploreShiftLock": 4},                               // the bare pattern; a conflict made of it
}

// breaks tells whether program of package pkg breaks at level.
func breaks(pkg, program, level string) bool {
	return slices.Index(allLevels, level) < examples[pkg][program]
}

// TestGolden runs the command on the examples and on what the documentation
// shows.
func TestGolden(t *testing.T) {
	t.Parallel()
	cmd := build(t)
	for _, of := range []struct {
		name string
		test func(*testing.T, command, string)
	}{{"output", testOutput}, {"counts", testCounts}, {"levels", testLevels}, {"compare", testCompare}} {
		t.Run(of.name, func(t *testing.T) {
			for _, pkg := range slices.Sorted(maps.Keys(examples)) {
				t.Run(pkg, func(t *testing.T) {
					t.Parallel()
					of.test(t, cmd, pkg)
				})
			}
		})
	}
	t.Run("gallery", testGallery)
	t.Run("flags", func(t *testing.T) {
		t.Parallel()
		testFlags(t, cmd)
	})
	t.Run("documentation", func(t *testing.T) {
		docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		docs = slices.DeleteFunc(docs, func(doc string) bool { return doc == gallery })
		for _, doc := range append(docs, filepath.Join(root, "README.md")) {
			t.Run(filepath.Base(doc), func(t *testing.T) {
				t.Parallel()
				testDocumentation(t, cmd, doc)
			})
		}
	})
}

// command is the built command.
type command struct {
	path      string
	harnesses string // where it keeps built harnesses: one serves all commands on a package
}

// build returns the command that scripts run too, with the harnesses that other tests have
// built. It builds the command where there is none.
func build(t *testing.T) command {
	t.Helper()
	if path, err := exec.LookPath("txmc"); err == nil && strings.HasPrefix(path, os.TempDir()) { // see TestMain
		cmd := command{path: path, harnesses: filepath.Join(filepath.Dir(filepath.Dir(path)), "harness")}
		if err := os.MkdirAll(cmd.harnesses, 0o755); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	dir := t.TempDir()
	cmd := command{path: filepath.Join(dir, "txmc.exe"), harnesses: filepath.Join(dir, "harness")} // a name that every system runs
	if out, err := exec.Command("go", "build", "-o", cmd.path, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if err := os.Mkdir(cmd.harnesses, 0o755); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// run runs the command in the module's directory and returns its standard output
// and exit status. With one processor it explores with one worker, so that the
// violation it finds first is always the same.
func (c command) run(t *testing.T, args ...string) (string, int) {
	t.Helper()
	deadlinetest.Skip(t)
	process := exec.Command(c.path, args...)
	process.Dir = root
	home := t.TempDir()
	telemetry := filepath.Join(home, ".config", "go", "telemetry") // of the go command: off, as it goes on in the background
	if err := errors.Join(os.MkdirAll(telemetry, 0o777), os.WriteFile(filepath.Join(telemetry, "mode"), []byte("off"), 0o666)); err != nil {
		t.Fatal(err)
	}
	lend(t, home, c.harnesses)
	if inSQL(args) {
		lendEngine(t, home)
	}
	process.Env = append(os.Environ(), append(goDirectories(), "GOMAXPROCS=1", "PYTHON="+requeststest.Interpreter(), "HOME="+home, "XDG_CACHE_HOME=")...)
	var out, diagnostics bytes.Buffer
	process.Stdout, process.Stderr = &out, &diagnostics
	err := process.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if diagnostics.Len() > 0 {
		t.Errorf("txmc %s wrote to standard error:\n%s", strings.Join(args, " "), &diagnostics)
	}
	return out.String(), process.ProcessState.ExitCode()
}

// lend puts a file or directory into txmc's cache of a home directory.
func lend(t *testing.T, home, path string) {
	t.Helper()
	cache := filepath.Join(home, ".cache", "txmc")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(cache, filepath.Base(path))); err != nil {
		t.Skip(err)
	}
}

// goDirectories are those of the go command, for processes with another home
// directory, into which violations are saved.
var goDirectories = sync.OnceValue(func() (env []string) {
	for _, name := range []string{"GOCACHE", "GOPATH", "GOMODCACHE", "GOENV"} {
		dir, err := exec.Command("go", "env", name).Output()
		if err == nil {
			env = append(env, name+"="+strings.TrimSpace(string(dir)))
		}
	}
	return env
})

// testOutput compares what the command prints with explore.golden.
func testOutput(t *testing.T, cmd command, pkg string) {
	if !thorough(pkg) {
		t.Skip("with -full every example is explored at all axiomatic levels")
	}
	out, status := cmd.run(t, "explore", "./testdata/"+pkg, "--iso=all")
	checkStatus(t, pkg, status)
	checkVerdicts(t, pkg, textVerdicts(out))
	golden(t, pkg, "explore.golden", out)
}

// testCounts compares the counts of complete explorations, which do not depend
// on the order in which histories are found, with counts.golden.
func testCounts(t *testing.T, cmd command, pkg string) {
	if !thorough(pkg) {
		t.Skip("with -full every example is counted")
	}
	out, status := cmd.run(t, "explore", "./testdata/"+pkg, "--iso=all", "--all", "--format=json", "--vet=off")
	checkStatus(t, pkg, status)
	results := results(t, out)
	verdicts := map[[2]string]string{}
	var lines bytes.Buffer
	for _, r := range results {
		if !r.Complete {
			t.Errorf("%s at %s: not complete, with --all and no limit", r.Program, r.Iso)
		}
		verdict := "ok"
		if r.Violations > 0 {
			verdict = "FAIL"
		}
		verdicts[[2]string{r.Program, r.Iso}] += verdict
		line, err := json.Marshal(r.counts)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	checkVerdicts(t, pkg, verdicts)
	checkCounts(t, pkg, results)
	golden(t, pkg, "counts.golden", lines.String())
}

// thorough reports whether the axiomatic levels of an example are gone through one by one:
// a few examples do for most runs of the tests.
func thorough(pkg string) bool { return inFull() || *update || slices.Contains(few, pkg) }

// inFull reports whether tests run in full.
func inFull() bool { return *full || deadlinetest.Full() }

// few are the examples that every run of the tests goes through: lost updates, a write skew,
// causality, and a long fork.
var few = []string{"bank", "causality", "longfork"}

// counts are the fields of a result that are the same in every run.
type counts struct {
	Program    string `json:"program"`
	Iso        string `json:"iso"`
	Histories  int    `json:"histories"`
	EndStates  int    `json:"end_states"`
	Violations int    `json:"violations"`
}

type result struct {
	Type     string `json:"type"`
	Complete bool   `json:"complete"`
	counts
}

// results returns the results among the lines of JSON.
func results(t *testing.T, out string) []result {
	t.Helper()
	var list []result
	for line := range strings.Lines(out) {
		var r result
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("not a line of JSON: %v\n%s", err, line)
		}
		if r.Type == "result" {
			list = append(list, r)
		}
	}
	return list
}

// checkCounts checks what holds for the counts of every program: a stronger
// level allows no more histories, a filter only takes away, and where the search
// keeps to the level itself nothing is filtered.
func checkCounts(t *testing.T, pkg string, results []result) {
	t.Helper()
	weaker := map[string]result{}
	for _, r := range results {
		if w, ok := weaker[r.Program]; ok && r.Histories > w.Histories {
			t.Errorf("%s: %d histories at %s, %d at the weaker level %s", r.Program, r.Histories, r.Iso, w.Histories, w.Iso)
		}
		weaker[r.Program] = r
		locks := strings.HasPrefix(pkg, "sql") // locking reads are decided by the filter
		own := slices.Index(allLevels, r.Iso) <= slices.Index(allLevels, "cc") && !locks
		if r.Histories > r.EndStates || own && r.Histories != r.EndStates {
			t.Errorf("%s at %s: %d histories of %d end states", r.Program, r.Iso, r.Histories, r.EndStates)
		}
	}
}

func checkStatus(t *testing.T, pkg string, status int) {
	t.Helper()
	want := 0
	for _, n := range examples[pkg] {
		if n > 0 {
			want = 1
		}
	}
	if status != want {
		t.Errorf("exit status %d, want %d", status, want)
	}
}

// checkVerdicts compares verdicts, ok or FAIL by program and level, with the
// table of examples.
func checkVerdicts(t *testing.T, pkg string, got map[[2]string]string) {
	t.Helper()
	want := map[[2]string]string{}
	for program := range examples[pkg] {
		for _, level := range allLevels {
			want[[2]string{program, level}] = "ok"
			if breaks(pkg, program, level) {
				want[[2]string{program, level}] = "FAIL"
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts differ from the table of examples (-want +got):\n%s", diff)
	}
}

var resultLine = regexp.MustCompile(`(?m)^(ok|FAIL|INCOMPLETE|ERROR) +(\S+) +iso=(\S+)`)

// textVerdicts reads the verdicts from the command's text. A program that is
// reported twice at a level has both verdicts.
func textVerdicts(out string) map[[2]string]string {
	verdicts := map[[2]string]string{}
	for _, m := range resultLine.FindAllStringSubmatch(out, -1) {
		verdicts[[2]string{m[2], m[3]}] += m[1]
	}
	return verdicts
}

// golden compares got, with its times taken out, with a file next to the
// example, or rewrites that file.
func golden(t *testing.T, pkg, name, got string) {
	t.Helper()
	compareFile(t, filepath.Join(root, "testdata", pkg, name), withoutTimes(got))
}

// compareFile compares got with a file, or rewrites that.
func compareFile(t *testing.T, file, got string) {
	t.Helper()
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
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs (-want +got); go test ./cmd/txmc -update rewrites it:\n%s", file, diff)
	}
}

var (
	seconds  = regexp.MustCompile(`(?m)\b\d+\.\d\ds$`)
	measured = regexp.MustCompile(`"seconds":[0-9.e+-]+,"peak_bytes":\d+`)
)

// versions are those of servers.
var versions = regexp.MustCompile(`PostgreSQL [0-9]+(\.[0-9]+)+`)

// withoutTimes takes out what differs from run to run, and from one server to another.
func withoutTimes(s string) string {
	return versions.ReplaceAllString(measured.ReplaceAllString(seconds.ReplaceAllString(s, "TIME"), "MEASURED"), "PostgreSQL VERSION")
}
