package proxy_test

import (
	"testing"

	"github.com/txmc/txmc/server/proxy"
)

// Statements are the same that differ in whether the types of their parameters were known when they were shown.
func TestPlainly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model, server string
		same          bool
	}{
		{"SELECT n FROM t LIMIT 1", "SELECT n FROM t LIMIT '1'", true},
		{"INSERT INTO t VALUES (-1.5, true, false)", "INSERT INTO t VALUES ('-1.5', 't', 'false')", true},
		{"INSERT INTO t VALUES ('--- :no: ''1''', true)", "INSERT INTO t VALUES ('--- :no: ''1''', 't')", true},
		{"INSERT INTO t VALUES (1000000001)", "INSERT INTO t VALUES ('1000000002')", true}, // of a sequence
		{"INSERT INTO t VALUES (1)", "INSERT INTO t VALUES ('2')", false},
		{"INSERT INTO t VALUES (t, false)", "INSERT INTO t VALUES ('true', f)", true},
		{"INSERT INTO t VALUES (true)", "INSERT INTO t VALUES ('f')", false},
		{"INSERT INTO t VALUES ('true story')", "INSERT INTO t VALUES ('t story')", false},
	} {
		if (proxy.Plainly(c.model) == proxy.Plainly(c.server)) != c.same {
			t.Errorf("%s and %s: %v", c.model, c.server, !c.same)
		}
	}
}
