package generate_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/txmc/txmc/bench/generate"
)

var update = flag.Bool("update", false, "write the generated client files")

// TestFiles: the client files are what the generator makes of its seeds.
func TestFiles(t *testing.T) {
	files, err := generate.Files()
	if err != nil {
		t.Fatal(err)
	}
	const data = "../data"
	for path, text := range files {
		file := filepath.Join(data, filepath.FromSlash(path))
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v: run the test with -update", err)
		}
		if string(got) != text {
			t.Errorf("%s differs from what the generator makes: run the test with -update", path)
		}
	}
	found, err := filepath.Glob(data + "/*/*/case*/thread*.in")
	if err != nil || len(found) != len(files) {
		t.Errorf("%d client files, the generator makes %d (%v)", len(found), len(files), err)
	}
}

func TestUnknownApplication(t *testing.T) {
	if _, err := generate.Client("chess", 1, 3, 3); err == nil {
		t.Error("no error")
	}
}
