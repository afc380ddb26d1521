// Package scratchtest gives tests throw-away servers.
package scratchtest

import (
	"testing"

	"github.com/txmc/txmc/server/scratch"
)

// Need skips a test where a server is not installed. Servers are in memory where there is
// enough of it.
func Need(t testing.TB, kind scratch.Kind) {
	t.Helper()
	if err := scratch.Installed(kind); err != nil {
		t.Skip(err)
	}
}

// Start starts a server that ends with the test. It skips the test where the server is not
// installed.
func Start(t testing.TB, kind scratch.Kind, settings map[string]string) *scratch.Server {
	t.Helper()
	Need(t, kind)
	s, err := scratch.Start(t.Context(), kind, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
