package engine_test

import (
	"flag"
	"slices"
	"testing"

	"github.com/txmc/txmc/mysql/engine"
)

func TestStatements(t *testing.T) {
	script := "-- first; second\nCREATE TABLE t (a int); # x;y\n/* ; */ INSERT INTO t VALUES (';'), (\"a\\\";\"), ('it''s;');;\nSELECT `a;b` FROM t"
	var at []int
	var got []string
	for i, s := range engine.Statements(script) {
		at, got = append(at, i), append(got, s)
	}
	want := []string{"-- first; second\nCREATE TABLE t (a int);", "# x;y\n/* ; */ INSERT INTO t VALUES (';'), (\"a\\\";\"), ('it''s;');", "SELECT `a;b` FROM t"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for i, s := range got {
		if script[at[i]:at[i]+len(s)] != s {
			t.Errorf("statement %d is not at %d", i, at[i])
		}
	}
}

// The tests of package mysql have this flag; here it has no effect, so that it can be
// given for all packages at once.
var _ = flag.String("corpus", "", "directory of recorded statements")
