//go:build unix

package judge_test

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/txmc/txmc/history/judge"
)

// A pipe in a folder is passed over and not waited for.
func TestPipeInFolder(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "a-pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(dir, "history.jsonl")
	if err := os.WriteFile(file, []byte(`{"session":"a","ops":[["w","x",1]]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := judge.Find([]string{dir}, nil, func(path string, err error) { t.Errorf("%s: %v", path, err) }, nil)
	if err != nil || !slices.Equal(found, []string{file}) {
		t.Errorf("found %v, %v", found, err)
	}
}
