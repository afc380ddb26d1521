package main_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/txmc/txmc/explore/spec"
	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/server/requests"
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
	return slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "./testdata/sql") || strings.HasPrefix(a, "./testdata/bugs/") || requests.Is(a) || spec.Is(a) || a == "./testdata/databases/postgres"
	})
}

// lendEngine puts what the engine keeps, and the data of new servers, into a home directory,
// for an example in SQL.
func lendEngine(t *testing.T, home string) {
	t.Helper()
	dir, err := engineCache()
	if err != nil {
		t.Skip(err)
	}
	for _, pattern := range []string{"wazero*", "pglite-*", "servers"} {
		kept, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kept {
			lend(t, home, k)
		}
	}
}
