package load

import (
	"path/filepath"
	"strings"
	"testing"
)

// Generated packages are where they may import what is internal, and in its module: also where the module's own path has the
// directory internal, and where a path has two.
func TestInternal(t *testing.T) {
	for _, c := range []struct{ module, files, pattern, want string }{
		{"example.com/app/internal/trainer", "adapters/a.go", "./adapters", "example.com/app/internal/trainer/adapters"},
		{"example.com/app/internal/trainer", "a.go ports/p.go", "./...", "example.com/app/internal/trainer"},
		{"example.com/app/internal/trainer", "x/internal/a/a.go", "./...", "example.com/app/internal/trainer/x"},
		{"example.com/app", "internal/a/a.go internal/b/b.go", "./...", "example.com/app"},
		{"example.com/app", "internal/x/internal/a/a.go internal/b/b.go", "./...", "example.com/app/internal/x"},
		{"internal", "a/a.go b/internal/c/c.go", "./...", "internal/b"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "go.mod"), "module "+c.module+"\n\ngo 1.20\n")
		for _, file := range strings.Fields(c.files) {
			write(t, filepath.Join(dir, file), "package p\n")
		}
		s, err := LoadSource(t.Context(), Config{Dir: dir, Patterns: []string{c.pattern}, Temp: t.TempDir()})
		if err != nil {
			t.Errorf("%s of %s: %v", c.files, c.module, err)
			continue
		}
		p, err := s.Generated("made", []byte("package made\n"), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p.Path != c.want+"/made" || p.Dir != filepath.Join(dir, strings.TrimPrefix(strings.TrimPrefix(c.want, c.module), "/")) || len(s.Left) > 0 {
			t.Errorf("%s of %s: %s in %s, without %v", c.files, c.module, p.Path, p.Dir, s.Left)
		}
	}
}
