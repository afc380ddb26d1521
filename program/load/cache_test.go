package load

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A harness that was kept is lent, and one that was built anew takes its place. The ones
// that were not used for longest go.
func TestKept(t *testing.T) {
	dir, binary := filepath.Join(t.TempDir(), "harness"), filepath.Join(t.TempDir(), "harness.exe")
	build := func(kept, text string, lent os.FileInfo) {
		t.Helper()
		os.Remove(binary) // the go command makes another file
		if err := os.WriteFile(binary, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		keep(kept, "", binary, lent)
	}
	first := filepath.Join(dir, "first")
	if lend(first, binary) != nil {
		t.Error("there is none to lend")
	}
	build(first, "one", nil)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(first, old, old); err != nil {
		t.Fatal(err)
	}
	lent := lend(first, binary)
	if text, err := os.ReadFile(binary); lent == nil || string(text) != "one" {
		t.Fatalf("%q is lent, %v", text, err)
	}
	keep(first, "", binary, lent) // the go command has left it alone
	if info, err := os.Stat(first); err != nil || !info.ModTime().After(old) {
		t.Error("that it was used is not noted", err)
	}
	build(first, "another", lent)
	if text, _ := os.ReadFile(first); string(text) != "another" {
		t.Errorf("%q is kept", text)
	}
	for _, damaged := range []string{"anothe", "anather", ""} {
		if err := os.WriteFile(first, []byte(damaged), 0o700); err != nil {
			t.Fatal(err)
		}
		if lend(first, binary) != nil {
			t.Errorf("%q is lent in the place of another", damaged)
		}
	}
	build(first, "another", nil)
	for i := range mostKept {
		name := filepath.Join(dir, fmt.Sprint(i))
		build(name, "x", nil)
		at := old.Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	record := filepath.Join(dir, "first"+recorded)
	if err := os.WriteFile(record, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(record, old, old); err != nil {
		t.Fatal(err)
	}
	build(filepath.Join(dir, "last"), "x", nil)
	entries, err := os.ReadDir(dir)
	kept := map[string]int{}
	for _, e := range entries {
		kept[filepath.Ext(e.Name())]++
	}
	if want := map[string]int{"": mostKept, recorded: 1, sealed: mostKept}; err != nil || !maps.Equal(kept, want) {
		t.Errorf("%v are kept, want %v, %v", kept, want, err)
	}
	for name, want := range map[string]bool{"first": true, "first" + recorded: true, "last": true, "0": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s is kept: %v", name, err == nil)
		}
	}
	build("", "x", nil) // nowhere
}
