package checkpoint

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/report"
)

func sample() *File {
	return &File{
		Txmc: "txmc v1", Options: []Option{{"iso", "si"}, {"base", ""}}, Packages: map[string]string{"a": "b"},
		Done: []report.Result{{Program: "ExploreA", Iso: "si", Complete: true}},
		Left: []Left{{"p", "ExploreB", "si", []byte(`{"frontier":null}`)}}, Written: 7,
	}
}

// Every cut and every flipped bit of a file is noticed.
func TestDamage(t *testing.T) {
	good, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(good); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		if _, err := Parse(good[:i]); err == nil {
			t.Errorf("cut after %d bytes, it is read", i)
		}
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			_, err := Parse(bad)
			if err == nil && strings.Join(strings.Fields(string(good)), "") != strings.Join(strings.Fields(string(bad)), "") {
				t.Errorf("with bit %d of byte %d flipped, it is read", bit, i)
			}
		}
	}
	other := bytes.Replace(good, []byte(magic+" 1 "), []byte(magic+" 2 "), 1)
	if _, err := Parse(other); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Error(err)
	}
}

// The file is replaced whole, and nothing is left beside it.
func TestWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "c")
	f := sample()
	for i := range 3 {
		f.Written = int64(i)
		if err := f.Write(name); err != nil {
			t.Fatal(err)
		}
		got, err := Read(name)
		if err != nil || got.Written != int64(i) || got.Find("p", "ExploreB", "si") == nil {
			t.Fatal(got, err)
		}
	}
	if list, err := os.ReadDir(filepath.Dir(name)); err != nil || len(list) != 1 {
		t.Error(list, err)
	}
	if err := f.Write(filepath.Join(name, "below")); err == nil {
		t.Error("written below a file")
	}
}

// FuzzParse: whatever the bytes, there is an error or a file that is written as it
// was read.
func FuzzParse(f *testing.F) {
	good, err := sample().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(magic + " 1 00\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		// A right checksum lets the fuzzer get to what follows it.
		if _, body, ok := bytes.Cut(data, []byte("\n")); ok {
			data = seal(body)
		}
		g, err := Parse(data)
		if err != nil {
			return
		}
		again, err := g.Encode()
		if err != nil {
			t.Fatal(err)
		}
		h, err := Parse(again)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := h.Encode(); err != nil || !bytes.Equal(twice, again) {
			t.Fatalf("%s\n%s", again, twice)
		}
		if g.Same(h) != nil && len(g.Options) == 0 {
			t.Fatal("it does not fit itself")
		}
		h.Finish(report.Result{Package: "p", Program: "q"})
		h.Keep(Left{Package: "p"})
	})
}

// A file fits the txmc and the options that it was written with, and no others;
// what does not fit is named.
func TestSame(t *testing.T) {
	for want, change := range map[string]func(*File){
		"":                   func(*File) {},
		"txmc v2":            func(f *File) { f.Txmc = "txmc v2" },
		"now it is --iso=":   func(f *File) { f.Options[0].Value = "ser" },
		"now it is no --iso": func(f *File) { f.Options = f.Options[1:] },
		"other options":      func(f *File) { f.Options = append(f.Options, Option{"run", "A"}) },
	} {
		now := sample()
		change(now)
		err := sample().Same(now)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
