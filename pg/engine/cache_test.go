package engine

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/txmc/txmc/pg/engine/emscripten"
	"github.com/txmc/txmc/pg/engine/pglite"
	"github.com/txmc/txmc/program/deadlinetest"
)

// cacheCopy is a cache of the test's own, with the compiled modules and the package of the user's.
func cacheCopy(t *testing.T) string {
	t.Helper()
	testEngine(t)
	o, err := pglite.DefaultOptions()
	if err != nil {
		t.Fatal(err)
	}
	return linked(t, o.CacheDir, "wazero", "pglite-"+pglite.Version)
}

// linked is a new cache directory with some of what is in another one.
func linked(t *testing.T, of string, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.Symlink(filepath.Join(of, name), filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	return dir
}

func TestDataDirectoryIsMadeOnceAndAgainWhenDamaged(t *testing.T) {
	deadlinetest.Long(t)
	dir := cacheCopy(t)
	var wg sync.WaitGroup
	for range 2 { // at the same time, as two processes would
		wg.Go(func() {
			e, err := Open(context.Background(), Options{CacheDir: dir})
			if err != nil {
				t.Error(err)
				return
			}
			e.Close()
		})
	}
	wg.Wait()
	name := filepath.Join(dir, "pglite-"+pglite.Version+"-data")
	first, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, int64(len(first)/2)); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	e, err := Open(context.Background(), Options{CacheDir: dir, Progress: &said})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if !strings.Contains(said.String(), "is damaged: it is made again") {
		t.Errorf("progress says %q", said.String())
	}
	second, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(first) != string(second) {
		t.Error("the data directory differs when it is made again")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestChecksumsOfCompiledModules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "modules")
	check := func(want int) {
		t.Helper()
		if damaged, err := checkCompiled(dir, dir+"-sums", true); err != nil || len(damaged) != want {
			t.Errorf("damaged %v, %v; %d expected", damaged, err, want)
		}
	}
	check(0)
	a, b := filepath.Join(dir, "v1", "a"), filepath.Join(dir, "v1", "b")
	for _, name := range []string{a, b} {
		if err := pglite.WriteFile(name, []byte("code of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	check(0)
	check(0)
	if err := os.WriteFile(a, []byte("new code"), 0o600); err != nil {
		t.Fatal(err)
	}
	check(0)
	damage(t, a, []byte("bad code"))
	check(1)
	if _, err := os.Stat(a); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the damaged file: %v", err)
	}
	if err := pglite.WriteFile(a, []byte("code again")); err != nil {
		t.Fatal(err)
	}
	check(0)
	damage(t, b, nil)
	check(1)
}

// Versions of wazero have modules of the same name: the checksum of one is not that of the other.
func TestChecksumsOfTwoVersions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "modules")
	written := time.Now().Add(-time.Hour)
	var files []string
	for _, version := range []string{"v1", "v2"} {
		name := filepath.Join(dir, version, "a")
		if err := pglite.WriteFile(name, []byte("code of "+version)); err != nil {
			t.Fatal(err)
		}
		written = written.Add(time.Minute)
		if err := os.Chtimes(name, written, written); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	for range 2 {
		if damaged, err := checkCompiled(dir, dir+"-sums", true); err != nil || len(damaged) > 0 {
			t.Fatalf("damaged %v, %v; none expected", damaged, err)
		}
	}
	for _, name := range files {
		damage(t, name, []byte("bad"))
	}
	if damaged, err := checkCompiled(dir, dir+"-sums", true); err != nil || !slices.Equal(damaged, files) {
		t.Errorf("damaged %v, %v; want %v", damaged, err, files)
	}
}

// A start reads the compiled modules of its own version of wazero, and no others.
func TestOtherVersionsAreLeftAlone(t *testing.T) {
	testEngine(t) // its data directory is taken, too
	o, err := pglite.DefaultOptions()
	if err != nil {
		t.Fatal(err)
	}
	dir := linked(t, o.CacheDir, "pglite-"+pglite.Version, "pglite-"+pglite.Version+"-data")
	own := filepath.Join(dir, "wazero") // of the test: what is the user's stays as it is
	version, err := emscripten.CacheVersion()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(own, version), os.DirFS(filepath.Join(o.CacheDir, "wazero", version))); err != nil {
		t.Fatal(err)
	}
	if err := pglite.WriteFile(filepath.Join(own, "wazero-other", "a"), []byte("code")); err != nil {
		t.Fatal(err)
	}
	e, err := Open(context.Background(), Options{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if found, err := os.ReadDir(own + "-sums"); err != nil || len(found) != 1 || found[0].Name() != version {
		t.Errorf("checksums of %v, %v; want those of %s alone", found, err, version)
	}
	modules, err := os.ReadDir(filepath.Join(own, version))
	if err != nil {
		t.Fatal(err)
	}
	if sums, err := os.ReadDir(filepath.Join(own+"-sums", version)); err != nil || len(sums) == 0 || len(sums) != len(modules) {
		t.Errorf("%d checksums of %d modules, %v", len(sums), len(modules), err)
	}
}

// damage changes a file's content and not the time of its change.
func damage(t *testing.T, name string, content []byte) {
	t.Helper()
	st, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(name, content, 0o600), os.Chtimes(name, st.ModTime(), st.ModTime())); err != nil {
		t.Fatal(err)
	}
}

var long = flag.Bool("long", false, "also damage the compiled server, which takes long to make again")

func TestDamagedCompiledModules(t *testing.T) {
	deadlinetest.Long(t)
	dir := cacheCopy(t)
	compiled := filepath.Join(dir, "wazero")
	shared, err := filepath.EvalSymlinks(compiled)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(compiled), os.CopyFS(compiled, os.DirFS(shared))); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(compiled, "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d compiled modules, %v", len(files), err)
	}
	if !*long { // the checksums tell which are damaged
		if _, err := checkCompiled(compiled, compiled+"-sums", false); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		if st, err := os.Stat(f); err != nil {
			t.Fatal(err)
		} else if st.Size() < 1<<20 || *long {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)/2] ^= 1
			damage(t, f, b)
		}
	}
	var said strings.Builder
	e, err := Open(context.Background(), Options{CacheDir: dir, Progress: &said})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if !strings.Contains(said.String(), "damaged: it is made again") {
		t.Errorf("progress says %q", said.String())
	}
	x, err := e.Instance()
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	expect(t, x, "select 1", "(1) SELECT 1")
}

func TestArguments(t *testing.T) {
	for command, want := range map[string]string{
		`"/pglite/bin/postgres" --check -F -c x=1 < "/dev/null" > "/dev/null" 2>&1`: "/pglite/bin/postgres|--check|-F|-c|x=1",
		`a 'b c' d"e f"g`: "a|b c|de fg",
		"":                "",
	} {
		if got := strings.Join(arguments(command), "|"); got != want {
			t.Errorf("%s: %s", command, got)
		}
	}
}
