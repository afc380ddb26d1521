package engine

import "testing"

// What the parser does not know is spelled in words that it knows, and the way back is known.
func TestRespell(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"SELECT @x := v FROM t", "SELECT assigned('x',/*:@x :=*/ v/*:*/) FROM t"},
		{"SELECT (@x:=CASE WHEN a THEN @y := 1 ELSE (2) END), 'a := b', @@x FROM t",
			"SELECT (assigned('x',/*:@x:=*/CASE WHEN a THEN assigned('y',/*:@y :=*/ 1/*:*/) ELSE (2) END/*:*/)), 'a := b', @@x FROM t"},
		{"SELECT @a := @b := 7", "SELECT assigned('a',/*:@a :=*/ assigned('b',/*:@b :=*/ 7/*:*/)/*:*/)"},
		{"SET @x := 1, @y := ?", "SET @x := 1, @y := ?"},
		{"SELECT a > ALL (SELECT (b) FROM t), c != some(SELECT 1)", "SELECT a > each_of_all(/*:ALL */ (SELECT (b) FROM t)/*:*/), c != each_of_any(/*:some */(SELECT 1)/*:*/)"},
		{"SELECT 1 UNION ALL (SELECT 2)", "SELECT 1 UNION ALL (SELECT 2)"},
		{"SELECT a FROM t GROUP BY a WITH  ROLLUP HAVING a > 1", "SELECT a FROM t GROUP BY a , with_rollup() HAVING a > 1"},
		{"SELECT '@x := 1' -- with rollup\n", "SELECT '@x := 1' -- with rollup\n"},
		{"CREATE TABLE c (id INT, `P` INT NOT NULL REFERENCES t (id) ON DELETE CASCADE, q INT REFERENCES t (id), CONSTRAINT f FOREIGN KEY (q) REFERENCES t (id) ON DELETE CASCADE)",
			"CREATE TABLE c (id INT, `P` INT NOT NULL , FOREIGN KEY (`p`) REFERENCES t (id) ON DELETE CASCADE, q INT REFERENCES t (id), CONSTRAINT f FOREIGN KEY (q) REFERENCES t (id) ON DELETE CASCADE)"},
		{"CREATE TABLE c (p INT REFERENCES a.t (id) ON UPDATE SET NULL) ENGINE=InnoDB", "CREATE TABLE c (p INT , FOREIGN KEY (`p`) REFERENCES a.t (id) ON UPDATE SET NULL) ENGINE=InnoDB"},
		{"ALTER TABLE c ADD COLUMN `P` INT NULL REFERENCES t (id) ON DELETE CASCADE, ADD q INT REFERENCES t (id), ADD CONSTRAINT f FOREIGN KEY (q) REFERENCES t (id);",
			"ALTER TABLE c ADD COLUMN `P` INT NULL , ADD FOREIGN KEY (`p`) REFERENCES t (id) ON DELETE CASCADE, ADD q INT , ADD FOREIGN KEY (`q`) REFERENCES t (id), ADD CONSTRAINT f FOREIGN KEY (q) REFERENCES t (id);"},
		{"ALTER TABLE a.c ADD COLUMN n INT, ALGORITHM=INPLACE, LOCK NONE;", "ALTER TABLE a.c ADD COLUMN n INT;"},
		{"ALTER TABLE c ALGORITHM = INSTANT, ADD COLUMN `lock` INT DEFAULT 1", "ALTER TABLE c  ADD COLUMN `lock` INT DEFAULT 1"},
		{"CREATE UNIQUE INDEX i ON t (a, b) LOCK = NONE", "CREATE UNIQUE INDEX i ON t (a, b) "},
		{"DROP INDEX i ON t ALGORITHM=COPY", "DROP INDEX i ON t "},
		{"SELECT a FROM t LOCK IN SHARE MODE", "SELECT a FROM t LOCK IN SHARE MODE"},
	} {
		got := respell(c.text)
		if got != c.want {
			t.Errorf("%s\nis spelled %s\nwant       %s", c.text, got, c.want)
		}
		if again := respell(got); again != got {
			t.Errorf("%s\nis spelled %s the second time", got, again)
		}
	}
	for _, text := range []string{"SELECT @x:=v, a > all (SELECT @a := @b := 7), 'it''s' FROM t"} {
		if back := original(respell(text)); back != "SELECT @x:=v, a > all  (SELECT @a := @b := 7), 'it''s' FROM t" {
			t.Error(back)
		}
	}
}

// Names that the parser keeps for itself are quoted where it stops at them, and nowhere else.
func TestQuoteNames(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"SELECT plan FROM t", "SELECT `plan`/*:w*/ FROM t"},
		{"SELECT rank, RANK() OVER (ORDER BY rank) FROM rank", "SELECT `rank`/*:w*/, RANK() OVER (ORDER BY `rank`/*:w*/) FROM `rank`/*:w*/"},
		{"SELECT `plan`, 'plan', x.encrypted AS shared FROM t x -- plan", "SELECT `plan`, 'plan', x.`encrypted`/*:w*/ AS `shared`/*:w*/ FROM t x -- plan"},
		{"CREATE TABLE t (plan INT, g INT GENERATED ALWAYS AS (plan) STORED, copy INT, KEY (plan))",
			"CREATE TABLE t (`plan`/*:w*/ INT, g INT GENERATED ALWAYS AS (`plan`/*:w*/) STORED, `copy`/*:w*/ INT, KEY (`plan`/*:w*/))"},
		{"INSERT INTO t (id, plan) VALUES (1, 2) ON DUPLICATE KEY UPDATE plan = VALUES(plan)", "INSERT INTO t (id, `plan`/*:w*/) VALUES (1, 2) ON DUPLICATE KEY UPDATE `plan`/*:w*/ = VALUES(`plan`/*:w*/)"},
		{"UPDATE t SET plan = plan + 1 WHERE plan = ?", "UPDATE t SET `plan`/*:w*/ = `plan`/*:w*/ + 1 WHERE `plan`/*:w*/ = ?"},
		{"SELECT plan FRM t", "SELECT plan FRM t"},
		{"SELECT id FROM t WINDOW w AS (ORDER BY id)", "SELECT id FROM t WINDOW w AS (ORDER BY id)"},
	} {
		got := quoteNames(c.text)
		if got != c.want {
			t.Errorf("%s\nis spelled %s\nwant       %s", c.text, got, c.want)
		}
		if again := quoteNames(got); again != got {
			t.Errorf("%s\nis spelled %s the second time", got, again)
		}
		if back := original(got); back != c.text {
			t.Errorf("%s\nis spelled back as %s", got, back)
		}
	}
}

// A backslash before a wildcard is one of the text.
func TestBackslashes(t *testing.T) {
	for text, want := range map[string]string{
		`SELECT 'a\_b', "c\%", 'd\\_', 'it''s \'\_'`:         `SELECT 'a\\_b', "c\\%", 'd\\_', 'it''s \'\\_'`,
		"SELECT `a\\_` /* '\\_ */ -- '\\_\n, 'x\\%y' # '\\_": "SELECT `a\\_` /* '\\_ */ -- '\\_\n, 'x\\\\%y' # '\\_",
		`SELECT 'open\_`:           `SELECT 'open\\_`,
		`SELECT 'a\n\\%' LIKE '%\`: `SELECT 'a\n\\%' LIKE '%\`,
	} {
		got := withBackslashes(text)
		if got != want {
			t.Errorf("%s\nis spelled %s\nwant       %s", text, got, want)
		}
		if again := withBackslashes(got); again != got {
			t.Errorf("%s\nis spelled %s the second time", got, again)
		}
	}
}
