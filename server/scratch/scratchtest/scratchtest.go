// Package scratchtest gives tests throw-away servers.
package scratchtest

import (
	"errors"
	"testing"

	"github.com/txmc/txmc/server/scratch"
)

// Start starts a server that ends with the test. It skips the test where the server is not
// installed.
func Start(t testing.TB, kind scratch.Kind, settings map[string]string) *scratch.Server {
	t.Helper()
	s, err := scratch.Start(t.Context(), kind, settings)
	var missing *scratch.MissingError
	if errors.As(err, &missing) {
		t.Skip(err)
	}
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
