package format_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
)

// Each parser takes any bytes: it reads them or says what is wrong with them, and
// what it hands over is in proportion to what it was given. What it reads can be
// written in the own format and is then the same.

func FuzzTxmc(f *testing.F)       { fuzz(f, "txmc", "txmc.jsonl") }
func FuzzPlume(f *testing.F)      { fuzz(f, "plume", "plume.txt") }
func FuzzAWDIT(f *testing.F)      { fuzz(f, "awdit", "awdit.txt") }
func FuzzDbcop(f *testing.F)      { fuzz(f, "dbcop", "dbcop.bincode") }
func FuzzDbcopYAML(f *testing.F)  { fuzz(f, "dbcop-yaml", "dbcop.yaml") }
func FuzzDbcopJSON(f *testing.F)  { fuzz(f, "dbcop-json", "dbcop.json") }
func FuzzDbcopText(f *testing.F)  { fuzz(f, "dbcop-text", "dbcop.txt") }
func FuzzCobra(f *testing.F)      { fuzz(f, "cobra", "cobra/T1.log", "cobra/T2.log") }
func FuzzViper(f *testing.F)      { fuzz(f, "viper", "viper/json/J1.log", "viper/json/J2.log") }
func FuzzTimekiller(f *testing.F) { fuzz(f, "timekiller", "timekiller.json") }
func FuzzElle(f *testing.F)       { fuzz(f, "elle", "elle.edn", "elle.json", "elle-set.edn") }
func FuzzElleText(f *testing.F)   { fuzz(f, "elle-text", "elle.txt") }

// FuzzDetect is for what finds out the format.
func FuzzDetect(f *testing.F) {
	for name := range inputs {
		if data, err := os.ReadFile(filepath.Join("testdata", name)); err == nil {
			f.Add(data)
		}
	}
	path := filepath.Join(f.TempDir(), "history")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if as, err := format.Detect(path); err == nil {
			bounded(t, as, path, len(data))
		}
	})
}

func fuzz(f *testing.F, name string, seeds ...string) {
	for _, name := range seeds {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	how, err := format.ByName(name)
	if err != nil {
		f.Fatal(err)
	}
	dir := f.TempDir()
	file, path, ownPath := filepath.Join(dir, "history"), "", filepath.Join(dir, "own")
	if path = file; name == "cobra" || name == "viper" { // folders of logs
		file, path = filepath.Join(dir, map[string]string{"cobra": "T1.log", "viper": "J1.log"}[name]), dir
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		h := bounded(t, how, path, len(data))
		if h == nil || len(h.Txns)+len(h.Facts) == 0 || !utf8.Valid(data) && name != "cobra" && name != "dbcop" {
			return
		}
		var b bytes.Buffer
		to, end := writer(t, "txmc", &b)
		h.writeTo(t, to, end)
		if err := os.WriteFile(ownPath, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		own, err := format.ByName("txmc")
		if err != nil {
			t.Fatal(err)
		}
		var again told
		if err := own.Read(context.Background(), ownPath, again.sink()); err != nil {
			t.Fatalf("%v\n%s", err, b.Bytes())
		}
		if d := cmp.Diff(h, &again, emptyIsNil); d != "" {
			t.Fatalf("%s\n%s", d, b.Bytes())
		}
	})
}

// bounded reads a history, if it is one, and checks its size. The history may not be
// larger than the bytes from which it was made. Reads of what a set does not have are
// not counted there, and have a bound of their own.
func bounded(t *testing.T, f *format.Format, path string, size int) *told {
	var h told
	if err := f.Read(context.Background(), path, h.sink()); err != nil {
		if err.Error() == "" {
			t.Fatal("an error without words")
		}
		return nil
	}
	most := len(h.Txns)
	for _, x := range h.Txns {
		for _, o := range x.Ops {
			if f.Name != "elle" || o.Value.Kind != history.Initial {
				most += 1 + len(o.List)
			}
		}
	}
	if most > size+1 {
		t.Fatalf("%d transactions, operations and elements of %d bytes", most, size)
	}
	return &h
}
