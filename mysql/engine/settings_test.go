package engine

import "testing"

// SET STATEMENT … FOR … is split where FOR stands, whatever comes behind it.
func TestSetStatement(t *testing.T) {
	for _, c := range []struct{ text, set, inner string }{
		{"SET STATEMENT max_statement_time = 1 FOR UPDATE t SET n = 6", "SET SESSION max_statement_time = 1", "UPDATE t SET n = 6"},
		{"set statement a = 1, b = 2 for SELECT n FROM t FOR UPDATE", "SET SESSION a = 1, b = 2", "SELECT n FROM t FOR UPDATE"},
		{"SET STATEMENT a = 'for' /* for */ FOR DELETE FROM t", "SET SESSION a = 'for' /* for */", "DELETE FROM t"},
		{"SET STATEMENT a = (SELECT 1 FOR UPDATE) FOR SELECT 2", "SET SESSION a = (SELECT 1 FOR UPDATE)", "SELECT 2"},
		{"SET @statement = 1", "", ""},
	} {
		if set, inner, is := setStatement(c.text); set != c.set || inner != c.inner || is != (c.set != "") {
			t.Errorf("%s: %q, %q", c.text, set, inner)
		}
	}
}
