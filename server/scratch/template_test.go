//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package scratch_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// The first server leaves a template of its data, which the next ones are copies of. A damaged
// one is made anew.
func TestTemplate(t *testing.T) {
	scratchtest.Need(t, scratch.Postgres)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	memory := func() string { return ask(t, scratchtest.Start(t, scratch.Postgres, nil), "SHOW work_mem") }
	usual := memory()
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
	mark := []byte("work_mem = 4321kB\n#") // the file, which begins with a comment, keeps its length
	copy(conf, mark)
	if err := os.WriteFile(file("postgresql.conf"), conf, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := memory(); got != "4321kB" {
		t.Errorf("the second server is no copy of the template: work_mem is %s", got)
	}
	if err := os.Truncate(file("postgresql.conf"), int64(len(mark))); err != nil {
		t.Fatal(err)
	}
	if got := memory(); got != usual {
		t.Errorf("a damaged template is taken: work_mem is %s", got)
	}
	if info, err := os.Stat(file("postgresql.conf")); err != nil || info.Size() < int64(len(conf)) {
		t.Errorf("the damaged template is still there: %v", err)
	}
	t.Setenv("TZ", "Asia/Tokyo")
	if got := ask(t, scratchtest.Start(t, scratch.Postgres, nil), "SHOW timezone"); got != "Asia/Tokyo" {
		t.Errorf("in another time zone the server is in %s", got)
	}
}

// A server starts also where nothing can be kept.
func TestNoTemplate(t *testing.T) {
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
