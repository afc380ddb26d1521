package load

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var long = flag.Bool("long", false, "also inspect all examples")

// The examples and the applications of the benchmark are as they should be: what
// vet said of them would be a false alarm.
func TestNoFalseAlarms(t *testing.T) {
	if !*long {
		t.Skip("-long inspects all examples; their reports are compared without warnings")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	patterns := []string{"./bench/..."}
	examples, err := filepath.Glob(filepath.Join(root, "testdata", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range examples {
		patterns = append(patterns, "./testdata/"+filepath.Base(filepath.Dir(file)))
	}
	loaded, err := Load(t.Context(), Config{Dir: root, Patterns: patterns, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded.Packages) < 20 {
		t.Fatalf("only %d packages", len(loaded.Packages))
	}
	for _, p := range loaded.Packages {
		found, err := p.Vet(t.Context())
		if err != nil {
			t.Errorf("%s: %v", p.Path, err)
		}
		for _, f := range found {
			t.Errorf("%s: %s (%s)", f.At, f.Text(), f.Check)
		}
	}
}

// Findings are about the functions that are explored, and say where.
func TestVet(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(t.Context(), Config{Dir: root, Patterns: []string{"./program/vet/testdata/maporder"}, Run: "Switch", Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	found, err := loaded.Packages[0].Vet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].Check != "maporder" || found[0].Column != 4 || !strings.HasPrefix(found[0].At, filepath.FromSlash("program/vet/testdata/maporder/bad.go:")) {
		t.Errorf("%+v", found)
	}
}

// A package that cannot be parsed is an error, not a panic.
func TestVetErrors(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(t.Context(), Config{Dir: root, Patterns: []string{"./program/vet/testdata/doc/shop"}, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	p := loaded.Packages[0]
	// What the file holds has changed since it was compiled.
	over := filepath.Join(t.TempDir(), "shop.go")
	if err := os.WriteFile(over, []byte("package shop\n\nfunc ExploreRestock( {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p.tool.overlay[filepath.Join(p.Dir, "shop.go")] = over
	if found, err := p.Vet(t.Context()); err == nil {
		t.Errorf("no error but %v", found)
	}
}
