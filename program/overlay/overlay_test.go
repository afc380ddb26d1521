package overlay_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/program/overlay"
)

// goroot is the directory of the Go that runs the tests, by a name below which files
// can be replaced.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "go")
	if err := os.Symlink(strings.TrimSpace(string(out)), link); err != nil {
		t.Skip(err)
	}
	return link
}

const probed = `exit 0
exit 1
panic after one
start 2026-01-01T00:00:00Z
slept 1h0m0s
after 1h0m1s <nil>
deadline 1h1m0s context deadline exceeded
tick 1h1m1s
tick 1h1m2s
tick 1h1m3s
tick 1h2m3s
stopped true false false true
timer 1h4m3s false
calls 0
calls 1 false
calls 2 1h4m6.5s
/txmc/1 /txmc/2
/txmc/1/.s.PGSQL.5432 EOF
/txmc/2/x closed today
/txmc/3/x dial unix /txmc/3/x: connect: no such file or directory
/txmc/x dial unix /txmc/x: connect: no such file or directory
/txmc/x/x dial unix /txmc/x/x: connect: no such file or directory
127.84.0.1:5432 EOF
127.84.0.2:1 closed today
127.84.0.0:1 refused
127.85.0.1:1 refused
away 0s 0
stopped 0s
goes on
a line, kept: false
main.go:210: a log, kept: false
an errorcopied
apart
8 <nil> 7 <nil>
8 <nil> 7 <nil>
["exit 0\n" "exit 1\n" "panic after one\n" "a line, kept: true\n" "main.go:210: a log, kept: true\n" "an error" "copied\n" "a line, kept: false\n" "main.go:210: a log, kept: false\n" "an error" "copied\n" "of another goroutine\n"]
create: a changes anew names, a changes false
write again: a changes anew names, a changes false
read: a reads, a reads, a reads, a reads false
copy: . reads true
append: a names false
handle: a names, a reads changes false
handle of a log: a reads, a changes false
lock: lock reads changes anew names false
locked: lock reads true
size: a reads, a reads false
truncate: a reads changes anew false
stat: none reads true
lstat: a reads link false
mode: a reads changes false
times: a reads changes false
rename: a reads changes anew names below gone link, b changes anew names below link false
rename nothing: a reads link true
symlink: s reads changes anew names below link false
readlink: s reads link false
link: b reads link, l reads changes anew names link false
mkdir: d reads changes anew names link false
mkdir again: d reads link true
mkdirs: d ensures, e changes anew names ensures, f changes anew names ensures false
rename a directory: g reads link, d reads changes anew names below gone link, g changes anew names below link false
list: g reads, g lists false
remove: b changes anew names gone link false
remove again:  true
remove all: g changes anew names below gone link false
temporary: * reads changes anew names, * fresh false
output:  false
pipe: | changes, | reads changes false
root: none reads, y reads, r changes anew names ensures, s changes anew names ensures, x changes anew names, x changes, x reads changes anew names below gone link, y changes anew names below link, t reads changes anew names link, t changes anew names gone link, r changes anew names below gone link false
sessions differ false
sessions differ true
real time true true
`

// What sessions see of time and randomness, and nobody else.
func TestProbe(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles the standard library")
	}
	root, dir := goroot(t), t.TempDir()
	files, err := overlay.Files(root, runtime.Version())
	if err != nil {
		t.Fatal(err)
	}
	replace, err := overlay.Write(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	data, err := overlay.JSON(replace)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{"-overlay=" + file: probed, "-overlay=": "no overlay\n"} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(root, "bin", "go"), "run", flag, "./testdata/probe")
		cmd.Env = append(os.Environ(), "GOROOT="+root, "GOTOOLCHAIN=local", "GODEBUG=asyncpreemptoff=1") // as if all code were what cannot be interrupted, such as the database's
		out, err := cmd.CombinedOutput()
		if diff := cmp.Diff(want, string(out)); err != nil || diff != "" {
			t.Errorf("%s: %v %s", flag, err, diff)
		}
	}
}

// A Go whose sources are others is told from those that are known, by what is missing.
func TestUnknown(t *testing.T) {
	root, other := goroot(t), t.TempDir()
	files, err := overlay.Files(root, "go1.26")
	if err != nil {
		t.Fatal(err)
	}
	copied := func(path string) string { return filepath.Join(other, strings.TrimPrefix(path, root)) }
	for path := range files {
		data, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // one that is added
		}
		if err := os.MkdirAll(filepath.Dir(copied(path)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied(path), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := overlay.Files(other, "go1.26"); err != nil || len(again) != len(files) {
		t.Fatalf("%d files of a copy: %v", len(again), err)
	}
	unknown := func(part string) {
		t.Helper()
		_, err := overlay.Files(other, "go1.99")
		var u *overlay.UnknownError
		if !errors.As(err, &u) || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), "go1.99") {
			t.Errorf("want an error with %q, got %v", part, err)
		}
	}
	added := copied(filepath.Join(root, "src", "time", "txmc.go"))
	if err := os.WriteFile(added, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	unknown("it has a file time/txmc.go")
	if err := os.Remove(added); err != nil {
		t.Fatal(err)
	}
	sleep := copied(filepath.Join(root, "src", "time", "sleep.go"))
	data, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	twice := append(data, "\nfunc Sleep(d Duration)\n"...)
	if err := os.WriteFile(sleep, twice, 0o666); err != nil {
		t.Fatal(err)
	}
	unknown(`time/sleep.go has "func Sleep(d Duration)" 2 times`)
	if err := os.Remove(sleep); err != nil {
		t.Fatal(err)
	}
	unknown("sleep.go")
}
