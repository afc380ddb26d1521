package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/explore/find"
)

// The list can be read, names each application once, and a line of the table has what the report says.
func TestList(t *testing.T) {
	t.Parallel()
	all, err := applications(list)
	if err != nil || len(all) < 20 {
		t.Fatal(len(all), err)
	}
	seen, databases := map[string]bool{}, map[bool]int{}
	for _, a := range all {
		if seen[a.name] || strings.Count(a.name, "/") != 1 || len(a.commit) != 12 {
			t.Errorf("%+v", a)
		}
		seen[a.name] = true
		databases[strings.Contains(strings.Join(a.flags, " "), "--db=mysql")]++
	}
	if databases[true] < 10 || databases[false] < 10 {
		t.Errorf("%v", databases)
	}
	got := line(application{"a/b", "123456789012", ".", "gorm", nil}, &find.Report{Transactions: 3, Structures: 4, Skipped: 1, Interrupted: true, Findings: []*find.Finding{{}}}, 61*time.Second)
	if want := "| a/b | `123456789012` | gorm | 3 | 4, 1 skipped | 1 | the budget | 1m1s |"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if _, err := applications("a b"); err == nil {
		t.Error("a line that says too little is read")
	}
}

// The files of a commit are copied, and what is in the clone besides is not.
func TestCopied(t *testing.T) {
	t.Parallel()
	clone, to := t.TempDir(), t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"add", "kept"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a"}} {
		for _, name := range []string{"kept", "other"} {
			if err := os.WriteFile(filepath.Join(clone, name), []byte("text"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("git", args...)
		cmd.Dir = clone
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := copied(clone, "HEAD", to); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(to, "kept")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(to, "other")); err == nil {
		t.Error("a file that is in no commit is copied")
	}
	if err := copied(clone, "0000000000", to); err == nil {
		t.Error("a commit that is not there is copied")
	}
}
