package pglite

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tarball is the package's file, where this machine has it or npm gets it.
func tarball(t *testing.T) string {
	t.Helper()
	if f := os.Getenv(EnvFile); f != "" {
		return f
	}
	f, err := npmPack(context.Background(), t.TempDir(), nil)
	if err != nil {
		t.Skipf("no package: %v", err)
	}
	return f
}

func TestPackageFromFile(t *testing.T) {
	file, dir := tarball(t), t.TempDir()
	p, err := Open(context.Background(), Options{File: file, CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	files, err := p.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/pglite/bin/postgres", "/pglite/lib/postgresql/plpgsql.so", "/pglite/lib/postgresql/pgcrypto.so",
		"/pglite/share/postgresql/extension/citext.control", "/dev/null"} {
		if files.File(name) == nil {
			t.Errorf("no file %s", name)
		}
	}
	t.Run("directory", func(t *testing.T) { fromDirectory(t, p.Dir()) })
	t.Run("damaged cache", func(t *testing.T) { damagedCache(t, file, dir) })
	t.Run("damaged package", func(t *testing.T) { damagedPackage(t, file) })
	t.Run("cache that cannot be written", func(t *testing.T) { fullDisk(t, file) })
}

// What is unpacked elsewhere is used where it is, and stays as it is.
func fromDirectory(t *testing.T, dir string) {
	given := filepath.Join(t.TempDir(), "given")
	if err := os.CopyFS(given, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	o := Options{File: given, CacheDir: t.TempDir()}
	p, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Files(); err != nil || p.Dir() != given {
		t.Errorf("%s: %v", p.Dir(), err)
	}
	if left, _ := os.ReadDir(o.CacheDir); len(left) > 0 {
		t.Errorf("the cache has %v", left)
	}
	if err := p.Forget(); !errors.Is(err, ErrCacheDamaged) {
		t.Errorf("what the user has given is forgotten: %v", err)
	}
	if err := os.Remove(filepath.Join(given, "initdb.wasm")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), o); err == nil || !strings.Contains(err.Error(), EnvFile) {
		t.Errorf("a file is missing: %v", err)
	}
}

func damagedCache(t *testing.T, file, dir string) {
	o := Options{File: file, CacheDir: dir}
	name := filepath.Join(dir, "pglite-"+Version, "initdb.wasm")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	whole[1000] ^= 1
	if err := os.WriteFile(name, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read("initdb.wasm"); !errors.Is(err, ErrCacheDamaged) {
		t.Errorf("a flipped bit: %v", err)
	}
	if err := p.Forget(); err != nil {
		t.Fatal(err)
	}
	if p, err = Open(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read("initdb.wasm"); err != nil {
		t.Error(err)
	}
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	if p, err = Open(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read("initdb.wasm"); err != nil {
		t.Errorf("after a file was emptied: %v", err)
	}
}

func damagedPackage(t *testing.T, file string) {
	t.Parallel()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{"flipped": flip(b), "half": b[:len(b)/2], "empty": nil} {
		f := filepath.Join(t.TempDir(), name+".tgz")
		if err := os.WriteFile(f, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(context.Background(), Options{File: f, CacheDir: t.TempDir()})
		if damaged := new(DamagedError); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(context.Background(), Options{File: "/nowhere/x.tgz", CacheDir: t.TempDir()}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func flip(b []byte) []byte {
	b = bytes.Clone(b)
	b[len(b)/2] ^= 1
	return b
}

func fullDisk(t *testing.T, file string) {
	t.Parallel()
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), Options{File: file, CacheDir: blocked}); err == nil {
		t.Error("a cache that cannot be written gave no error")
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		return
	}
	err := write("/dev/full", []byte("x"))
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("a full disk: %v", err)
	}
}

func TestMissingPackageSaysBothWaysOut(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Open(context.Background(), Options{CacheDir: t.TempDir()})
	missing := new(MissingError)
	if !errors.As(err, &missing) {
		t.Fatalf("without npm: %v", err)
	}
	for _, word := range []string{"npm is not installed", EnvFile + "=FILE", "npm pack " + Name + "@" + Version} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the message lacks %q: %v", word, err)
		}
	}
}

func TestNpmThatFails(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho 'npm error network is unreachable' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	_, err := Open(context.Background(), Options{CacheDir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "network is unreachable") || !strings.Contains(err.Error(), EnvFile) {
		t.Errorf("npm without network: %v", err)
	}
}

// The tests of the storage have this flag; here it has no effect, so that it can be
// given for all packages at once.
var _ = flag.String("corpus", "", "directory of recorded statements: see the package storage")
