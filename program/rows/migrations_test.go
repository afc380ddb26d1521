package rows

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Migrations are in the order of their numbers, without the ways back.
func TestMigrations(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"2_b.up.sql": "B", "2_b.down.sql": "not B", "10_c.sql": "-- +goose Up\nC\n-- +goose Down\nnot C", "1_a.sql": "A", "notes.txt": "no", "more/1_d.sql": "D",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"":             "A|B|-- +goose Up\nC\n|D",
		"*.sql":        "A|B|-- +goose Up\nC\n",
		"2_b.down.sql": "not B",
		"notes.txt":    "no",
	} {
		list, err := Migrations(filepath.Join(dir, path))
		var texts []string
		for _, s := range list {
			texts = append(texts, s.Text)
		}
		if got := strings.Join(texts, "|"); err != nil || got != want {
			t.Errorf("%q: %q, %v; not %q", path, got, err, want)
		}
	}
	for path, want := range map[string]string{"x*.sql": "no file matches", "nothing.sql": "no such file"} {
		if _, err := Migrations(filepath.Join(dir, path)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", path, err)
		}
	}
	empty := t.TempDir()
	if _, err := Migrations(empty); err == nil || !strings.Contains(err.Error(), "none ends with .sql") {
		t.Errorf("an empty directory: %v", err)
	}
}
