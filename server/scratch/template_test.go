//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package scratch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// The first server leaves a template of its data, which the next ones are copies of. A damaged
// one is made anew.
func TestTemplate(t *testing.T) {
	if !apart(t) {
		return
	}
	scratchtest.Need(t, scratch.Postgres)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	made := func() string { // initdb numbers what it makes
		return ask(t, scratchtest.Start(t, scratch.Postgres, nil), "SELECT system_identifier || ' ' || current_setting('work_mem') FROM pg_control_system()")
	}
	first := made()
	if got := made(); got != first {
		t.Errorf("the second server is no copy of the template: %s, %s", got, first)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(cache, "txmc", "servers")
	file := func(name string) string {
		found, _ := filepath.Glob(filepath.Join(kept, "*", "data", name))
		if len(found) != 1 {
			t.Fatalf("%d templates have %s", len(found), name)
		}
		return found[0]
	}
	conf, err := os.ReadFile(file("postgresql.conf"))
	if err != nil {
		t.Fatal(err)
	}
	mark := "work_mem = 4321kB\n#" // the file, which begins with a comment, keeps its length
	damages := map[string]string{"changed": mark + string(conf[len(mark):])}
	if deadlinetest.Full() {
		damages["cut"] = mark
	}
	for what, damaged := range damages {
		if err := os.WriteFile(file("postgresql.conf"), []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		again := made()
		if again == first || strings.Contains(again, "4321kB") {
			t.Errorf("a template that was %s is taken: %s", what, again)
		}
		if now, err := os.ReadFile(file("postgresql.conf")); err != nil || string(now) != string(conf) {
			t.Errorf("the template that was %s is still there: %v", what, err)
		}
		first = again
	}
	t.Setenv("TZ", "Asia/Tokyo")
	if got := ask(t, scratchtest.Start(t, scratch.Postgres, nil), "SHOW timezone"); got != "Asia/Tokyo" {
		t.Errorf("in another time zone the server is in %s", got)
	}
}

// A server starts also where nothing can be kept.
func TestNoTemplate(t *testing.T) {
	if !apart(t) {
		return
	}
	scratchtest.Need(t, scratch.Postgres)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", file)
	t.Setenv("XDG_CACHE_HOME", file)
	if got := ask(t, scratchtest.Start(t, scratch.Postgres, nil), "SELECT 7"); got != "7" {
		t.Errorf("it answers %q", got)
	}
}
