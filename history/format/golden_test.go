package format_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
)

var (
	update = flag.Bool("update", false, "rewrite the golden files")
	long   = flag.Bool("long", false, "also read files that are very large")
)

// inputs are the small histories of each format, written by hand, and the name of
// the format to be detected.
var inputs = map[string]string{
	"txmc.jsonl": "txmc", "plume.txt": "plume", "awdit.txt": "awdit", "dbcop.bincode": "dbcop", "dbcop.yaml": "dbcop-yaml",
	"dbcop.json": "dbcop-json", "dbcop.txt": "dbcop-text", "cobra": "cobra", "viper": "viper", "timekiller.json": "timekiller",
	"elle.edn": "elle", "elle.json": "elle", "elle-set.edn": "elle", "elle.txt": "elle-text",
}

// Each format is detected, and read to what the golden file says, in the own format.
func TestFormats(t *testing.T) {
	for name, as := range inputs {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name)
			f, err := format.Detect(path)
			if err != nil {
				t.Fatal(err)
			}
			if f.Name != as {
				t.Errorf("detected %s, want %s", f.Name, as)
			}
			got := own(t, path, f)
			golden := path + ".golden"
			if *update {
				if err := os.WriteFile(golden, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Error(d)
			}
		})
	}
	if len(inputs) <= len(format.Formats()) {
		t.Errorf("%d inputs for %d formats, of which one needs two", len(inputs), len(format.Formats()))
	}
}

// own is the history at path in the own format.
func own(t testing.TB, path string, f *format.Format) []byte {
	t.Helper()
	var b bytes.Buffer
	to, end := writer(t, "txmc", &b)
	if err := f.Read(context.Background(), path, to); err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writer(t testing.TB, name string, b *bytes.Buffer) (history.Sink, func() error) {
	t.Helper()
	f, err := format.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	to, end, err := f.Write(b)
	if err != nil {
		t.Fatal(err)
	}
	return to, end
}
