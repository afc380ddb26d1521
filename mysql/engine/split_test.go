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

// The semicolons of a trigger's body end no statement of the script. DELIMITER ends others.
func TestStatementsWithBodies(t *testing.T) {
	for script, want := range map[string][]string{
		"CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW SET NEW.v = 1; SELECT 1;":                                                                                                                                                                  {"CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW SET NEW.v = 1;", "SELECT 1;"},
		"CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = 1; SET @b = 2; END; SELECT 1;":                                                                                                                                              {"CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = 1; SET @b = 2; END;", "SELECT 1;"},
		"CREATE TRIGGER a AFTER UPDATE ON t FOR EACH ROW IF NEW.v > 1 THEN SET @a = IF(1, 2, 3); ELSEIF 2 THEN SET @a = 2; ELSE IF 3 THEN SET @a = 3; END IF; END IF; SELECT 1":                                                                      {"CREATE TRIGGER a AFTER UPDATE ON t FOR EACH ROW IF NEW.v > 1 THEN SET @a = IF(1, 2, 3); ELSEIF 2 THEN SET @a = 2; ELSE IF 3 THEN SET @a = 3; END IF; END IF;", "SELECT 1"},
		"CREATE DEFINER=`root`@`localhost` TRIGGER a BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = CASE WHEN 1 THEN IF(1, 2, 3) ELSE 2 END; CASE NEW.v WHEN 1 THEN SET @b = 1; END CASE; WHILE @b < 3 DO SET @b = @b + 1; END WHILE; END; SELECT 1": {"CREATE DEFINER=`root`@`localhost` TRIGGER a BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = CASE WHEN 1 THEN IF(1, 2, 3) ELSE 2 END; CASE NEW.v WHEN 1 THEN SET @b = 1; END CASE; WHILE @b < 3 DO SET @b = @b + 1; END WHILE; END;", "SELECT 1"},
		"CREATE TABLE `trigger` (a INT); BEGIN; SELECT CASE WHEN 1 THEN 2 END; COMMIT;":                                                                                                                                                              {"CREATE TABLE `trigger` (a INT);", "BEGIN;", "SELECT CASE WHEN 1 THEN 2 END;", "COMMIT;"},
		"DELIMITER //\nCREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = '//'; END//\nDELIMITER ;\nSELECT 1;":                                                                                                                          {"CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = '//'; END", "SELECT 1;"},
		"SELECT 1;\ndelimiter $$\nSELECT 2; -- $$\nSELECT 3 $$\nSELECT 4$$":                                                                                                                                                                          {"SELECT 1;", "SELECT 2; -- $$\nSELECT 3 ", "SELECT 4"},
	} {
		var got []string
		for at, s := range engine.Statements(script) {
			if got = append(got, s); script[at:at+len(s)] != s {
				t.Errorf("%q is not at %d of %q", s, at, script)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", script, got, want)
		}
	}
}

// The tests of package mysql have this flag; here it has no effect, so that it can be
// given for all packages at once.
var _ = flag.String("corpus", "", "directory of recorded statements")
