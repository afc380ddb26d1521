package format

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file is there when all of it is, and not before; with an error what was there
// stays, and nothing is left beside it.
func TestCreate(t *testing.T) {
	for _, name := range []string{"plain.jsonl", "packed.gz", "packed.zst"} {
		path := filepath.Join(t.TempDir(), name)
		for round, fail := range []error{nil, errors.New("no more"), nil} {
			w, err := Create(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(w, "round %d", round)
			before, _ := os.ReadFile(path)
			if round == 0 && len(before) > 0 {
				t.Errorf("%s is there before its end", name)
			}
			if err := w.End(fail); !errors.Is(err, fail) {
				t.Errorf("%s: %v", name, err)
			}
			after, err := os.ReadFile(path)
			if changed := string(after) != string(before); err != nil || changed != (fail == nil) {
				t.Errorf("%s, round %d: %v, changed %v", name, round, err, changed)
			}
		}
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
			t.Errorf("%s: %v are left", name, left)
		}
	}
	if _, err := Create(filepath.Join(t.TempDir(), "nowhere", "x"), nil); err == nil || !strings.Contains(err.Error(), "cannot write") {
		t.Error(err)
	}
	var out strings.Builder
	w, err := Create("", &out)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, "said")
	if err := w.End(nil); err != nil || out.String() != "said" {
		t.Errorf("%v: %q", err, out.String())
	}
}

// Keys keep their text, whether they are looked up as numbers or not.
func TestKeys(t *testing.T) {
	s := &source{}
	for range 2 {
		for _, k := range []string{"", "0", "00", "07", "7", "99999", "100000", "-1", "+1", "1e3", "x", "٣"} {
			if got := s.key([]byte(k)); got != k {
				t.Errorf("%q is %q", k, got)
			}
		}
	}
}
