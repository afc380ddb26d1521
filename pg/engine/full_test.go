//go:build linux

package engine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/pg/engine/pglite"
)

// withoutRoom is a cache that has the package, on a disk without room for more.
func withoutRoom(t *testing.T) string {
	t.Helper()
	testEngine(t)
	o, err := pglite.DefaultOptions()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("a disk without room takes the right to mount one: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", dir).Run() })
	for _, name := range []string{"wazero", "pglite-" + pglite.Version} {
		if err := os.Symlink(filepath.Join(o.CacheDir, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A full disk is an error that says what to do, and nothing that was there is lost.
func TestFullDisk(t *testing.T) {
	dir := withoutRoom(t)
	for range 2 {
		_, err := Open(context.Background(), Options{CacheDir: dir})
		if err == nil || !strings.Contains(err.Error(), "no space left") || !strings.Contains(err.Error(), "MB in "+dir+": make room there") {
			t.Errorf("got %v", err)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range left {
		if strings.Contains(name, ".tmp") || strings.HasSuffix(name, "-data") {
			t.Errorf("%s is left behind", name)
		}
	}
	if _, err := pglite.Open(context.Background(), pglite.Options{CacheDir: dir}); err != nil {
		t.Errorf("the package: %v", err)
	}
}

func TestCacheThatCannotBeMade(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(context.Background(), Options{CacheDir: filepath.Join(file, "cache")})
	if err == nil || !strings.Contains(err.Error(), "make room there, or let XDG_CACHE_HOME name a directory that has it") {
		t.Errorf("got %v", err)
	}
}
