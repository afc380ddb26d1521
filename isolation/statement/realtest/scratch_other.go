//go:build !unix

package realtest

import "testing"

// StartPostgres skips the test: throw-away servers need Unix sockets.
func StartPostgres(t testing.TB) (dsn string) {
	t.Skip("throw-away servers run on Unix only")
	return ""
}
