package main_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/txmc/txmc/pg/engine"
)

// Examples in SQL need PostgreSQL's package, which npm gets. Where it cannot be had
// their tests are skipped.

// engineCache is the directory in which the engine keeps its package, compiled.
var engineCache = sync.OnceValues(func() (string, error) {
	e, err := engine.Open(context.Background(), engine.Options{})
	if err != nil {
		return "", err
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "txmc"), e.Close()
})

// inSQL reports whether a command's arguments name an example in SQL.
func inSQL(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "./testdata/sql") })
}

// lendEngine puts what the engine keeps into a home directory, for an example in
// SQL.
func lendEngine(t *testing.T, home string, args []string) {
	t.Helper()
	if !inSQL(args) {
		return
	}
	dir, err := engineCache()
	if err != nil {
		t.Skip(err)
	}
	lent := filepath.Join(home, ".cache", "txmc")
	if err := os.MkdirAll(lent, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"wazero", "pglite-*"} {
		kept, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kept {
			if err := os.Symlink(k, filepath.Join(lent, filepath.Base(k))); err != nil {
				t.Skip(err)
			}
		}
	}
}
