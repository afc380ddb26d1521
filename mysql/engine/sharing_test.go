package engine

import (
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// TestSharing: a clause that locks shared stays one wherever it stands, with its tables.
func TestSharing(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT n FROM t FOR SHARE":                                      "SELECT n FROM t LOCK IN SHARE MODE",
		"SELECT n FROM t FOR SHARE SKIP LOCKED":                          "SELECT n FROM t FOR UPDATE OF txmc_shared SKIP LOCKED",
		"SELECT n FROM t LOCK IN SHARE MODE NOWAIT":                      "SELECT n FROM t FOR UPDATE OF txmc_shared NOWAIT",
		"SELECT n FROM t, u FOR SHARE OF t, u NOWAIT":                    "SELECT n FROM t, u FOR UPDATE OF txmc_shared , t, u NOWAIT",
		"SELECT (SELECT n FROM t FOR SHARE) FROM u FOR UPDATE":           "SELECT (SELECT n FROM t LOCK IN SHARE MODE) FROM u FOR UPDATE",
		"SELECT * FROM (SELECT n FROM t FOR SHARE SKIP LOCKED) x":        "SELECT * FROM (SELECT n FROM t FOR UPDATE OF txmc_shared SKIP LOCKED) x",
		"SELECT 'FOR SHARE SKIP LOCKED', share FROM t":                   "SELECT 'FOR SHARE SKIP LOCKED', share FROM t",
		"SELECT n FROM t FOR SHARE -- FOR SHARE NOWAIT":                  "SELECT n FROM t LOCK IN SHARE MODE -- FOR SHARE NOWAIT",
		"(SELECT n FROM t FOR SHARE NOWAIT) UNION (SELECT 1 FOR SHARE )": "(SELECT n FROM t FOR UPDATE OF txmc_shared NOWAIT) UNION (SELECT 1 LOCK IN SHARE MODE )",
	} {
		got := Clean(text)
		if got != want {
			t.Errorf("%s\n  is %s\nwant %s", text, got, want)
		}
		if again := Clean(got); again != got {
			t.Errorf("%s is spelled again as %s", got, again)
		}
		if _, err := sqlparser.Parse(got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}
