//go:build !go1.26

package gotest

import "testing"

// artifactDir is a directory that is removed after the test: go test has artifacts
// from Go 1.26 on.
func artifactDir(t *testing.T) string { return t.TempDir() }
