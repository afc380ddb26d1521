//go:build go1.26

package gotest

import "testing"

// artifactDir is the directory of the test's artifacts, which lasts when go test
// has the flag -artifacts.
func artifactDir(t *testing.T) string { return t.ArtifactDir() }
