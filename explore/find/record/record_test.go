package record

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/program/rows"
)

// Of each program the run with the most statements is read, without what its receiver sends when it is made; where nobody wants to know, nothing
// is kept.
func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sent")
	To("A")(rows.Sent{SQL: "nobody asks"})
	t.Setenv(Variable, name)
	for _, run := range [][]string{{"a"}, {"a", "b"}, {}} {
		Making("A")
		for range 3 {
			To("A")(rows.Sent{SQL: "the schema", At: "app.go:2"})
		}
		Run("A")
		for _, sql := range run {
			To("A")(rows.Sent{SQL: sql, Args: []string{"1"}, At: "app.go:1"})
		}
	}
	Run("B")
	To("B")(rows.Sent{SQL: "c"})
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]rows.Sent{
		"A": {{SQL: "a", Args: []string{"1"}, At: "app.go:1"}, {SQL: "b", Args: []string{"1"}, At: "app.go:1"}},
		"B": {{SQL: "c"}},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What has failed is told once, and is no statement.
func TestFailures(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sent")
	t.Setenv(Variable, name)
	for range 2 {
		Run("A")
		To("A")(rows.Sent{SQL: "a"})
		Failed("A", "app.Migrate", os.ErrClosed)
		Failed("A", "app.Setup", nil)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := Failures(bytes.NewReader(data)); err != nil || len(list) != 1 || list[0] != "app.Migrate: file already closed" {
		t.Errorf("%q, %v", list, err)
	}
	if sent, err := Read(bytes.NewReader(data)); err != nil || len(sent["A"]) != 1 {
		t.Errorf("%v, %v", sent, err)
	}
}
